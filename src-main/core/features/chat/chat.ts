import { StudioError } from '../../errors.ts'
import type { ChatNeighbours } from '../../ports/toolCalls.ts'
import type { Store } from '../../store/store.ts'
import { type ChatUpstream, Runs } from './replyRuns.ts'

/** What the chat use cases work with. */
export interface ChatFeature {
  store: Store
  runs: Runs
  neighbours: ChatNeighbours
  /** The service to ask. @throws StudioError `not_connected`, or why the connection could not be made */
  upstream(): Promise<ChatUpstream>
}

export interface ChatOptions {
  store: Store
  upstream: ChatFeature['upstream']
  log(line: string): void
  neighbours?: ChatNeighbours
  /** Whether the raw request and reply of each question are kept in the log of requests. */
  keepBodies?: () => boolean
}

/** No tools, no pictures, no prices. */
export const noNeighbours: ChatNeighbours = {
  toolsFor: () => ({}),
  callsOf: () => [],
  called: () => undefined,
  stopCalls: () => 0,
  imageUrl: () => Promise.reject(new StudioError('no_such_item', 'That picture does not exist any more.')),
  costOf: () => ({ cost: null, costIs: 'unknown' }),
}

export function openChat(options: ChatOptions): ChatFeature {
  const { store, upstream, log, neighbours = noNeighbours, keepBodies = () => false } = options
  return { store, upstream, neighbours, runs: new Runs({ store, log, neighbours, keepBodies }) }
}
