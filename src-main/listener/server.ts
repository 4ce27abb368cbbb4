import { createServer, type Server, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientConnections, ConnectionBounds } from './connections.ts'

/** ms, bytes and counts. */
export interface ServerBounds extends ConnectionBounds {
  /** From the first moment of a connection, or of its next request, to the end of a head. */
  headersMs: number
  /** The same to the end of a request, at least `headersMs`; 0 for servers that take uploads of any length, which then have to watch them (`stall.ts`). */
  requestMs: number
  keepAliveMs: number
  maxHeaderBytes: number
  /** 0 means any. */
  requestsPerSocket: number
}

/** How often connections are looked at that have not sent their head in time: what is late is at most that much later. */
const checkMs = 1000

/** A server of node:http within these bounds, its connections known to `connections`. More `options` as node:http takes them. */
export function boundedServer<P>(
  bounds: ServerBounds,
  connections: ClientConnections<P>,
  options: ServerOptions = {},
): Server {
  const { headersMs, requestMs, keepAliveMs, maxHeaderBytes, most, requestsPerSocket } = bounds
  const server = createServer({
    ...options,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.ceil(Math.min(checkMs, headersMs / 4)),
    keepAliveTimeout: keepAliveMs,
    insecureHTTPParser: false,
  })
  server.maxConnections = most
  server.maxRequestsPerSocket = requestsPerSocket
  server.on('connection', (socket: Socket) => connections.opened(socket))
  return server
}
