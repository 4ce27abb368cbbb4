import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Problem } from '../../src-preload/contract/problem.ts'
import type { FunctionTool, McpServer, McpTool, ToolsState } from '../../src-preload/contract/tools.ts'

/** The draft of a tool result that a person writes. */
export interface HandDraft {
  text: string
  json: boolean
  isError: boolean
}

export interface ToolsStore {
  /** Null until the first event. */
  tools: ToolsState | null
  /** Why the tools are not available. */
  problem: Problem | null
  /** Drafts by the id of the tool call's message. Stored here, because a card that scrolls out of view is unmounted. */
  drafts: Readonly<Record<string, HandDraft>>
  /** Servers that were added in this window and whose tools have not been offered in a chat yet, by id. */
  added: readonly string[]
}

export const emptyDraft: HandDraft = { text: '', json: false, isError: false }

export const toolsStore = createStore<ToolsStore>(() => ({ tools: null, problem: null, drafts: {}, added: [] }))
export const useTools = <T>(select: (store: ToolsStore) => T): T => useStore(toolsStore, select)

export const withDraft = (store: ToolsStore, messageId: string, change: Partial<HandDraft>): ToolsStore => ({
  ...store,
  drafts: { ...store.drafts, [messageId]: { ...(store.drafts[messageId] ?? emptyDraft), ...change } },
})
export function withoutDraft(store: ToolsStore, messageId: string): ToolsStore {
  const { [messageId]: _gone, ...drafts } = store.drafts
  return { ...store, drafts }
}

export const withAdded = (store: ToolsStore, id: string): Partial<ToolsStore> => ({ added: [...store.added, id] })
export const withoutAdded = (store: ToolsStore, id: string): Partial<ToolsStore> => ({
  added: store.added.filter((one) => one !== id),
})

/** The two forms of a tool's id: `function:UUID`, `mcp:SERVER_UUID:NAME`. Null for anything else. */
export type ToolId = { kind: 'function'; id: string } | { kind: 'mcp'; server: string; name: string }

export function readToolId(id: string): ToolId | null {
  const [, uuid] = /^function:(.+)$/s.exec(id) ?? []
  if (uuid !== undefined) return { kind: 'function', id: uuid }
  const [, server, name] = /^mcp:([^:]+):(.+)$/s.exec(id) ?? []
  return server === undefined || name === undefined ? null : { kind: 'mcp', server, name }
}

export const functionToolId = (tool: FunctionTool): string => `function:${tool.id}`
export const mcpToolId = (server: McpServer, tool: McpTool): string => `mcp:${server.id}:${tool.name}`

/** The tool that a tool id currently refers to. */
export interface FoundTool {
  tool: FunctionTool | null
  server: McpServer | null
  /** Null when the server does not currently list the tool. */
  mcp: McpTool | null
}

export function findTool(tools: ToolsState | null, id: string): FoundTool {
  const read = readToolId(id)
  const none: FoundTool = { tool: null, server: null, mcp: null }
  if (read === null || tools === null) return none
  if (read.kind === 'function') return { ...none, tool: tools.functions.find((one) => one.id === read.id) ?? null }
  const server = tools.servers.find((one) => one.id === read.server) ?? null
  return { tool: null, server, mcp: server?.tools.find((one) => one.name === read.name) ?? null }
}
