import { createORPCClient } from '@orpc/client'
import { StandardRPCLink } from '@orpc/client/standard'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '../../src-preload/contract/contract.ts'
import { type CoreLink, ReplaceableLink } from './link.ts'
import { connectPort } from './port.ts'
import { enterSession } from './session.ts'
import { connectSocket, openPageSocket, type WebEntry } from './socket.ts'
import { subscribeThrough } from './watch.ts'

export type Client = ContractRouterClient<Contract>

/** The core, from the page. */
export interface Api {
  /** One function a procedure. What it throws, `problemOf` puts into words. */
  client: Client
  /** For the words and colours of the connection to the program itself. */
  link: CoreLink
  host: 'desktop' | 'web'
  /**
   * Follows a stream, over lost connections too: `open` is called again after each and starts by the snapshot. Returns the
   * function that stops it.
   *
   *     api.subscribe((signal) => api.client.app.watch(undefined, { signal }), setState, showProblem)
   */
  subscribe<T>(
    open: (signal: AbortSignal) => Promise<AsyncIterable<T>>,
    onEvent: (event: T) => void,
    onEnd: (thrown: unknown) => void,
  ): () => void
}

/** Connects this page to its host, whichever it is. Call it once. */
export function connect(page: Window = window): Api {
  if ('inferenceStudio' in page) {
    const link = new ReplaceableLink()
    connectPort(link, page)
    return apiOver(link, 'desktop')
  }
  return connectWeb({ openSocket: () => openPageSocket(page), letIn: () => enterSession(page) })
}

export function connectWeb(entry: WebEntry): Api {
  const link = new ReplaceableLink()
  connectSocket(link, entry)
  return apiOver(link, 'web')
}

function apiOver(link: ReplaceableLink, host: Api['host']): Api {
  // The address is never dialled: every request goes over the link's own connection.
  const client: Client = createORPCClient(new StandardRPCLink(link, { url: 'http://orpc' }))
  return {
    client,
    link,
    host,
    subscribe: (open, onEvent, onEnd) => subscribeThrough(link, open, onEvent, onEnd),
  }
}
