import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** One connection of a client. `P` is the server's own record of a running request. */
export interface ClientConnection<P = unknown> {
  /** When the connection was opened, as `performance.now()` (ms). */
  readonly since: number
  /** Number of requests received on the connection, without discarded ones. */
  requests: number
  /** Number of requests without a complete reply. More than one only if the client pipelines. */
  open: number
  /** The last request that the local API relayed, running or ended. */
  proxiedRequest: P | null
  /** Whether the connection closes after the current reply. Later requests are discarded. */
  closing: boolean
  /** Number of requests discarded since `closing` became true. */
  dropped: number
  /** Whether the connection has sent a valid request. Until then it counts as a stranger. */
  proven: boolean
}

export interface ConnectionBounds {
  /** Maximum number of open connections of one server, which listens on one address. Node closes further ones. */
  most: number
  /** Maximum number of connections without a valid request. A new one evicts the oldest. */
  strangers: number
  /** A stranger younger than this (ms) is not evicted, because its first bytes may be in transit. */
  graceMs: number
}

/** Number of requests discarded after the last reply. One more destroys the connection. */
const maxDropped = 64

/** All connections of a server. New strangers evict the oldest ones, so that they can't block proven clients. */
export class ClientConnections<P = unknown> {
  readonly #all = new WeakMap<Socket, ClientConnection<P>>()
  /** Least recently active first, because a Map preserves the order of insertion. */
  readonly #strangers = new Map<Socket, ClientConnection<P>>()
  readonly #bounds: ConnectionBounds
  readonly #evict: (socket: Socket) => void

  constructor(bounds: ConnectionBounds, evict: (socket: Socket) => void) {
    this.#bounds = bounds
    this.#evict = evict
  }

  /** Call when a connection is opened. */
  opened(socket: Socket): void {
    const now = performance.now()
    const connection: ClientConnection<P> = {
      since: now,
      requests: 0,
      open: 0,
      proxiedRequest: null,
      closing: false,
      dropped: 0,
      proven: false,
    }
    this.#all.set(socket, connection)
    this.#strangers.set(socket, connection)
    socket.once('close', () => this.#strangers.delete(socket))
    for (const [oldest, { since }] of this.#strangers) {
      if (this.#strangers.size <= this.#bounds.strangers || now - since < this.#bounds.graceMs) break
      this.#strangers.delete(oldest)
      this.#evict(oldest)
    }
  }

  /** Returns the connection of a socket, or undefined when the socket was not passed to `opened`. */
  of(socket: Duplex): ClientConnection<P> | undefined {
    return socket instanceof Socket ? this.#all.get(socket) : undefined
  }

  /** Returns the connection of a request that may get a reply. If the connection is closing, discards the request and returns null. */
  take(request: IncomingMessage): ClientConnection<P> | null {
    const connection = this.#all.get(request.socket)
    if (connection && !connection.closing) return connection
    request.resume()
    if (!connection) request.socket.destroy()
    else {
      connection.dropped += 1
      if (connection.dropped > maxDropped) request.socket.destroy()
    }
    return null
  }

  /** Call when the server itself answers a request instead of relaying it. */
  replying(connection: ClientConnection<P>, response: ServerResponse): void {
    connection.open += 1
    connection.requests += 1
    response.once('close', () => {
      connection.open -= 1
    })
  }

  /** Call when a stranger has sent complete headers. Strangers without complete headers are then evicted first. */
  sentHeaders(socket: Socket, connection: ClientConnection<P>): void {
    if (!this.#strangers.delete(socket)) return
    this.#strangers.set(socket, connection)
  }

  /** Call when a connection has sent a valid request. It is no longer a stranger. */
  proved(socket: Duplex, connection: ClientConnection<P>): void {
    if (connection.proven) return
    connection.proven = true
    if (socket instanceof Socket) this.#strangers.delete(socket)
  }
}
