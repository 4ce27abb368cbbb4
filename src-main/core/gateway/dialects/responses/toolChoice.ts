import { DialectError } from '../dialectError.ts'
import { list, name, object, optionalText, text } from '../fields.ts'
import type { JsonObject } from '../types.ts'
import { isClientTool } from './clientTools.ts'
import type { FunctionDefinition, RequestTools } from './tools.ts'

/** What remains of the tools and the choice for chat completions. */
export interface ChosenTools {
  tools: FunctionDefinition[]
  tool_choice: string | JsonObject | null
}

/**
 * Translates `tool_choice`. `allowed_tools` has no standard form in chat completions, so only the allowed tools are sent.
 * @throws DialectError for a choice that can't be met: a tool that is not in the request, or was left out of it
 */
export function chosenTools(choice: unknown, tools: RequestTools): ChosenTools {
  if (choice === null || choice === undefined) return { tools: tools.chat, tool_choice: null }
  if (typeof choice === 'string') return byMode(choice, tools.chat, 'tool_choice')
  const wanted = object(choice, 'tool_choice')
  const type = name(wanted.type, 'tool_choice.type')
  if (type === 'function' || type === 'custom') {
    const chatName = chatNameOf(wanted, tools, 'tool_choice')
    return { tools: tools.chat, tool_choice: { type: 'function', function: { name: chatName } } }
  }
  if (type === 'allowed_tools') return allowed(wanted, tools)
  if (isClientTool(type) && tools.names.hasClient(type)) {
    return { tools: tools.chat, tool_choice: { type: 'function', function: { name: tools.names.nameOfClient(type) } } }
  }
  throw unavailable(type, 'tool_choice.type')
}

function byMode(mode: string, tools: FunctionDefinition[], param: string): ChosenTools {
  if (mode !== 'auto' && mode !== 'none' && mode !== 'required') {
    throw new DialectError(param, `${param} must be auto, none, required or an object.`)
  }
  if (tools.length > 0) return { tools, tool_choice: mode }
  if (mode === 'required') {
    throw new DialectError(param, 'A tool call is required, but the request has no tool that is supported here.')
  }
  return { tools, tool_choice: null }
}

function allowed(choice: JsonObject, tools: RequestTools): ChosenTools {
  const names = new Set<string>()
  const index = indexOf(tools)
  for (const [at, entry] of list(choice.tools, 'tool_choice.tools').entries()) {
    const param = `tool_choice.tools[${at}]`
    const tool = object(entry, param)
    const type = name(tool.type, `${param}.type`)
    if (type === 'function' || type === 'custom') names.add(chatNameOf(tool, tools, param, index))
    else if (isClientTool(type)) names.add(tools.names.nameOfClient(type))
    else if (type === 'namespace') addNamespace(text(tool.name, `${param}.name`), index, names)
    // Other tools were left out of the request and are in the list of ignored fields.
  }
  const mode = text(choice.mode, 'tool_choice.mode')
  const kept = tools.chat.filter((tool) => names.has(tool.function.name))
  return byMode(mode, kept, 'tool_choice.mode')
}

/** The function names of tools: by the name of the tool, and by its namespace. So that a long list of allowed tools takes linear time. */
interface ToolIndex {
  byName: ReadonlyMap<string, string[]>
  byNamespace: Map<string, string[]>
}

function indexOf({ names }: RequestTools): ToolIndex {
  const byName = new Map<string, string[]>()
  const byNamespace = new Map<string, string[]>()
  const add = (index: Map<string, string[]>, key: string, chatName: string): void => {
    const known = index.get(key)
    if (known) known.push(chatName)
    else index.set(key, [chatName])
  }
  for (const [chatName, { name: toolName, namespace }] of names.byChatName()) {
    add(byName, toolName, chatName)
    if (namespace !== null) add(byNamespace, namespace, chatName)
  }
  return { byName, byNamespace }
}

function addNamespace(namespace: string, { byNamespace }: ToolIndex, names: Set<string>): void {
  for (const chatName of byNamespace.get(namespace) ?? []) names.add(chatName)
  // A choice may name it again and again.
  byNamespace.delete(namespace)
}

function chatNameOf(tool: JsonObject, tools: RequestTools, param: string, index = indexOf(tools)): string {
  const toolName = name(tool.name, `${param}.name`)
  const namespace = optionalText(tool.namespace, `${param}.namespace`)
  if (tools.names.has(namespace, toolName)) return tools.names.nameOf(namespace, toolName)
  // The official types have no namespace here: the name identifies the tool if only one namespace has a tool of that name.
  const [only, ...others] = index.byName.get(toolName)?.slice(0, 2) ?? []
  if (namespace === null && only !== undefined && others.length === 0) return only
  throw new DialectError(
    `${param}.name`,
    `No tool of the request has the name ${JSON.stringify(toolName.slice(0, 64))}.`,
  )
}

function unavailable(type: string, param: string): DialectError {
  return new DialectError(
    param,
    `Tools of the type ${JSON.stringify(type.slice(0, 64))} are not available here, because the service has none. Use function or custom tools.`,
  )
}
