import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ClientConnections } from '../../../listener/connections.ts'
import { isFromOtherUser } from '../../../listener/peerUser.ts'
import { boundedServer, type ServerBounds } from '../../../listener/server.ts'
import { inBackground, unexpected } from '../../shared/unexpected.ts'

/**
 * Headers of a document that the person opens in a tab. Without `allow-same-origin` it has an opaque origin: no cookies, no storage, no access
 * to the origin that serves it, also not to a copy of it in another tab.
 */
export const pageHeaders = {
  'Content-Security-Policy': 'sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads',
  'Permissions-Policy': 'microphone=(), camera=(), geolocation=(), payment=(), usb=(), display-capture=()',
  'Content-Type': 'text/html; charset=utf-8',
}

const host = '127.0.0.1'
/** Programs that only hold connections open are disconnected when others come, so the browser always gets through. */
const bounds: ServerBounds = {
  ...{ most: 256, strangers: 32, graceMs: 250 },
  ...{ headersMs: 5000, requestMs: 10_000, keepAliveMs: 1000, maxHeaderBytes: 16_384, requestsPerSocket: 1 },
}

/** A page that waits for the browser. */
export interface WaitingPage {
  /** Address for the browser, unpredictable. */
  readonly url: string
  /** Resolves when the browser has the page. */
  readonly taken: Promise<void>
  /** Stops listening. */
  close(): void
}

/**
 * Serves a page once, on a port of its own of 127.0.0.1. The address is in the command line of the browser, which every user of this computer
 * can read: on Linux only a browser of the same user gets the page.
 */
export async function serveOnce(html: string): Promise<WaitingPage> {
  const path = `/${randomBytes(32).toString('hex')}`
  const { promise: taken, resolve } = Promise.withResolvers<void>()
  let isTaken = false
  let own = ''

  const receive = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    // Another name for this computer would mean that a page of another site asks (DNS rebinding).
    if (request.headers.host !== own) return refuse(reply, 421, 'Nothing is here.')
    if (request.url !== path || isTaken) return refuse(reply, 404, 'Nothing is here.')
    if (request.method !== 'GET') return refuse(reply, 405, 'Only GET is accepted here.')
    // Images, frames and scripts of other sites cannot use it up.
    const use = request.headers['sec-fetch-dest']
    if (use !== undefined && use !== 'document') return refuse(reply, 403, 'This page opens in a tab only.')
    if (await isFromOtherUser(request.socket))
      return refuse(reply, 403, 'Inference Studio runs as another user of this computer.')
    if (isTaken) return refuse(reply, 404, 'Nothing is here.')
    isTaken = true
    reply.once('close', resolve)
    reply.writeHead(200, { ...headers, ...pageHeaders }).end(html)
  }
  const connections = new ClientConnections(bounds, (socket) => socket.destroy())
  const server = boundedServer(bounds, connections)
  server.on('request', (request, reply) => inBackground('A page could not be served', receive(request, reply)))
  server.listen({ host, port: 0, exclusive: true })
  await once(server, 'listening')
  // Without a listener, a connection that can't be accepted (too many open files) would be an uncaught exception.
  server.on('error', (error) => unexpected('A page could not be served', error))
  // No page keeps the program running.
  server.unref()
  own = `${host}:${(server.address() as AddressInfo).port}`
  return {
    taken,
    url: `http://${own}${path}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const headers = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  Connection: 'close',
}

function refuse(reply: ServerResponse, status: number, words: string): void {
  const policy = {
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Content-Type': 'text/plain; charset=utf-8',
  }
  reply.writeHead(status, { ...headers, ...policy }).end(`${words}\n`)
}
