import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AnyRouter } from '@orpc/server'
import { RPCHandler } from '@orpc/server/ws'
import { type MessageEvent, WebSocket, WebSocketServer } from 'ws'
import { type CallBounds, marksStreams, PageCalls, usualCallBounds } from '../../calls.ts'

/** Bytes. A message of a million characters, escaped and in UTF-8, fits. */
const maxMessage = 8 * 1024 * 1024
/** Bytes waiting for a page above which none of its calls begins. */
const softLimit = 1024 * 1024
/** Bytes waiting for a page above which it is taken for dead: the answers of calls that run already are not held back. */
const hardLimit = 64 * 1024 * 1024
const maxPages = 64
const closeGoingAway = 1001
const closePolicy = 1008

/**
 * A WebSocket whose `send` settles when the bytes left this process, or with the error of a socket that is closing (a
 * stream then ends through its abort signal). oRPC awaits it between two events of a stream, so a slow page is a slow
 * reader of the core's streams (which coalesce for one) and not a growing queue here. The turn of the loop in between
 * keeps a stream that never waits from shutting everybody else out. Single calls are held back by `PageCalls`.
 */
export class PacedSocket extends WebSocket {
  override send(data: Parameters<WebSocket['send']>[0]): Promise<void> {
    if (this.bufferedAmount > hardLimit) this.terminate()
    return new Promise((resolve) => super.send(data, () => setImmediate(resolve)))
  }
}

export interface PageSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Of all pages: calls and streams that run, messages that wait to be carried out, bytes that wait to be sent. */
  counts(): { running: number; streams: number; waiting: number; bytes: number }
  /** Tells each page that this end goes away, and waits until all are closed, 500 ms at most. */
  stop(): Promise<void>
}

/** What oRPC's handler asks of a socket. */
type Listener = (event: never) => unknown

/** The procedures of `router`, one connection a page. The caller has checked who asks. */
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
      // Its pong is not read while calls wait for others of its own. One that does not read its answers has no such excuse.
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
    // oRPC awaits it, which its type does not say.
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
        // 'close' follows every 'error', and ends what the page had open.
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
        // Its own closing is to be read.
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
