import { setImmediate as nextTurn } from 'node:timers/promises'
import { unexpected } from '../shared/unexpected.ts'
import { asStoreError, mayPass } from './databaseErrors.ts'

/** Longest slice on this thread, ms. */
export const sliceMs = 4
/** Pages per merge step of an FTS5 index, which takes about 2 ms. */
export const mergePages = 24
/** Slices between two merges. */
const mergeEvery = 8
/** Retry interval after the database rejected a write, ms. */
const retryMs = 1000

export interface IndexingSteps {
  /** What is logged when the database rejects a write, such as "The search index could not be written". */
  failure: string
  /** Forgets what was read, because it may have changed. Called before the first slice after each wake. */
  begin(): void
  /** Works for about `sliceMs`, in one transaction. False when nothing was left. */
  slice(): boolean
  /** Merges about `mergePages` pages of the index. False when nothing was left. */
  merge(): boolean
  /** Moves writes from the write-ahead log into the database, on another thread. */
  checkpoint(): Promise<unknown>
  /** Called when no slice is left. Ends early once `isClosed` returns true. */
  finish?(isClosed: () => boolean): Promise<void>
}

/** Updates a full-text index in the background, a few milliseconds at a time, and merges it in between. */
export class SlicedIndexing {
  readonly #steps: IndexingSteps
  #work: Promise<void> | null = null
  #again = false
  #closed = false
  #retry: NodeJS.Timeout | null = null

  constructor(steps: IndexingSteps) {
    this.#steps = steps
  }

  /** Whether there was a wake since the last `begin`, so that what was read may have changed. */
  get isOutdated(): boolean {
    return this.#again
  }

  /** Call when there may be something to index. */
  wake(): void {
    this.#again = true
    if (this.#closed) return
    this.#work ??= this.#run().catch((thrown: unknown) => {
      unexpected(this.#steps.failure, asStoreError(thrown))
      // Retries after a delay, because there may be no later change to trigger another attempt.
      if (mayPass(thrown) && !this.#closed) this.#retry ??= setTimeout(() => this.#wakeAgain(), retryMs).unref()
    })
  }

  #wakeAgain(): void {
    this.#retry = null
    this.wake()
  }

  /** Resolves when nothing is left to index. */
  async settled(): Promise<void> {
    this.wake()
    await this.#work
  }

  /** Resolves with true when nothing is left to index, or with false after `ms`. */
  async settledWithin(ms: number): Promise<boolean> {
    this.wake()
    if (!this.#work) return true
    const { promise, resolve } = Promise.withResolvers<false>()
    const timer = setTimeout(() => resolve(false), ms)
    const done = await Promise.race([this.#work.then(() => true), promise])
    clearTimeout(timer)
    return done
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#retry) clearTimeout(this.#retry)
    await this.#work
  }

  async #run(): Promise<void> {
    const steps = this.#steps
    try {
      while (this.#again && !this.#closed) {
        this.#again = false
        steps.begin()
        for (let slice = 1; !this.#closed && steps.slice(); slice += 1) {
          await nextTurn()
          if (slice % mergeEvery !== 0) continue
          await steps.checkpoint()
          await this.#merge()
        }
        await this.#merge()
        await steps.finish?.(() => this.#closed)
      }
    } finally {
      this.#work = null
    }
  }

  async #merge(): Promise<void> {
    while (!this.#closed && this.#steps.merge()) await nextTurn()
  }
}
