import { type Fields, isFields } from '../../../upstream/json/values.ts'
import type { ChatRequest } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import type { JsonObject } from '../types.ts'
import { textAt } from './contentParts.ts'
import type { IgnoredMessagesFields } from './ignoredFields.ts'

const appKeys = new Set(['type', 'name', 'description', 'input_schema', 'strict'])
const changeKeys = new Set(['type', 'tool'])
const choiceKeys = new Set(['type', 'name', 'disable_parallel_tool_use'])

/**
 * The tools with one name. A message adds or removes all that came before it, and a search for them would be quadratic for many messages.
 */
interface NamedTools {
  name: string
  /** Number of tools of the request when the last such message came. */
  switchedUpTo: number
  removed: boolean
}

/** The tools of a request: those of `tools`, with the additions and removals in its messages. */
export class ToolDefinitions {
  readonly #ignored: IgnoredMessagesFields
  readonly #tools: { definition: JsonObject; name: NamedTools; at: number }[] = []
  readonly #byName = new Map<string, NamedTools>()

  constructor(ignored: IgnoredMessagesFields) {
    this.#ignored = ignored
  }

  /**
   * Adds one element of `tools`. A tool with another `type` than `custom` is left out: it runs on the vendor's servers, or its schema is
   * known only to the vendor's models.
   */
  add(tool: unknown, path: string): void {
    if (!isFields(tool)) throw new DialectError(path, 'Must be an object.')
    const { type } = tool
    if (type !== undefined && type !== null && type !== 'custom') {
      this.#ignored.add(`tools.${typeof type === 'string' ? type : 'type'}`)
      return
    }
    const name = textAt(tool, 'name', path)
    if (name === '') throw new DialectError(`${path}.name`, 'Must not be empty.')
    if (!isFields(tool.input_schema)) throw new DialectError(`${path}.input_schema`, 'Must be a JSON schema object.')
    const description = tool.description ?? null
    if (description !== null && typeof description !== 'string') {
      throw new DialectError(`${path}.description`, 'Must be a string.')
    }
    this.#ignored.addUnknown(tool, appKeys, 'tools.')
    const called: JsonObject = { name }
    if (description !== null) called.description = description
    called.parameters = tool.input_schema
    if (typeof tool.strict === 'boolean') called.strict = tool.strict
    const known = this.#byName.get(name) ?? { name, switchedUpTo: 0, removed: false }
    this.#byName.set(name, known)
    this.#tools.push({ definition: { type: 'function', function: called }, name: known, at: this.#tools.length })
  }

  /** Applies a `tool_addition` or `tool_removal` block. MCP references name tools that do not exist here. */
  change(block: Fields, type: 'tool_addition' | 'tool_removal', path: string): void {
    this.#ignored.addUnknown(block, changeKeys, `messages.${type}.`)
    const { tool } = block
    if (!isFields(tool)) throw new DialectError(`${path}.tool`, 'Must be an object.')
    if (tool.type === 'tool_definition' && type === 'tool_addition')
      this.add(tool.definition, `${path}.tool.definition`)
    else if (tool.type === 'tool_reference') this.#switch(textAt(tool, 'name', `${path}.tool`), type)
    else this.#ignored.add(`messages.${type}`)
  }

  #switch(name: string, type: 'tool_addition' | 'tool_removal'): void {
    const known = this.#byName.get(name)
    if (known) {
      known.switchedUpTo = this.#tools.length
      known.removed = type === 'tool_removal'
    } else this.#ignored.add(`messages.${type}`)
  }

  /**
   * Writes `tools`, `tool_choice` and `parallel_tool_calls` into the request. Without tools, none of them is sent.
   * @throws DialectError for a choice that requires a tool that is not there
   */
  applyTo(chat: ChatRequest, choice: unknown): void {
    const tools = this.#tools.filter(({ name, at }) => !name.removed || at >= name.switchedUpTo)
    if (tools.length > 0) chat.tools = tools.map((tool) => tool.definition)
    if (choice === undefined || choice === null) return
    if (!isFields(choice)) throw new DialectError('tool_choice', 'Must be an object.')
    this.#ignored.addUnknown(choice, choiceKeys, 'tool_choice.')
    const names = new Set(tools.map((tool) => tool.name.name))
    const translated = choiceOf(choice, names)
    if (names.size === 0) return
    chat.tool_choice = translated
    const alone = choice.disable_parallel_tool_use ?? null
    if (alone !== null && typeof alone !== 'boolean') {
      throw new DialectError('tool_choice.disable_parallel_tool_use', 'Must be true or false.')
    }
    if (alone !== null) chat.parallel_tool_calls = !alone
  }
}

function choiceOf(choice: Fields, names: ReadonlySet<string>): string | JsonObject {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type
    case 'any':
      if (names.size === 0) throw new DialectError('tool_choice', 'No tool of this request is available here.')
      return 'required'
    case 'tool': {
      const name = textAt(choice, 'name', 'tool_choice')
      if (!names.has(name))
        throw new DialectError('tool_choice.name', 'No available tool of this request has this name.')
      return { type: 'function', function: { name } }
    }
    default:
      throw new DialectError('tool_choice.type', 'Must be auto, any, tool or none.')
  }
}
