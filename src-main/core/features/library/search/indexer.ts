import { setImmediate as nextTurn } from 'node:timers/promises'
import { indexable } from '../../../shared/text/splitWords.ts'
import { unexpected } from '../../../shared/unexpected.ts'
import { asStoreError, mayPass } from '../../../store/database.ts'
import { type SearchTable, type Unindexed, withDocuments } from '../../../store/search.ts'
import { partOf } from './textParts.ts'

/** Longest slice on this thread, ms, and the number of messages read at once for a slice. */
const sliceMs = 4
const readAtOnce = 40
/** Pages per merge step, which takes about 2 ms. */
const mergePages = 24
/** Slices between two merges. */
const mergeEvery = 8
/** Retry interval after the database rejected a write, ms. */
const retryMs = 1000

/** A message that is being indexed. A long message takes more than one slice. */
interface Current {
  message: Unindexed
  part: number
}

/**
 * Indexes messages, a few milliseconds at a time. Each slice stores words and the mark `indexed` in one transaction, so
 * that a crash neither loses nor duplicates words. After a crash a message of several slices starts again, and its
 * parts replace themselves.
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

  /** `foldLog` moves writes from the write-ahead log into the database, on another thread. */
  constructor(table: SearchTable, foldLog: () => Promise<unknown>) {
    this.#table = table
    this.#foldLog = foldLog
  }

  /** Call when messages may have settled. */
  wake(): void {
    this.#again = true
    if (this.#closed) return
    this.#work ??= this.#run().catch((thrown: unknown) => {
      unexpected('The search index could not be written', asStoreError(thrown))
      // Retries after a delay, because there may be no later change to trigger another attempt.
      if (mayPass(thrown) && !this.#closed) this.#retry ??= setTimeout(() => this.#wakeAgain(), retryMs).unref()
    })
  }

  #wakeAgain(): void {
    this.#retry = null
    this.wake()
  }

  /** Resolves with true when all settled messages are indexed, or with false after `ms`. */
  async catchUp(ms: number): Promise<boolean> {
    this.wake()
    if (!this.#work) return true
    const { promise, resolve } = Promise.withResolvers<false>()
    const timer = setTimeout(() => resolve(false), ms)
    const done = await Promise.race([this.#work.then(() => true), promise])
    clearTimeout(timer)
    return done
  }

  /** Resolves when no message is left to index. */
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

  /** Indexes messages for one slice. Returns false if no message was left. */
  #slice(): boolean {
    const until = performance.now() + sliceMs
    // Reads again, because messages may have changed.
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
    // Read now and not with the queue, because documents are long.
    const text = withDocuments(message.text, this.#table.documentText(message))
    this.#current = { message: { ...message, text }, part: 0 }
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
