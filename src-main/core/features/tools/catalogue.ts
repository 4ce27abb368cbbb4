import type { ToolUseOfChat } from '../../../../src-preload/contract/chat.ts'
import type { ChatToolsState, FunctionTool } from '../../../../src-preload/contract/tools.ts'
import type { Store } from '../../store/store.ts'
import type { McpServers } from './mcp/servers.ts'
import { fingerprintOf } from './mcp/toolList.ts'
import { sentNames } from './wireNames.ts'

/** A tool that can be offered to a model now. */
export interface KnownTool {
  id: string
  kind: 'function' | 'mcp'
  /** The name that the model gets. */
  sentName: string
  description: string
  /** JSON text, found good. */
  schema: string
  strict: boolean
  fingerprint: string
  /** Of a server's tool: the server, and the tool's own name there. */
  server: { id: string; name: string; tool: string; timeoutSeconds: number } | null
}

export const functionId = (id: string): string => `function:${id}`
export const mcpId = (serverId: string, tool: string): string => `mcp:${serverId}:${tool}`

/** Whose server a tool is, by its id alone: also of a tool that is not offered now. */
export function serverOfId(toolId: string): string | null {
  const [kind, server] = toolId.split(':', 2)
  return kind === 'mcp' && server ? server : null
}

/** All tools: those that a person wrote, and those of servers that are ready. Put together anew after each change. */
export class ToolCatalogue {
  readonly #store: Store
  readonly #servers: McpServers
  #known: { functions: FunctionTool[]; tools: Map<string, KnownTool>; names: Map<string, string> } | null = null

  constructor(store: Store, servers: McpServers) {
    this.#store = store
    this.#servers = servers
  }

  changed(): void {
    this.#known = null
  }

  find(id: string): KnownTool | null {
    return this.#all.tools.get(id) ?? null
  }

  /** Those that a conversation offers and that are there, in the order in which they were switched on. */
  offered({ enabled }: ToolUseOfChat): KnownTool[] {
    return [...new Set(enabled)].flatMap((id) => this.find(id) ?? [])
  }

  state(): ChatToolsState {
    const { functions, names } = this.#all
    return {
      functions,
      servers: this.#servers.all.map((run) => run.view((tool) => names.get(mcpId(run.config.id, tool)) ?? '')),
      always: this.#store.toolPermissions.always().flatMap(({ toolId, fingerprint }) => {
        const known = this.find(toolId)
        // Of a tool that has another form by now it will be asked anew.
        return known && known.fingerprint !== fingerprint ? [] : [toolId]
      }),
    }
  }

  get #all() {
    this.#known ??= this.#read()
    return this.#known
  }

  #read() {
    const functions = this.#store.functionTools.list()
    const tools = new Map<string, KnownTool>()
    for (const { id, name, description, schema, strict } of functions) {
      const fingerprint = fingerprintOf([id, name, description, schema])
      tools.set(functionId(id), {
        id: functionId(id),
        kind: 'function',
        sentName: name,
        description,
        schema,
        strict,
        fingerprint,
        server: null,
      })
    }
    const offered = this.#servers.all.flatMap(({ config, tools: listed }) => listed.map((tool) => ({ config, tool })))
    const names = sentNames(
      offered.map(({ config, tool }) => ({ id: mcpId(config.id, tool.name), server: config.name, tool: tool.name })),
      new Set(functions.map(({ name }) => name)),
    )
    for (const { config, tool } of offered) {
      if (tool.fault !== null) continue
      const { id: serverId, name, timeoutSeconds } = config
      const id = mcpId(serverId, tool.name)
      const { description, schema, fingerprint } = tool
      const server = { id: serverId, name, tool: tool.name, timeoutSeconds }
      tools.set(id, {
        id,
        kind: 'mcp',
        sentName: names.get(id) ?? tool.name,
        description,
        schema,
        strict: false,
        fingerprint,
        server,
      })
    }
    return { functions, tools, names }
  }
}

/** `tools`, `tool_choice` and `parallel_tool_calls` of a request (specification, Tool); empty where no tool is there. */
export function requestMembers(
  tools: readonly KnownTool[],
  { choice, parallel }: ToolUseOfChat,
): Record<string, unknown> {
  if (tools.length === 0) return {}
  const members: Record<string, unknown> = { tools: tools.map(offer) }
  if (choice === 'none' || choice === 'required') members.tool_choice = choice
  else if (choice !== 'auto' && tools.some(({ sentName }) => sentName === choice.name)) {
    members.tool_choice = { type: 'function', function: { name: choice.name } }
  }
  if (parallel !== null) members.parallel_tool_calls = parallel
  return members
}

function offer({ sentName, description, schema, strict }: KnownTool): Record<string, unknown> {
  const parameters: unknown = JSON.parse(schema)
  return {
    type: 'function',
    function: { name: sentName, description, parameters, ...(strict ? { strict: true } : {}) },
  }
}
