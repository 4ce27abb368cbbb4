import { setTimeout as sleep } from 'node:timers/promises'
import { StudioError } from '../errors.ts'
import { unexpected } from '../shared/unexpected.ts'
import { asStoreError, type Database, mayPass } from './database.ts'

const firstRetryMs = 100
const longestRetryMs = 2000
/** Writes of different keys that wait at most; beyond that the oldest is lost, and reported. */
const mostPending = 10_000

interface Write {
  what: string
  run(): void
}

/**
 * Background writes of one database, for callers that can't wait: in a timer, a listener, or in the middle of a stream. A write that
 * the database refuses for now (locked, disk full) waits here and is tried again, in order and with a growing pause. A newer write
 * with the same key takes the place of one that waits, so a key stands for a row or a value that is written whole.
 */
export class PendingWrites {
  #waiting = new Map<string, Write>()
  #timer: NodeJS.Timeout | null = null
  #pause = firstRetryMs
  #isFlushing = false
  #closed = false
  readonly #isWithin: () => boolean

  /** @param isWithin whether a transaction of this connection is under way: what is written then would go with its rollback */
  constructor(isWithin: () => boolean) {
    this.#isWithin = isWithin
  }

  /** Writes that wait. */
  get size(): number {
    return this.#waiting.size
  }

  /**
   * Runs `run` now where nothing waits, else after what waits. Never throws; a failure that no retry mends is reported and dropped.
   * @param what is written, such as "The last use of an app key"
   */
  write(key: string, what: string, run: () => void): void {
    this.#waiting.set(key, { what, run })
    if (this.#waiting.size > mostPending) {
      const [oldest = key] = this.#waiting.keys()
      this.#waiting.delete(oldest)
      unexpected(what, new StudioError('database_locked', 'Too many writes wait; the oldest was given up.'))
    }
    if (this.#timer !== null) return
    if (this.#isWithin()) this.#later(0)
    else this.flush()
  }

  /** A write that is no longer wanted. */
  drop(key: string): void {
    this.#waiting.delete(key)
  }

  /** Tries what waits, now. True when nothing is left. Does nothing within a transaction. */
  flush(): boolean {
    if (this.#waiting.size === 0) return true
    if (this.#isFlushing || this.#isWithin()) return false
    this.#isFlushing = true
    try {
      return this.#flush()
    } finally {
      this.#isFlushing = false
    }
  }

  /** Resolves when nothing is left, or after so many ms; then false. */
  async settled(withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs
    while (!this.flush()) {
      if (performance.now() >= until) return false
      await sleep(firstRetryMs)
    }
    return true
  }

  /** The same database for whoever waits for a write: what waits here is older and goes first. */
  before(database: Database): Database {
    const first =
      (write: Database['transaction']): Database['transaction'] =>
      (work) => {
        if (this.#waiting.size > 0) this.flush()
        return write(work)
      }
    return { ...database, transaction: first(database.transaction), journal: first(database.journal) }
  }

  #flush(): boolean {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    for (const [key, { what, run }] of [...this.#waiting]) {
      try {
        run()
      } catch (thrown) {
        unexpected(`${what} could not be written`, asStoreError(thrown))
        if (mayPass(thrown)) {
          this.#later(this.#pause)
          this.#pause = Math.min(this.#pause * 2, longestRetryMs)
          return false
        }
      }
      // What it wrote may have brought a newer one.
      if (this.#waiting.get(key)?.run === run) this.#waiting.delete(key)
    }
    this.#pause = firstRetryMs
    return true
  }

  /** Tries once more, then gives up what still waits, and reports that. */
  close(): void {
    if (!this.flush()) {
      for (const { what } of this.#waiting.values()) {
        unexpected(`${what} was not written`, new StudioError('database_locked', 'The program ended before.'))
      }
    }
    this.#closed = true
    this.#waiting.clear()
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #later(ms: number): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.flush()
    }, ms)
    this.#timer.unref()
  }
}

/**
 * Runs a write until the database takes it, for a task that must not go on without: the task waits, and nothing else does.
 * @param what is written, such as "The end of a speech"
 * @param signal ends the waiting: then the next failure is thrown
 * @throws what a retry does not mend, and the last failure once the signal is aborted
 */
export async function untilWritten<T>(what: string, run: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let pause = firstRetryMs; ; pause = Math.min(pause * 2, longestRetryMs)) {
    try {
      return await run()
    } catch (thrown) {
      if (!mayPass(thrown) || signal?.aborted) throw thrown
      unexpected(`${what} could not be written; it is tried again`, asStoreError(thrown))
    }
    await sleep(pause, undefined, signal ? { signal } : {}).catch(() => undefined)
  }
}
