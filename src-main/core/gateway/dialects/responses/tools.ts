import { isFields } from '../../../upstream/json/values.ts'
import { DialectError } from '../dialectError.ts'
import { type IgnoredFields, list, name, object, optionalFlag, optionalObject, optionalText, text } from '../fields.ts'
import type { JsonObject } from '../types.ts'
import { type ClientToolKind, clientTools, isClientTool, runsAtApp } from './clientTools.ts'
import { customArgument } from './customInput.ts'
import { ToolNames } from './toolNames.ts'

/** A tool of a chat-completions request (specification, Tool). */
export interface FunctionDefinition {
  type: 'function'
  function: { name: string; description?: string; parameters?: JsonObject; strict?: boolean }
}

const functionFields = new Set(['type', 'name', 'description', 'parameters', 'strict'])
const customFields = new Set(['type', 'name', 'description', 'format'])
const clientFields = new Set(['type', 'environment'])
const searchFields = new Set(['type', 'execution', 'description', 'parameters'])
const environmentFields = new Set(['type'])
const namespaceFields = new Set(['type', 'name', 'description', 'tools'])

/**
 * The tools of a request. Functions are translated, custom tools become functions with one text argument, tools that the app runs become
 * functions with the arguments of their calls, and the tools of a namespace get joined names. All other tools run at OpenAI or have a model
 * trained for them. They are left out and added to the ignored fields.
 */
export class RequestTools {
  readonly names = new ToolNames()
  readonly chat: FunctionDefinition[] = []
  /** The tools that are in effect, as the Response object shows them. */
  readonly echo: JsonObject[] = []
  readonly #ignored: IgnoredFields
  #repeats = false

  constructor(ignored: IgnoredFields) {
    this.#ignored = ignored
  }

  /**
   * @param repeats skip tools that are there already: apps send `additional_tools` again with each turn
   * @throws DialectError
   */
  addAll(value: unknown, param: string, repeats = false): void {
    this.#repeats = repeats
    if (value === null || value === undefined) return
    for (const [at, entry] of list(value, param).entries()) {
      this.#add(object(entry, `${param}[${at}]`), `${param}[${at}]`)
    }
  }

  #add(tool: JsonObject, param: string): void {
    const type = name(tool.type, `${param}.type`)
    if (type === 'namespace') this.#addNamespace(tool, param)
    else if (isClientTool(type) && runsAtApp(tool)) this.#addClient(type, tool, param)
    else if (!this.#addCallable(type, tool, param, null, this.echo)) this.#ignored.add(`tools.${type}`)
  }

  /** A second one of a type says nothing new. */
  #addClient(type: ClientToolKind, tool: JsonObject, param: string): void {
    const isSearch = type === 'tool_search'
    this.#ignored.addUnknown(tool, isSearch ? searchFields : clientFields, 'tools')
    if (isFields(tool.environment)) this.#ignored.addUnknown(tool.environment, environmentFields, 'tools.environment')
    const chatName = this.names.add({ kind: type, name: type, namespace: null })
    if (chatName === null) return
    const usual = clientTools[type]
    const own = (isSearch && optionalText(tool.description, `${param}.description`)) || usual.description
    const parameters = (isSearch && optionalObject(tool.parameters, `${param}.parameters`)) || usual.parameters
    this.chat.push(functionTool(chatName, [own], parameters, null))
    this.echo.push(tool)
  }

  #addNamespace(tool: JsonObject, param: string): void {
    const namespace = {
      name: name(tool.name, `${param}.name`),
      description: optionalText(tool.description, `${param}.description`),
    }
    this.#ignored.addUnknown(tool, namespaceFields, 'tools')
    const tools: JsonObject[] = []
    for (const [at, entry] of list(tool.tools, `${param}.tools`).entries()) {
      const place = `${param}.tools[${at}]`
      const inner = object(entry, place)
      const type = name(inner.type, `${place}.type`)
      if (!this.#addCallable(type, inner, place, namespace, tools)) this.#ignored.add(`tools.namespace.${type}`)
    }
    this.echo.push({ ...tool, description: namespace.description ?? '', tools })
  }

  /** Adds a function or custom tool, also to `echo`. Returns false for other types. */
  #addCallable(
    type: string,
    tool: JsonObject,
    param: string,
    namespace: ToolNamespace | null,
    echo: JsonObject[],
  ): boolean {
    if (type !== 'function' && type !== 'custom') return false
    const toolName = name(tool.name, `${param}.name`)
    const description = optionalText(tool.description, `${param}.description`)
    this.#ignored.addUnknown(tool, type === 'function' ? functionFields : customFields, 'tools')
    const chatName = this.names.add({ kind: type, name: toolName, namespace: namespace?.name ?? null })
    if (chatName === null) {
      if (this.#repeats) return true
      throw new DialectError(`${param}.name`, `Two tools have the name ${JSON.stringify(toolName.slice(0, 64))}.`)
    }
    const descriptions = [namespace?.description, description]
    if (type === 'function') {
      const parameters = optionalObject(tool.parameters, `${param}.parameters`)
      const strict = optionalFlag(tool.strict, `${param}.strict`)
      this.chat.push(functionTool(chatName, descriptions, parameters, strict))
      echo.push({ ...tool, description, parameters, strict })
    } else {
      const format = optionalObject(tool.format, `${param}.format`) ?? { type: 'text' }
      this.chat.push(
        functionTool(chatName, [...descriptions, grammarText(format, `${param}.format`)], textArgument, null),
      )
      echo.push({ ...tool, format })
    }
    return true
  }
}

/** Parameters of the function that replaces a custom tool. */
const textArgument: JsonObject = {
  type: 'object',
  properties: { [customArgument]: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: [customArgument],
  additionalProperties: false,
}

function functionTool(
  chatName: string,
  descriptions: (string | null | undefined)[],
  parameters: JsonObject | null,
  strict: boolean | null,
): FunctionDefinition {
  const description = descriptions.filter((part) => typeof part === 'string' && part !== '').join('\n\n')
  return {
    type: 'function',
    function: {
      name: chatName,
      ...(description !== '' && { description }),
      ...(parameters !== null && { parameters }),
      ...(strict !== null && { strict }),
    },
  }
}

interface ToolNamespace {
  name: string
  description: string | null
}

/** Chat completions can't enforce a grammar, so the model reads it. */
function grammarText(format: JsonObject, param: string): string | null {
  const type = text(format.type, `${param}.type`)
  if (type === 'text') return null
  if (type !== 'grammar') {
    throw new DialectError(
      `${param}.type`,
      `A custom tool's format must be text or grammar, not ${JSON.stringify(type.slice(0, 64))}.`,
    )
  }
  const syntax = text(format.syntax, `${param}.syntax`)
  const language = syntax === 'lark' ? 'Lark grammar' : syntax === 'regex' ? 'regular expression' : `${syntax} grammar`
  return `The input must match this ${language}:\n${text(format.definition, `${param}.definition`)}`
}
