import type { IncomingMessage, ServerResponse } from 'node:http'

/** How long a connection may stall before it is cut, ms. */
export interface StallTimes {
  /** Maximum time without a byte of an upload while the server is ready to read, ms. An upload that progresses may take any time. */
  uploadMs: number
  /** Maximum time in which the system accepts no byte of a reply, because the client reads nothing, ms. */
  readMs: number
}

type Stall = 'upload' | 'reading'

/** A running request and its progress at the last tick. */
export interface Watched {
  readonly request: Pick<IncomingMessage, 'socket' | 'complete' | 'readableLength'>
  readonly response: Pick<ServerResponse, 'socket' | 'writableLength'>
  /** Whether the client waits for 100 Continue, so that it must not send its body yet. */
  readonly awaitsContinue: boolean
  readonly marks: Marks
}

/** Byte counters of a request at its last progress, and the time of that progress. */
export interface Marks {
  received: number
  receivedAt: number
  drained: number
  drainedAt: number
}

const longestTickMs = 1000

/**
 * Finds stalled connections with one coarse timer for all of them. A chunk therefore costs nothing, and a request costs two calls.
 * A stall is reported up to one tick late.
 *
 * The system's buffers hide slow readers: on Linux, a full socket accepts more only when a third of its buffer (up to 4 MB) is free again.
 * With a limit of 60 s, a client that reads less than about 20 KB/s is therefore reported as stalled.
 */
export class StallWatch<T extends Watched> {
  readonly #times: StallTimes
  readonly #stalled: (watched: T, stall: Stall) => void
  readonly #live: Iterable<T> & { readonly size: number }
  #timer: NodeJS.Timeout | null = null
  readonly #tickMs: number
  /** A clock that advances with the ticks, so that time in which the program did not run (a sleeping machine) is not counted as a stall. */
  #now = 0
  #lastTickAt = 0

  /** @param live the running requests, read at each tick */
  constructor(
    live: Iterable<T> & { readonly size: number },
    times: StallTimes,
    stalled: (watched: T, stall: Stall) => void,
  ) {
    this.#live = live
    this.#times = times
    this.#tickMs = Math.min(longestTickMs, times.uploadMs / 4, times.readMs / 4)
    this.#stalled = stalled
  }

  /** The initial marks of a request. Starts the timer, which runs while there are requests. */
  begin(): Marks {
    if (this.#timer === null) {
      this.#lastTickAt = performance.now()
      this.#timer = setInterval(this.#tick, this.#tickMs).unref()
    }
    return { received: -1, receivedAt: this.#now, drained: -1, drainedAt: this.#now }
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  readonly #tick = (): void => {
    if (this.#live.size === 0) {
      this.close()
      return
    }
    const at = performance.now()
    this.#now += Math.min(at - this.#lastTickAt, 2 * this.#tickMs)
    this.#lastTickAt = at
    for (const watched of this.#live) {
      const stall = this.#check(watched)
      if (stall) this.#stalled(watched, stall)
    }
  }

  #check({ request, response, awaitsContinue, marks }: Watched): Stall | null {
    const { socket } = request
    // This program, the service or the queue delays received bytes that are still unread here. The client does not.
    const isMoving =
      request.complete || awaitsContinue || request.readableLength > 0 || socket.bytesRead !== marks.received
    if (isMoving) {
      marks.received = socket.bytesRead
      marks.receivedAt = this.#now
    } else if (this.#now - marks.receivedAt >= this.#times.uploadMs) return 'upload'
    // A reply without a socket waits for an earlier reply of the same connection, which is watched too.
    const waiting = response.socket === null ? 0 : response.writableLength
    const drained = waiting === 0 ? -1 : socket.bytesWritten - socket.writableLength
    if (waiting === 0 || drained !== marks.drained) {
      marks.drained = drained
      marks.drainedAt = this.#now
    } else if (this.#now - marks.drainedAt >= this.#times.readMs) return 'reading'
    return null
  }
}
