import type { McpServer, ToolsState } from '../../../../src-preload/contract/tools.ts'
import { containsWords } from '../../../shared/looseText.ts'
import { findTool, functionToolId, mcpToolId, readToolId } from '../../../stores/tools.ts'

/** Why a tool cannot be offered to the model now. */
export type OfferFault = { why: 'off' | 'starting' | 'failed' | 'sign_in' | 'gone' } | { why: 'schema'; words: string }

export interface Offer {
  id: string
  /** The name for the model. */
  name: string
  /** The title for people, if its server provides one. */
  title: string | null
  description: string
  fault: OfferFault | null
  readOnly: boolean | null
  destructive: boolean | null
}

export interface OfferGroup {
  /** `own`, `gone`, or a server's id. */
  key: string
  server: McpServer | null
  offers: Offer[]
}

const plain = { title: null, description: '', readOnly: null, destructive: null }

/**
 * All tools that a chat can offer: the person's own first, then one group per server. Enabled tools stay visible although they are deleted
 * or their server is off. Empty groups are omitted, except servers.
 */
export function offerGroups(tools: ToolsState, enabled: readonly string[]): OfferGroup[] {
  const own = tools.functions.map((tool) => ({
    ...plain,
    id: functionToolId(tool),
    name: tool.name,
    description: tool.description,
    fault: null,
  }))
  const groups: OfferGroup[] = own.length > 0 ? [{ key: 'own', server: null, offers: own }] : []
  for (const server of tools.servers) groups.push({ key: server.id, server, offers: offersOf(server, enabled) })
  const lost = enabled.filter((id) => {
    const found = findTool(tools, id)
    return !found.tool && !found.server
  })
  const gone = lost.map((id) => ({ ...plain, id, name: nameIn(id), fault: { why: 'gone' } as const }))
  return gone.length > 0 ? [...groups, { key: 'gone', server: null, offers: gone }] : groups
}

function offersOf(server: McpServer, enabled: readonly string[]): Offer[] {
  const down = server.state === 'ready' ? null : ({ why: server.state } as const)
  const offers: Offer[] = server.tools.map((tool) => ({
    id: mcpToolId(server, tool),
    name: tool.sentName,
    title: tool.title,
    description: tool.description,
    fault: down ?? (tool.fault === null ? null : { why: 'schema', words: tool.fault }),
    readOnly: tool.readOnly,
    destructive: tool.destructive,
  }))
  const listed = new Set(offers.map(({ id }) => id))
  for (const id of enabled) {
    const read = readToolId(id)
    if (read?.kind !== 'mcp' || read.server !== server.id || listed.has(id)) continue
    offers.push({ ...plain, id, name: read.name, fault: down ?? { why: 'gone' } })
  }
  return offers
}

function nameIn(id: string): string {
  const read = readToolId(id)
  return read?.kind === 'mcp' ? read.name : id.slice(0, 60)
}

/** Tools whose name, title or description contains every search term. */
export function searchOffers(groups: readonly OfferGroup[], search: string): OfferGroup[] {
  if (search.trim() === '') return [...groups]
  return groups
    .map((group) => ({
      ...group,
      offers: group.offers.filter((offer) =>
        containsWords([offer.name, offer.title, offer.description, group.server?.name].join('\n'), search),
      ),
    }))
    .filter(({ offers }) => offers.length > 0)
}

/** The tools that the next request will contain. */
export function offeredNow(groups: readonly OfferGroup[], enabled: readonly string[]): Offer[] {
  const on = new Set(enabled)
  return groups.flatMap(({ offers }) => offers.filter((offer) => offer.fault === null && on.has(offer.id)))
}

/** Enables or disables ids, keeping the order of the rest. The contract's limit is 128. */
export function switched(enabled: readonly string[], ids: readonly string[], on: boolean): string[] {
  const these = new Set(ids)
  if (!on) return enabled.filter((id) => !these.has(id))
  return [...new Set([...enabled, ...ids])].slice(0, 128)
}
