import { isFields } from '../../../upstream/json/values.ts'
import type { ChatRequest } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { hasValue, type IgnoredFields, list, name, optionalText, text } from '../fields.ts'
import { FunctionNames } from '../functionNames.ts'
import type { JsonObject } from '../types.ts'
import { elements, enumAt, members, optionalMembers } from './members.ts'
import { jsonSchema } from './schema.ts'

const declarationFields = new Set(['name', 'description', 'parameters', 'parametersJsonSchema'])
const callingFields = new Set(['mode', 'allowedFunctionNames'])

/** The function declarations of a request. Other tools run on the vendor's servers, so they are left out and named. */
export class DeclaredTools {
  readonly #ignored: IgnoredFields
  readonly #names = new FunctionNames()
  readonly #tools = new Map<string, JsonObject>()

  /** @throws DialectError for a declaration without a name, and for two of the same */
  constructor(tools: unknown, ignored: IgnoredFields) {
    this.#ignored = ignored
    for (const [index, tool] of elements(tools).entries()) {
      const path = `tools[${index}]`
      const { functionDeclarations, ...others } = members(tool, path)
      for (const other of Object.keys(others))
        if (hasValue(others[other]) || isFields(others[other])) ignored.add(`tools.${other}`)
      for (const [at, declaration] of elements(functionDeclarations).entries()) {
        this.#add(declaration, `${path}.functionDeclarations[${at}]`)
      }
    }
  }

  #add(value: unknown, path: string): void {
    const declaration = members(value, path)
    const given = name(declaration.name, `${path}.name`)
    if (this.#tools.has(given)) throw new DialectError(`${path}.name`, 'Another function of the request has this name.')
    this.#ignored.addUnknown(declaration, declarationFields, 'tools.functionDeclarations')
    const { parameters, parametersJsonSchema } = declaration
    const description = optionalText(declaration.description, `${path}.description`)
    const schema = isFields(parametersJsonSchema) ? parametersJsonSchema : jsonSchema(parameters ?? undefined)
    const called = {
      name: this.nameOf(given),
      ...(description !== null && { description }),
      ...(schema !== undefined && { parameters: schema }),
    }
    this.#tools.set(given, { type: 'function', function: called })
  }

  /** Names of functions that the service knows by another name, by that name. */
  renamed(): ReadonlyMap<string, string> {
    return this.#names.renamed()
  }

  /** The name of a function at the service, also of one that is only in the history. */
  nameOf(given: string): string {
    return this.#names.nameOf(given, given)
  }

  /**
   * Writes `tools` and `tool_choice` into the request. Without tools, neither is sent.
   * @throws DialectError for a choice among functions that are not declared
   */
  applyTo(chat: ChatRequest, toolConfig: unknown): void {
    const config = optionalMembers(toolConfig, 'toolConfig') ?? {}
    this.#ignored.addUnknown(config, new Set(['functionCallingConfig']), 'toolConfig')
    const path = 'toolConfig.functionCallingConfig'
    const calling = optionalMembers(config.functionCallingConfig, path) ?? {}
    this.#ignored.addUnknown(calling, callingFields, path)
    const allowed = list(calling.allowedFunctionNames ?? [], `${path}.allowedFunctionNames`).map((given, index) => {
      const at = `${path}.allowedFunctionNames[${index}]`
      if (this.#tools.has(text(given, at))) return given as string
      throw new DialectError(at, 'No function of this request has this name.')
    })
    const mode = enumAt(calling.mode, `${path}.mode`)
    if (this.#tools.size === 0) return
    const offered = allowed.length === 0 || mode === 'NONE' ? [...this.#tools.keys()] : [...new Set(allowed)]
    chat.tools = offered.map((given) => this.#tools.get(given))
    const choice = mode === null ? null : choices.get(mode)
    if (choice === undefined) throw new DialectError(`${path}.mode`, 'The mode must be AUTO, ANY, NONE or VALIDATED.')
    if (choice === null) return
    const [only, ...more] = offered
    const isOne = choice === 'required' && allowed.length > 0 && only !== undefined && more.length === 0
    chat.tool_choice = isOne ? { type: 'function', function: { name: this.nameOf(only) } } : choice
  }
}

/** `VALIDATED` lets the model choose, with arguments that fit the schema. */
const choices: ReadonlyMap<string, string> = new Map([
  ['AUTO', 'auto'],
  ['VALIDATED', 'auto'],
  ['ANY', 'required'],
  ['NONE', 'none'],
])
