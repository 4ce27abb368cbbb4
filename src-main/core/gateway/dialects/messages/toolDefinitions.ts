import { type Fields, isFields } from '../../../upstream/json/values.ts'
import type { ChatRequest } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { FunctionNames } from '../functionNames.ts'
import type { JsonObject } from '../types.ts'
import { type ClientTool, clientTool, clientToolKeys } from './clientTools.ts'
import { textAt } from './contentParts.ts'
import type { IgnoredMessagesFields } from './ignoredFields.ts'

const appKeys = new Set(['type', 'name', 'description', 'input_schema', 'strict', 'defer_loading'])
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

interface Definition {
  definition: JsonObject
  name: NamedTools
  at: number
  isDeferred: boolean
}

/**
 * The tools of a request: those of `tools`, with the additions and removals in its messages. A deferred tool is sent once a message refers
 * to it, as in the original API. A request with a search tool of the vendor's servers gets all its tools, because nobody else would find them.
 */
export class ToolDefinitions {
  readonly #ignored: IgnoredMessagesFields
  readonly #tools: Definition[] = []
  readonly #byName = new Map<string, NamedTools>()
  readonly #functions = new FunctionNames()
  /** Tools that messages refer to, also before a definition in a later message. */
  readonly #found = new Set<string>()
  #isSearchedByVendor = false

  constructor(ignored: IgnoredMessagesFields) {
    this.#ignored = ignored
  }

  /** Adds one element of `tools`. A tool that runs on the vendor's servers is left out. */
  add(tool: unknown, path: string): void {
    if (!isFields(tool)) throw new DialectError(path, 'Must be an object.')
    const { type } = tool
    const isCustom = type === undefined || type === null || type === 'custom'
    const client = isCustom ? null : clientTool(tool)
    if (!isCustom && client === null) {
      this.#isSearchedByVendor ||= typeof type === 'string' && type.startsWith('tool_search_tool_')
      this.#ignored.add(`tools.${typeof type === 'string' ? type : 'type'}`)
      return
    }
    const name = textAt(tool, 'name', path)
    if (name === '') throw new DialectError(`${path}.name`, 'Must not be empty.')
    const called = client === null ? this.#custom(tool, name, path) : this.#client(client, tool, name)
    const known = this.#byName.get(name) ?? { name, switchedUpTo: 0, removed: false }
    this.#byName.set(name, known)
    const definition = { type: 'function', function: called }
    this.#tools.push({ definition, name: known, at: this.#tools.length, isDeferred: tool.defer_loading === true })
  }

  #custom(tool: Fields, name: string, path: string): JsonObject {
    if (!isFields(tool.input_schema)) throw new DialectError(`${path}.input_schema`, 'Must be a JSON schema object.')
    const description = tool.description ?? null
    if (description !== null && typeof description !== 'string') {
      throw new DialectError(`${path}.description`, 'Must be a string.')
    }
    this.#ignored.addUnknown(tool, appKeys, 'tools.')
    const called: JsonObject = { name: this.functionName(name) }
    if (description !== null) called.description = description
    called.parameters = tool.input_schema
    if (typeof tool.strict === 'boolean') called.strict = tool.strict
    return called
  }

  #client({ description, parameters }: ClientTool, tool: Fields, name: string): JsonObject {
    this.#ignored.addUnknown(tool, clientToolKeys, 'tools.')
    return { name: this.functionName(name), description, parameters }
  }

  /** The name of a tool, or of a tool in the history, as the service gets it. */
  functionName(name: string): string {
    return this.#functions.nameOf(name, name)
  }

  /** A message refers to a tool or calls it. A deferred tool is sent from then on. */
  find(name: string): void {
    this.#found.add(name)
  }

  /** Applies a `tool_addition` or `tool_removal` block. MCP references name tools that do not exist here. */
  change(block: Fields, type: 'tool_addition' | 'tool_removal', path: string): void {
    this.#ignored.addUnknown(block, changeKeys, `messages.${type}.`)
    const { tool } = block
    if (!isFields(tool)) throw new DialectError(`${path}.tool`, 'Must be an object.')
    if (tool.type === 'tool_definition' && type === 'tool_addition') {
      this.add(tool.definition, `${path}.tool.definition`)
      if (isFields(tool.definition) && typeof tool.definition.name === 'string') this.find(tool.definition.name)
    } else if (tool.type === 'tool_reference') this.#switch(textAt(tool, 'name', `${path}.tool`), type)
    else this.#ignored.add(`messages.${type}`)
  }

  #switch(name: string, type: 'tool_addition' | 'tool_removal'): void {
    const known = this.#byName.get(name)
    if (known) {
      if (type === 'tool_addition') this.find(name)
      known.switchedUpTo = this.#tools.length
      known.removed = type === 'tool_removal'
    } else this.#ignored.add(`messages.${type}`)
  }

  /**
   * Writes `tools`, `tool_choice` and `parallel_tool_calls` into the request. Without tools, none of them is sent.
   * @returns the names of the tools that the service knows by another name, by that name
   * @throws DialectError for a choice that requires a tool that is not there
   */
  applyTo(chat: ChatRequest, choice: unknown): Map<string, string> {
    const tools = this.#tools.filter((tool) => this.#isSent(tool))
    if (tools.length > 0) chat.tools = tools.map((tool) => tool.definition)
    const names = new Set(tools.map((tool) => tool.name.name))
    this.#applyChoice(chat, choice, names)
    const changed = [...names].map((name): [string, string] => [this.functionName(name), name])
    return new Map(changed.filter(([sent, name]) => sent !== name))
  }

  #isSent({ name, at, isDeferred }: Definition): boolean {
    if (name.removed && at < name.switchedUpTo) return false
    if (!isDeferred || this.#found.has(name.name)) return true
    if (this.#isSearchedByVendor) this.#ignored.add('tools.defer_loading')
    return this.#isSearchedByVendor
  }

  #applyChoice(chat: ChatRequest, choice: unknown, names: ReadonlySet<string>): void {
    if (choice === undefined || choice === null) return
    if (!isFields(choice)) throw new DialectError('tool_choice', 'Must be an object.')
    this.#ignored.addUnknown(choice, choiceKeys, 'tool_choice.')
    const translated = choiceOf(choice, names, (name) => this.functionName(name))
    if (names.size === 0) return
    chat.tool_choice = translated
    const alone = choice.disable_parallel_tool_use ?? null
    if (alone !== null && typeof alone !== 'boolean') {
      throw new DialectError('tool_choice.disable_parallel_tool_use', 'Must be true or false.')
    }
    if (alone !== null) chat.parallel_tool_calls = !alone
  }
}

function choiceOf(
  choice: Fields,
  names: ReadonlySet<string>,
  functionName: (name: string) => string,
): string | JsonObject {
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
      return { type: 'function', function: { name: functionName(name) } }
    }
    default:
      throw new DialectError('tool_choice.type', 'Must be auto, any, tool or none.')
  }
}
