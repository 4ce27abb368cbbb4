import { createServer, type Server, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientConnections, ConnectionBounds } from './connections.ts'

/** Bounds of a server: ms, bytes and counts. */
export interface ServerBounds extends ConnectionBounds {
  /** Maximum time from the start of a connection, or of its next request, to the end of the headers, ms. */
  headersMs: number
  /**
   * Maximum time to the end of the request, ms; at least `headersMs`. 0 means no limit: the server must then find stalled uploads
   * (`stall.ts`).
   */
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
