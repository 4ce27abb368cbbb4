import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AnyRouter } from '@orpc/server'
import { RPCHandler } from '@orpc/server/ws'
import { WebSocket, WebSocketServer } from 'ws'

/** Bytes. A message of a million characters, escaped and in UTF-8, fits. */
const maxMessage = 8 * 1024 * 1024
/** Bytes waiting for a page above which it is taken for dead: replies of single calls are not held back. */
const hardLimit = 64 * 1024 * 1024
const maxPages = 64
const closeGoingAway = 1001

/**
 * A WebSocket whose `send` settles when the bytes left this process, or with the error of a socket that is closing (a
 * stream then ends through its abort signal). oRPC awaits it between two events of a stream, so a slow page is a slow
 * reader of the core's streams (which coalesce for one) and not a growing queue here. The turn of the loop in between
 * keeps a stream that never waits from shutting everybody else out.
 */
export class PacedSocket extends WebSocket {
  override send(data: Parameters<WebSocket['send']>[0]): Promise<void> {
    if (this.bufferedAmount > hardLimit) this.terminate()
    return new Promise((resolve) => super.send(data, () => setImmediate(resolve)))
  }
}

export interface PageSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Tells each page that this end goes away, and waits until all are closed, 500 ms at most. */
  stop(): Promise<void>
}

/** The procedures of `router`, one connection a page. The caller has checked who asks. */
export function createPageSockets(router: AnyRouter, keepAliveMs = 30_000): PageSockets {
  const handler = new RPCHandler(router)
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessage,
    perMessageDeflate: false,
    clientTracking: true,
    WebSocket: PacedSocket,
  })
  const answered = new WeakSet<PacedSocket>()

  const keepAlive = setInterval(() => {
    for (const page of server.clients) {
      if (!answered.delete(page)) page.terminate()
      else page.ping()
    }
  }, keepAliveMs)
  keepAlive.unref()

  return {
    upgrade(request, socket, head) {
      if (server.clients.size >= maxPages) {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
        return
      }
      server.handleUpgrade(request, socket, head, (page) => {
        answered.add(page)
        page.on('pong', () => answered.add(page))
        // 'close' follows every 'error', and ends what the page had open.
        page.on('error', () => page.terminate())
        void handler.upgrade(page)
      })
    },

    async stop() {
      clearInterval(keepAlive)
      const open = [...server.clients]
      const closed = open.map((page) => new Promise((resolve) => page.once('close', resolve)))
      for (const page of open) page.close(closeGoingAway, 'Inference Studio is closing')
      const deadline = setTimeout(() => {
        for (const page of open) page.terminate()
      }, 500)
      await Promise.all(closed)
      clearTimeout(deadline)
      server.close()
    },
  }
}
