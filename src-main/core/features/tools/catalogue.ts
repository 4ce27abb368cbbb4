import type { ToolSelection } from '../../../../src-preload/contract/chat.ts'
import type { FunctionTool, ToolsState } from '../../../../src-preload/contract/tools.ts'
import type { Store } from '../../store/store.ts'
import type { McpServers } from './mcp/servers.ts'
import { fingerprintOf } from './mcp/toolList.ts'
import { sentNames } from './wireNames.ts'

/** A tool that can be offered to a model. */
export interface KnownTool {
  id: string
  kind: 'function' | 'mcp'
  /** Name in requests, unique among all tools. */
  sentName: string
  description: string
  /** Valid JSON schema, as text. */
  schema: string
  strict: boolean
  fingerprint: string
  /** Server of an MCP tool, and the name of the tool on that server. Null for a tool that a person wrote. */
  server: { id: string; name: string; tool: string; timeoutSeconds: number } | null
}

/** Tool id of a tool that a person wrote. */
export const functionId = (id: string): string => `function:${id}`
/** Tool id of a tool on an MCP server. */
export const mcpId = (serverId: string, tool: string): string => `mcp:${serverId}:${tool}`

/** Server id of a tool id, even if the tool is currently unavailable. Null for a tool that a person wrote. */
export function serverOfId(toolId: string): string | null {
  const [kind, server] = toolId.split(':', 2)
  return kind === 'mcp' && server ? server : null
}

/** All tools: tools that a person wrote, and tools of servers that are ready. Rebuilt on first use after each change. */
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

  /** Enabled tools of a conversation that exist, in the order in which the person enabled them. */
  offered({ enabled }: ToolSelection): KnownTool[] {
    return [...new Set(enabled)].flatMap((id) => this.find(id) ?? [])
  }

  state(): ToolsState {
    const { functions, names } = this.#all
    return {
      functions,
      servers: this.#servers.all.map((run) => run.view((tool) => names.get(mcpId(run.config.id, tool)) ?? '')),
      always: this.#store.toolPermissions.always().flatMap(({ toolId, fingerprint }) => {
        const known = this.find(toolId)
        // A permission for an earlier form of the tool no longer applies.
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

/** Members `tools`, `tool_choice` and `parallel_tool_calls` of a request (specification, Tool). Empty without tools. */
export function requestMembers(
  tools: readonly KnownTool[],
  { choice, parallel }: ToolSelection,
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
