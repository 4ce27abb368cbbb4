import { setImmediate as nextTurn } from 'node:timers/promises'
import { indexable } from '../../../shared/text/splitWords.ts'
import { unexpected } from '../../../shared/unexpected.ts'
import { asStoreError, mayPass } from '../../../store/database.ts'
import type { PassageTable } from '../../../store/passages.ts'
import { passageEnd } from './splitPassages.ts'

/** Longest slice on this thread, ms. */
const sliceMs = 4
/** Pages per merge step, which takes about 2 ms. */
const mergePages = 24
/** Slices between two merges. */
const mergeEvery = 8
/** Passages that are deleted at once. */
const deletedAtOnce = 50
/** Retry interval after the database rejected a write, ms. */
const retryMs = 1000

/** The part of a document that is being indexed. */
interface CurrentPart {
  mediaId: string
  part: number
  text: string
  start: number
}

export interface PassageIndexerOptions {
  table: PassageTable
  /** Moves writes from the write-ahead log into the database, on another thread. */
  checkpoint(): Promise<unknown>
  /** Called when a file is complete. */
  indexed(): void
}

/**
 * Divides pinned files into passages and indexes them, a few milliseconds at a time. A slice stores passages, words and progress in one
 * transaction, so that a crash neither loses nor duplicates a passage. Deletes the passages of files that are no longer pinned.
 */
export class PassageIndexer {
  readonly #options: PassageIndexerOptions
  #work: Promise<void> | null = null
  #again = false
  #closed = false
  #retry: NodeJS.Timeout | null = null
  #current: CurrentPart | null = null

  constructor(options: PassageIndexerOptions) {
    this.#options = options
  }

  /** Call at the start, and when a file was pinned or is no longer pinned. */
  wake(): void {
    this.#again = true
    if (this.#closed) return
    this.#work ??= this.#run().catch((thrown: unknown) => {
      unexpected('The passages of pinned files could not be indexed', asStoreError(thrown))
      if (mayPass(thrown) && !this.#closed) {
        this.#retry ??= setTimeout(() => {
          this.#retry = null
          this.wake()
        }, retryMs).unref()
      }
    })
  }

  /** Resolves when all pinned files are indexed and nothing is left to delete. */
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
    const { table, checkpoint } = this.#options
    try {
      if (table.isBroken()) table.reset()
      while (this.#again && !this.#closed) {
        this.#again = false
        this.#current = null
        let slices = 0
        while (!this.#closed && (this.#delete() || this.#slice())) {
          await nextTurn()
          slices += 1
          if (slices % mergeEvery !== 0) continue
          await checkpoint()
          await this.#merge()
        }
        if (slices > 0) await this.#merge()
        await this.#clean()
      }
    } finally {
      this.#work = null
    }
  }

  /** Deletes some passages of a file that is no longer pinned. False when there is none. */
  #delete(): boolean {
    const { table } = this.#options
    const mediaId = table.unpinned()
    if (mediaId === null) return false
    this.#current = null
    const until = performance.now() + sliceMs
    table.write(() => {
      let more = true
      while (more && performance.now() < until) more = table.dropSome(mediaId, deletedAtOnce)
    })
    return true
  }

  /** Indexes passages for one slice. False when nothing was left. */
  #slice(): boolean {
    const { table, indexed } = this.#options
    const current = this.#current ?? this.#next()
    this.#current = current
    if (current === null) return false
    const until = performance.now() + sliceMs
    const { mediaId, part, text } = current
    let { start } = current
    let isDone = false
    table.write(() => {
      while (start < text.length && performance.now() < until) {
        const end = passageEnd(text, start)
        const passage = text.slice(start, end)
        table.put({ mediaId, part, start, text: passage }, indexable(passage))
        start = end
      }
      const isPartDone = start >= text.length
      isDone = isPartDone && table.partText(mediaId, part + 1) === null
      table.setProgress({ mediaId, part: isPartDone ? part + 1 : part, start: isPartDone ? 0 : start, isDone })
    })
    this.#current = start < text.length ? { ...current, start } : null
    // The file may have been removed or added again meanwhile.
    if (this.#again) this.#current = null
    if (isDone) indexed()
    return true
  }

  #next(): CurrentPart | null {
    const { table } = this.#options
    const progress = table.next()
    return progress && { ...progress, text: table.partText(progress.mediaId, progress.part) ?? '' }
  }

  /** Rewrites the index without the words of deleted passages, which FTS5 only marks as deleted. */
  async #clean(): Promise<void> {
    const { table } = this.#options
    if (this.#closed || !table.isDirty()) return
    for (let more = table.beginCleaning(mergePages); more && !this.#closed; more = table.merge(mergePages)) {
      await nextTurn()
    }
    if (!this.#closed) table.cleaned()
  }

  async #merge(): Promise<void> {
    while (!this.#closed && this.#options.table.merge(mergePages)) await nextTurn()
  }
}
