import type { IncomingMessage, ServerResponse } from 'node:http'

/** How long a tool's connection may stand still (ms) before it is cut and its slot freed. */
export interface StallTimes {
  /** An upload of which nothing more comes, although we are ready to read. One that moves may take as long as it wants. */
  uploadMs: number
  /** A reply that waits while the system takes none of it, because the tool reads nothing. */
  readMs: number
}

type Stall = 'upload' | 'reading'

/** A request under way, with what was seen of it last. */
export interface Watched {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** True while the tool waits for our 100 Continue: that it sends nothing is then as it should be. */
  readonly holdsBack: boolean
  readonly marks: Marks
}

export interface Marks {
  received: number
  receivedAt: number
  drained: number
  drainedAt: number
}

const longestTickMs = 1000

/**
 * Finds connections that stand still, with one coarse timer for all of them: a chunk costs nothing, a request costs two calls.
 * What is found is up to a tick late.
 *
 * The system's own buffers hide a reader from us: on Linux a socket takes more only when a third of its buffer (up to 4 MB) is
 * free again. With them full, the slowest pace that is still seen as reading within 60 s is about 20 KB/s.
 */
export class StallWatch<T extends Watched> {
  readonly #times: StallTimes
  readonly #stalled: (watched: T, what: Stall) => void
  readonly #live: Iterable<T> & { readonly size: number }
  #timer: NodeJS.Timeout | null = null
  readonly #tickMs: number
  /** Runs with the ticks: time in which the program itself stood still (a machine asleep) is nobody's stall. */
  #now = 0
  #tickedAt = 0

  /** @param live the requests under way; read at each tick */
  constructor(
    live: Iterable<T> & { readonly size: number },
    times: StallTimes,
    stalled: (watched: T, what: Stall) => void,
  ) {
    this.#live = live
    this.#times = times
    this.#tickMs = Math.min(longestTickMs, times.uploadMs / 4, times.readMs / 4)
    this.#stalled = stalled
  }

  /** Where a request starts from; the timer runs as long as any is under way. */
  begin(): Marks {
    if (this.#timer === null) {
      this.#tickedAt = performance.now()
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
    this.#now += Math.min(at - this.#tickedAt, 2 * this.#tickMs)
    this.#tickedAt = at
    for (const watched of this.#live) {
      const what = this.#look(watched)
      if (what) this.#stalled(watched, what)
    }
  }

  #look({ request, response, holdsBack, marks }: Watched): Stall | null {
    const { socket } = request
    // Bytes that have come and wait here are our side's slowness (the service, the queue), never the tool's.
    const moving = request.complete || holdsBack || request.readableLength > 0 || socket.bytesRead !== marks.received
    if (moving) {
      marks.received = socket.bytesRead
      marks.receivedAt = this.#now
    } else if (this.#now - marks.receivedAt >= this.#times.uploadMs) return 'upload'
    // A reply without its socket waits behind an earlier one of the same connection, which is watched itself.
    const waiting = response.socket === null ? 0 : response.writableLength
    const drained = waiting === 0 ? -1 : socket.bytesWritten - socket.writableLength
    if (waiting === 0 || drained !== marks.drained) {
      marks.drained = drained
      marks.drainedAt = this.#now
    } else if (this.#now - marks.drainedAt >= this.#times.readMs) return 'reading'
    return null
  }
}
