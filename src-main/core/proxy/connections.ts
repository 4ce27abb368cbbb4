import type { Socket } from 'node:net'
import type { Passage } from './passage.ts'

/** One connection of a tool's. */
export interface Connection {
  readonly since: number
  /** Requests that came on it. */
  requests: number
  /** Requests whose answer has not been given yet. More than one only where a client pipelines. */
  open: number
  /** The request that was let through last, under way or over. */
  passage: Passage | null
  /** Nothing more is taken from it: it ends with an answer that is on its way. */
  closing: boolean
  /** Requests that came after that. */
  dropped: number
  /** Whether a request of it was ever let through. */
  proven: boolean
}

export interface ConnectionBounds {
  /** On each address; more are hung up on. */
  most: number
  /** Connections without a good request yet; the oldest makes room for a newer one. */
  strangers: number
  /** A stranger younger than this (ms) is not pushed out: its first bytes may be on their way. */
  graceMs: number
}

/** Who is connected. Strangers that fill the place are pushed out by newer ones, so that tools with a key always get in. */
export class Connections {
  readonly #all = new WeakMap<Socket, Connection>()
  /** Oldest first: a Map keeps the order in which they came. */
  readonly #strangers = new Map<Socket, Connection>()
  readonly #bounds: ConnectionBounds
  readonly #pushedOut: (socket: Socket) => void

  constructor(bounds: ConnectionBounds, pushedOut: (socket: Socket) => void) {
    this.#bounds = bounds
    this.#pushedOut = pushedOut
  }

  opened(socket: Socket): void {
    const now = performance.now()
    const connection: Connection = {
      since: now,
      requests: 0,
      open: 0,
      passage: null,
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

  of(socket: Socket): Connection | undefined {
    return this.#all.get(socket)
  }

  /** It brought a good key: from now on it is no stranger. */
  proved(socket: Socket, connection: Connection): void {
    if (connection.proven) return
    connection.proven = true
    this.#strangers.delete(socket)
  }
}
