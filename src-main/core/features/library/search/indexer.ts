import { setImmediate as nextTurn } from 'node:timers/promises'
import { indexable } from '../../../shared/text/splitWords.ts'
import { unexpected } from '../../../shared/unexpected.ts'
import { asStoreError, mayPass } from '../../../store/database.ts'
import type { SearchTable, Unindexed } from '../../../store/search.ts'
import { partOf } from './textParts.ts'

/** ms that one slice may hold the thread, and messages read at once for it. */
const sliceMs = 4
const readAtOnce = 40
/** Pages of one step of merging: some 2 ms. */
const mergePages = 24
/** A merge after so many slices. */
const mergeEvery = 8
/** ms until it is tried again after the database did not take it. */
const againMs = 1000

/** A message whose parts are being written; a long one takes more than one slice. */
interface Current {
  message: Unindexed
  part: number
}

/**
 * Keeps the index up with the messages, a few milliseconds at a time. Each slice is one transaction: words and the mark that they stand there
 * go together, so that a death between loses and doubles nothing (a message of many slices is begun anew: a part replaces itself).
 */
export class Indexer {
  readonly #table: SearchTable
  readonly #foldLog: () => Promise<unknown>
  #work: Promise<void> | null = null
  #again = false
  #closed = false
  #retry: NodeJS.Timeout | null = null
  #queue: Unindexed[] = []
  #current: Current | null = null

  /** `foldLog` moves what was written from the write-ahead log to its place, on another thread. */
  constructor(table: SearchTable, foldLog: () => Promise<unknown>) {
    this.#table = table
    this.#foldLog = foldLog
  }

  /** Some messages may have settled. */
  wake(): void {
    this.#again = true
    if (this.#closed) return
    this.#work ??= this.#run().catch((thrown: unknown) => {
      unexpected('The search index could not be written', asStoreError(thrown))
      // Nobody else may come to wake it.
      if (mayPass(thrown) && !this.#closed) this.#retry ??= setTimeout(() => this.#wakeAgain(), againMs).unref()
    })
  }

  #wakeAgain(): void {
    this.#retry = null
    this.wake()
  }

  /** Resolves when everything that has settled by now stands in the index, or after so many ms; then false. */
  async catchUp(ms: number): Promise<boolean> {
    this.wake()
    if (!this.#work) return true
    const { promise, resolve } = Promise.withResolvers<false>()
    const timer = setTimeout(() => resolve(false), ms)
    const done = await Promise.race([this.#work.then(() => true), promise])
    clearTimeout(timer)
    return done
  }

  /** Resolves when nothing is left to do. */
  async settled(): Promise<void> {
    this.wake()
    await this.#work
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#retry) clearTimeout(this.#retry)
    await this.#work
  }

  async #run(): Promise<void> {
    try {
      while (this.#again && !this.#closed) {
        this.#again = false
        this.#queue = []
        this.#current = null
        for (let slice = 1; !this.#closed && this.#slice(); slice += 1) {
          await nextTurn()
          if (slice % mergeEvery !== 0) continue
          await this.#foldLog()
          await this.#merge()
        }
        await this.#merge()
      }
    } finally {
      this.#work = null
    }
  }

  /** False when nothing was left. */
  #slice(): boolean {
    const until = performance.now() + sliceMs
    // Read anew: what was read before may have changed meanwhile.
    this.#queue = []
    let worked = false
    this.#table.write(() => {
      while (performance.now() < until) {
        const current = this.#take()
        if (!current) return
        worked = true
        this.#write(current)
      }
    })
    return worked
  }

  #take(): Current | null {
    if (this.#current) return this.#current
    if (this.#queue.length === 0) this.#queue = this.#table.next(0, readAtOnce)
    const message = this.#queue.shift()
    if (!message) return null
    if (message.stale) this.#table.forget(message.seq)
    this.#current = { message, part: 0 }
    return this.#current
  }

  #write(current: Current): void {
    const { message, part } = current
    const text = partOf(message.text, part)
    if (text !== null) {
      const body = indexable(text)
      if (body !== '') this.#table.put(message.seq, part, body)
      current.part += 1
      if (partOf(message.text, current.part) !== null) return
    }
    this.#table.done(message.seq)
    this.#current = null
  }

  async #merge(): Promise<void> {
    while (!this.#closed && this.#table.merge(mergePages)) await nextTurn()
  }
}
