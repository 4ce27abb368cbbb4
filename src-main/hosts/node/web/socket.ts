import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AnyRouter } from '@orpc/server'
import { RPCHandler } from '@orpc/server/ws'
import { type MessageEvent, WebSocket, WebSocketServer } from 'ws'
import { type CallBounds, marksStreams, PageCalls, usualCallBounds } from '../../calls.ts'

/** Maximum size of a message, bytes. A text of a million characters fits, escaped and in UTF-8. */
const maxMessage = 8 * 1024 * 1024
/** While more bytes than this wait for a page, none of its calls starts. */
const softLimit = 1024 * 1024
/** A page is disconnected when more bytes than this wait for it. Replies of running calls can exceed `softLimit`. */
const hardLimit = 64 * 1024 * 1024
const maxPages = 64
const closeGoingAway = 1001
const closePolicy = 1008

/**
 * A WebSocket whose `send` settles when the bytes have left this process.
 * oRPC awaits `send` between two events of a stream. A slow page therefore slows the streams of the core, which merge
 * events, instead of filling a queue here. `setImmediate` lets other work run between the events of a busy stream.
 * `PageCalls` delays single calls.
 */
export class PacedSocket extends WebSocket {
  override send(data: Parameters<WebSocket['send']>[0]): Promise<void> {
    if (this.bufferedAmount > hardLimit) this.terminate()
    return new Promise((resolve) => super.send(data, () => setImmediate(resolve)))
  }
}

/** The WebSocket connections of all pages. */
export interface PageSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Sums over all pages: running calls, open streams, waiting messages, bytes waiting to be sent. */
  counts(): { running: number; streams: number; waiting: number; bytes: number }
  /** Closes all connections with 1001 and waits at most 500 ms. */
  stop(): Promise<void>
}

/** The listener type of oRPC's handler. */
type Listener = (event: never) => unknown

/** Serves the procedures of `router`, one connection per page. The caller has authenticated the request. */
export function createPageSockets(
  router: AnyRouter,
  keepAliveMs = 30_000,
  bounds: CallBounds = usualCallBounds,
): PageSockets {
  const handler = new RPCHandler(router, { interceptors: [marksStreams] })
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessage,
    perMessageDeflate: false,
    clientTracking: true,
    WebSocket: PacedSocket,
  })
  const answered = new WeakSet<PacedSocket>()
  const calls = new Map<PacedSocket, PageCalls<MessageEvent>>()

  const keepAlive = setInterval(() => {
    for (const page of server.clients) {
      // The server reads no pong while it pauses a page. A missing pong is tolerated only while the page reads its replies.
      const isHeld = page.isPaused && page.bufferedAmount < softLimit
      if (!answered.delete(page) && !isHeld) page.terminate()
      else page.ping()
    }
  }, keepAliveMs)
  keepAlive.unref()

  function serve(page: PacedSocket): void {
    let answer: (event: MessageEvent) => unknown = () => undefined
    const own = new PageCalls<MessageEvent>(bounds, {
      run: async (event) => void (await answer(event)),
      mayAnswer: () => page.bufferedAmount < softLimit,
      hold: (holds) => (holds ? page.pause() : page.resume()),
      tooManyStreams: () => page.close(closePolicy, 'Too many open streams'),
    })
    calls.set(page, own)
    page.on('close', () => {
      own.close()
      calls.delete(page)
    })
    page.addEventListener('message', (event) => own.push(event))
    const addEventListener = (type: string, listener: Listener): void => {
      if (type === 'message') answer = listener as typeof answer
      else page.addEventListener(type as 'close', listener as () => void)
    }
    // oRPC awaits `send`, although its type says otherwise.
    const send: (data: Parameters<WebSocket['send']>[0]) => unknown = async (data) => {
      await page.send(data)
      own.pump()
    }
    void handler.upgrade({ addEventListener, send } as Parameters<typeof handler.upgrade>[0])
  }

  return {
    upgrade(request, socket, head) {
      if (server.clients.size >= maxPages) {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
        return
      }
      server.handleUpgrade(request, socket, head, (page) => {
        answered.add(page)
        page.on('pong', () => answered.add(page))
        // 'close' follows every 'error' and ends the calls of the page.
        page.on('error', () => page.terminate())
        serve(page)
      })
    },

    counts() {
      const sum = { running: 0, streams: 0, waiting: 0, bytes: 0 }
      for (const [page, own] of calls) {
        const { running, streams, waiting } = own.counts()
        sum.running += running
        sum.streams += streams
        sum.waiting += waiting
        sum.bytes += page.bufferedAmount
      }
      return sum
    },

    async stop() {
      clearInterval(keepAlive)
      const open = [...server.clients]
      const closed = open.map((page) => new Promise((resolve) => page.once('close', resolve)))
      for (const page of open) {
        // A paused socket would not read the closing handshake.
        page.resume()
        page.close(closeGoingAway, 'Inference Studio is closing')
      }
      const deadline = setTimeout(() => {
        for (const page of open) page.terminate()
      }, 500)
      await Promise.all(closed)
      clearTimeout(deadline)
      server.close()
    },
  }
}
