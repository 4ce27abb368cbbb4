import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** One connection of a client. `P` is what its server knows of a request under way. */
export interface ClientConnection<P = unknown> {
  readonly since: number
  /** Requests that came on it. */
  requests: number
  /** Requests whose answer has not been given yet. More than one only where a client pipelines. */
  open: number
  /** The request that was let through last, under way or over. */
  proxiedRequest: P | null
  /** Nothing more is taken from it: it ends with an answer that is on its way. */
  closing: boolean
  /** Requests that came after that. */
  dropped: number
  /** Whether it has shown that it may be here: a stranger no more. */
  proven: boolean
}

export interface ConnectionBounds {
  /** On each address; more are hung up on. */
  most: number
  /** Connections that have not proven themselves yet; the oldest makes room for a newer one. */
  strangers: number
  /** A stranger younger than this (ms) is not pushed out: its first bytes may be on their way. */
  graceMs: number
}

/** How many requests that come after a connection's last answer are read past before it is cut. */
const mostDropped = 64

/** Who is connected. Strangers that fill the place are pushed out by newer ones, so that proven clients always get in. */
export class ClientConnections<P = unknown> {
  readonly #all = new WeakMap<Socket, ClientConnection<P>>()
  /** The one that has done nothing for longest first: a Map keeps the order in which they were put in. */
  readonly #strangers = new Map<Socket, ClientConnection<P>>()
  readonly #bounds: ConnectionBounds
  readonly #pushedOut: (socket: Socket) => void

  constructor(bounds: ConnectionBounds, pushedOut: (socket: Socket) => void) {
    this.#bounds = bounds
    this.#pushedOut = pushedOut
  }

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
      this.#pushedOut(oldest)
    }
  }

  /** Undefined for one that was not opened here. */
  of(socket: Duplex): ClientConnection<P> | undefined {
    return socket instanceof Socket ? this.#all.get(socket) : undefined
  }

  /** The connection of a request that may be answered. Null where its connection ends already: what follows is read past, and not looked at. */
  take(request: IncomingMessage): ClientConnection<P> | null {
    const connection = this.#all.get(request.socket)
    if (connection && !connection.closing) return connection
    request.resume()
    if (!connection) request.socket.destroy()
    else {
      connection.dropped += 1
      if (connection.dropped > mostDropped) request.socket.destroy()
    }
    return null
  }

  /** A request is to be answered with this response. */
  answers(connection: ClientConnection<P>, response: ServerResponse): void {
    connection.open += 1
    connection.requests += 1
    response.once('close', () => {
      connection.open -= 1
    })
  }

  /** A stranger sent a whole head: those that sent none are pushed out before it. */
  movedOn(socket: Socket, connection: ClientConnection<P>): void {
    if (!this.#strangers.delete(socket)) return
    this.#strangers.set(socket, connection)
  }

  /** It showed that it may be here: from now on it is no stranger. */
  proved(socket: Duplex, connection: ClientConnection<P>): void {
    if (connection.proven) return
    connection.proven = true
    if (socket instanceof Socket) this.#strangers.delete(socket)
  }
}
