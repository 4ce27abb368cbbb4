import { setTimeout as sleep } from 'node:timers/promises'
import { StudioError } from '../errors.ts'
import { unexpected } from '../shared/unexpected.ts'
import type { Database } from './database.ts'
import { asStoreError, mayPass } from './databaseErrors.ts'

const firstRetryMs = 100
const longestRetryMs = 2000
/** Limit of waiting writes with different keys. Beyond it, the oldest is dropped and reported. */
const mostPending = 10_000

interface Write {
  what: string
  run(): void
}

/**
 * Background writes of one database, for callers that can't wait: in a timer, a listener, or in the middle of a stream. A write that fails
 * temporarily (locked, disk full) waits here and is retried in order, with a growing pause. A newer write replaces a waiting write with the
 * same key. A key must therefore identify a row or a value that is written completely.
 */
export class PendingWrites {
  #waiting = new Map<string, Write>()
  #timer: NodeJS.Timeout | null = null
  #pause = firstRetryMs
  #isFlushing = false
  #closed = false
  readonly #isWithin: () => boolean

  /** @param isWithin whether a transaction of this connection is open: a write would be rolled back with it */
  constructor(isWithin: () => boolean) {
    this.#isWithin = isWithin
  }

  /**
   * Runs `run` now, or after the writes that wait already. Never throws. A failure that a retry cannot fix is reported and dropped.
   * @param what what is written, such as "The last use of an app key"
   */
  write(key: string, what: string, run: () => void): void {
    this.#waiting.set(key, { what, run })
    if (this.#waiting.size > mostPending) {
      const [oldest = key] = this.#waiting.keys()
      this.#waiting.delete(oldest)
      unexpected(what, new StudioError('database_locked', 'Too many writes are waiting, so the oldest was dropped.'))
    }
    if (this.#timer !== null) return
    if (this.#isWithin()) this.#later(0)
    else this.flush()
  }

  /** Tries the waiting writes now. True when none is left. Does nothing within a transaction. */
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

  /** Resolves to true when no write is left, or to false after `withinMs`. */
  async settled(withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs
    while (!this.flush()) {
      if (performance.now() >= until) return false
      await sleep(firstRetryMs)
    }
    return true
  }

  /**
   * Returns the database for direct writes. It performs the waiting writes first, because they are older. Closing it tries them once more and
   * then ends the retries.
   */
  before(database: Database): Database {
    const first =
      (write: Database['transaction']): Database['transaction'] =>
      (work) => {
        if (this.#waiting.size > 0) this.flush()
        return write(work)
      }
    const close = (): void => {
      try {
        this.close()
      } finally {
        database.close()
      }
    }
    return { ...database, transaction: first(database.transaction), journal: first(database.journal), close }
  }

  #flush(): boolean {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    let left = mostPending
    // Also visits what a write adds.
    for (const [key, { what, run }] of this.#waiting) {
      if (left === 0) {
        this.#later(0)
        return false
      }
      left -= 1
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
      const newer = this.#waiting.get(key)
      this.#waiting.delete(key)
      // The write has caused a newer one with the same key, which follows what waits already.
      if (newer && newer.run !== run) this.#waiting.set(key, newer)
    }
    this.#pause = firstRetryMs
    return true
  }

  /** Tries the waiting writes once more, then drops and reports the remaining ones. */
  close(): void {
    if (!this.flush()) {
      for (const { what } of this.#waiting.values()) {
        unexpected(`${what} was not written`, new StudioError('database_locked', 'The program ended first.'))
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
 * Runs a write until it succeeds, for a task that must not continue without it. Only the task waits.
 * @param what what is written, such as "The end of a speech"
 * @param signal ends the retries: then the next failure is thrown
 * @throws what a retry cannot fix, and the last failure once the signal is aborted
 */
export async function untilWritten<T>(what: string, run: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let pause = firstRetryMs; ; pause = Math.min(pause * 2, longestRetryMs)) {
    try {
      return await run()
    } catch (thrown) {
      if (!mayPass(thrown) || signal?.aborted) throw thrown
      unexpected(`${what} could not be written and will be retried`, asStoreError(thrown))
    }
    await sleep(pause, undefined, signal ? { signal } : {}).catch(() => undefined)
  }
}
