import { LinkWebsocketClient } from '@orpc/client/websocket'
import type { ReplaceableLink } from './link.ts'

/** What a page has to reach the web host. */
export interface WebEntry {
  openSocket(): WebSocket
  /** Whether the web host would let this page in; false as well when it refuses, throws when it does not answer. */
  letIn(): Promise<boolean>
}

const firstDelay = 250
const longestDelay = 5_000

/** The web host: a WebSocket, opened again after each loss with growing delays, until the web host refuses the page. */
export function connectSocket(link: ReplaceableLink, entry: WebEntry): void {
  let failures = 0

  const tryOpen = async (): Promise<void> => {
    const allowed = await entry.letIn().catch(() => null)
    if (allowed === false) return link.change('unauthorized')
    if (allowed === null) return tryLater()
    const socket = entry.openSocket()
    socket.addEventListener('open', () => {
      failures = 0
      link.change('open', new LinkWebsocketClient({ websocket: forgiving(socket) }))
    })
    socket.addEventListener('close', tryLater)
  }

  const tryLater = (): void => {
    link.change('lost')
    // Full jitter on the upper half: several windows don't come back in one beat.
    const delay = Math.min(longestDelay, firstDelay * 2 ** failures) * (0.5 + Math.random() / 2)
    failures++
    setTimeout(tryOpen, delay)
  }

  void tryOpen()
}

/**
 * oRPC throws when the socket is closing, also out of an abort that nobody awaits. A browser drops what is sent then, and
 * the 'close' that follows ends whatever waits for an answer.
 */
function forgiving(socket: WebSocket): ConstructorParameters<typeof LinkWebsocketClient>[0]['websocket'] {
  return {
    readyState: WebSocket.OPEN,
    send: (data) => socket.send(data),
    addEventListener: socket.addEventListener.bind(socket),
    removeEventListener: socket.removeEventListener.bind(socket),
  }
}

/** Binary frames as bytes, on our own origin. */
export function openPageSocket(page: Window): WebSocket {
  const socket = new WebSocket(`ws://${page.location.host}/rpc`)
  socket.binaryType = 'arraybuffer'
  return socket
}
