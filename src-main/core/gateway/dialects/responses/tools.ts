import { DialectError } from '../dialectError.ts'
import type { JsonObject } from '../types.ts'
import { customArgument } from './customInput.ts'
import { type IgnoredFields, list, name, object, optionalFlag, optionalObject, optionalText, text } from './fields.ts'
import { ToolNames } from './toolNames.ts'

/** A tool of a chat-completions request (specification, Tool). */
export interface ChatTool {
  type: 'function'
  function: { name: string; description?: string; parameters?: JsonObject; strict?: boolean }
}

const functionFields = new Set(['type', 'name', 'description', 'parameters', 'strict'])
const customFields = new Set(['type', 'name', 'description', 'format'])
const namespaceFields = new Set(['type', 'name', 'description', 'tools'])

/**
 * The tools of a request. Functions are translated, custom tools become functions with one text argument, and the tools of a namespace
 * get joined names. All other tools run at OpenAI or have a model trained for them. They are left out and added to the ignored fields.
 */
export class RequestTools {
  readonly names = new ToolNames()
  readonly chat: ChatTool[] = []
  /** The tools that are in effect, as the Response object shows them. */
  readonly echo: JsonObject[] = []
  readonly #ignored: IgnoredFields

  constructor(ignored: IgnoredFields) {
    this.#ignored = ignored
  }

  /** @throws DialectError */
  addAll(value: unknown, param: string): void {
    if (value === null || value === undefined) return
    for (const [at, entry] of list(value, param).entries())
      this.#add(object(entry, `${param}[${at}]`), `${param}[${at}]`)
  }

  #add(tool: JsonObject, param: string): void {
    const type = name(tool.type, `${param}.type`)
    if (type === 'function') this.echo.push(this.#addFunction(tool, param, null))
    else if (type === 'custom') this.echo.push(this.#addCustom(tool, param, null))
    else if (type === 'namespace') this.echo.push(this.#addNamespace(tool, param))
    else this.#ignored.add(`tools.${type}`)
  }

  #addNamespace(tool: JsonObject, param: string): JsonObject {
    const namespace = {
      name: name(tool.name, `${param}.name`),
      description: optionalText(tool.description, `${param}.description`),
    }
    this.#ignored.addUnknown(tool, namespaceFields, 'tools')
    const tools: JsonObject[] = []
    for (const [at, entry] of list(tool.tools, `${param}.tools`).entries()) {
      const inner = object(entry, `${param}.tools[${at}]`)
      const type = name(inner.type, `${param}.tools[${at}].type`)
      if (type === 'function') tools.push(this.#addFunction(inner, `${param}.tools[${at}]`, namespace))
      else if (type === 'custom') tools.push(this.#addCustom(inner, `${param}.tools[${at}]`, namespace))
      else this.#ignored.add(`tools.namespace.${type}`)
    }
    return { ...tool, description: namespace.description ?? '', tools }
  }

  #addFunction(tool: JsonObject, param: string, namespace: ToolNamespace | null): JsonObject {
    const toolName = name(tool.name, `${param}.name`)
    const description = optionalText(tool.description, `${param}.description`)
    const parameters = optionalObject(tool.parameters, `${param}.parameters`)
    const strict = optionalFlag(tool.strict, `${param}.strict`)
    this.#ignored.addUnknown(tool, functionFields, 'tools')
    this.chat.push({
      type: 'function',
      function: {
        name: this.#named('function', toolName, namespace, param),
        ...describedAs([namespace?.description, description]),
        ...(parameters !== null && { parameters }),
        ...(strict !== null && { strict }),
      },
    })
    return { ...tool, description, parameters, strict }
  }

  #addCustom(tool: JsonObject, param: string, namespace: ToolNamespace | null): JsonObject {
    const toolName = name(tool.name, `${param}.name`)
    const description = optionalText(tool.description, `${param}.description`)
    const format = optionalObject(tool.format, `${param}.format`)
    this.#ignored.addUnknown(tool, customFields, 'tools')
    const grammar = format === null ? null : grammarText(format, `${param}.format`)
    this.chat.push({
      type: 'function',
      function: {
        name: this.#named('custom', toolName, namespace, param),
        ...describedAs([namespace?.description, description, grammar]),
        parameters: {
          type: 'object',
          properties: {
            [customArgument]: { type: 'string', description: 'The whole input of the tool, as plain text.' },
          },
          required: [customArgument],
          additionalProperties: false,
        },
      },
    })
    return { ...tool, format: format ?? { type: 'text' } }
  }

  #named(kind: 'function' | 'custom', toolName: string, namespace: ToolNamespace | null, param: string): string {
    const chatName = this.names.add({ kind, name: toolName, namespace: namespace?.name ?? null })
    if (chatName !== null) return chatName
    throw new DialectError(`${param}.name`, `Two tools have the name ${JSON.stringify(toolName.slice(0, 64))}.`)
  }
}

interface ToolNamespace {
  name: string
  description: string | null
}

function describedAs(parts: (string | null | undefined)[]): { description?: string } {
  const description = parts.filter((part) => typeof part === 'string' && part !== '').join('\n\n')
  return description === '' ? {} : { description }
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
