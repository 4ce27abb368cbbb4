import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** One connection of a client. `P` is the server's own record of a running request. */
export interface ClientConnection<P = unknown> {
  /** When it was opened (performance.now, ms). */
  readonly since: number
  /** Requests received on it. */
  requests: number
  /** Requests without a complete reply. More than one only if the client pipelines. */
  open: number
  /** The last request that was let through, running or ended. */
  proxiedRequest: P | null
  /** Whether it closes after the current reply. Later requests are discarded. */
  closing: boolean
  /** Requests discarded since then. */
  dropped: number
  /** Whether it has sent a valid request. Until then the connection is a stranger. */
  proven: boolean
}

export interface ConnectionBounds {
  /** Connections on each address. The system refuses more. */
  most: number
  /** Connections without a valid request yet. A new one evicts the oldest. */
  strangers: number
  /** A stranger younger than this (ms) is not evicted, because its first bytes may be in transit. */
  graceMs: number
}

/** How many requests after the last reply are discarded before the connection is cut. */
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

  /** Undefined for a socket that was not passed to `opened`. */
  of(socket: Duplex): ClientConnection<P> | undefined {
    return socket instanceof Socket ? this.#all.get(socket) : undefined
  }

  /** The connection of a request that may get a reply. Null if the connection is closing; the request is then discarded. */
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

  /** Call when the server starts a reply of its own. */
  replying(connection: ClientConnection<P>, response: ServerResponse): void {
    connection.open += 1
    connection.requests += 1
    response.once('close', () => {
      connection.open -= 1
    })
  }

  /** Call when a stranger has sent complete headers: strangers without are evicted before it. */
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
