import { LinkWebsocketClient } from '@orpc/client/websocket'
import type { ReplaceableLink } from './link.ts'

/** How a page reaches the web host. */
export interface WebEntry {
  openSocket(): WebSocket
  /**
   * Whether the web host accepts this page.
   * @throws when the web host does not answer
   */
  letIn(): Promise<boolean>
}

const firstDelay = 250
const longestDelay = 5_000

/** Web host: connects through a WebSocket. Reconnects after each loss with growing delays, until the web host refuses the page. */
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
    // Jitter between half and the full delay, so that several windows do not reconnect at the same moment.
    const delay = Math.min(longestDelay, firstDelay * 2 ** failures) * (0.5 + Math.random() / 2)
    failures++
    setTimeout(() => void tryOpen(), delay)
  }

  void tryOpen()
}

/**
 * oRPC throws when the socket is closing, also inside an abort handler that nobody awaits. A browser drops data sent at that moment, and
 * the 'close' event that follows ends all pending calls.
 */
function forgiving(socket: WebSocket): ConstructorParameters<typeof LinkWebsocketClient>[0]['websocket'] {
  return {
    readyState: WebSocket.OPEN,
    send: (data) => socket.send(data),
    addEventListener: socket.addEventListener.bind(socket),
    removeEventListener: socket.removeEventListener.bind(socket),
  }
}

/** Opens a WebSocket to the page's own origin, with binary frames as ArrayBuffer. */
export function openPageSocket(page: Window): WebSocket {
  const socket = new WebSocket(`ws://${page.location.host}/rpc`)
  socket.binaryType = 'arraybuffer'
  return socket
}
