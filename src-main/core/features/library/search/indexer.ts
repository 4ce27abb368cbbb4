import { indexable } from '../../../shared/text/splitWords.ts'
import { type SearchTable, type Unindexed, withDocuments } from '../../../store/search.ts'
import { mergePages, SlicedIndexing, sliceMs } from '../../../store/slicedIndexing.ts'
import { partOf } from './textParts.ts'

/** Number of messages read at once for a slice. */
const readAtOnce = 40

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
  readonly #indexing: SlicedIndexing
  #queue: Unindexed[] = []
  #current: Current | null = null

  /** `checkpoint` moves writes from the write-ahead log into the database, on another thread. */
  constructor(table: SearchTable, checkpoint: () => Promise<unknown>) {
    this.#table = table
    this.#indexing = new SlicedIndexing({
      failure: 'The search index could not be written',
      begin: () => {
        this.#queue = []
        this.#current = null
      },
      slice: () => this.#slice(),
      merge: () => table.merge(mergePages),
      checkpoint,
    })
  }

  /** Call when messages may have settled. */
  wake(): void {
    this.#indexing.wake()
  }

  /** Resolves with true when all settled messages are indexed, or with false after `ms`. */
  catchUp(ms: number): Promise<boolean> {
    return this.#indexing.settledWithin(ms)
  }

  /** Resolves when no message is left to index. */
  settled(): Promise<void> {
    return this.#indexing.settled()
  }

  close(): Promise<void> {
    return this.#indexing.close()
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
}
