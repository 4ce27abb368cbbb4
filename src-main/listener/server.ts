import { createServer, type Server, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientConnections, ConnectionBounds } from './connections.ts'

/** Bounds of a server: ms, bytes and counts. */
export interface ServerBounds extends ConnectionBounds {
  /** From the start of a connection, or of its next request, to the end of the headers. */
  headersMs: number
  /** The same to the end of the request, at least `headersMs`. 0 for servers with uploads of any length, which must watch them (`stall.ts`). */
  requestMs: number
  keepAliveMs: number
  maxHeaderBytes: number
  /** 0 means no limit. */
  requestsPerSocket: number
}

/** How often connections with incomplete headers are checked, ms. A timeout is at most this late. */
const checkMs = 1000

/** Creates a server of node:http with these bounds, whose connections are registered in `connections`. */
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
