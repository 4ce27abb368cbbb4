import { setImmediate as nextTurn } from 'node:timers/promises'
import { indexable } from '../../../shared/text/splitWords.ts'
import type { PassageTable } from '../../../store/passages.ts'
import { mergePages, SlicedIndexing, sliceMs } from '../../../store/slicedIndexing.ts'
import { passageEnd } from './passageEnd.ts'

/** Passages that are deleted at once. */
const deletedAtOnce = 50

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
  readonly #indexing: SlicedIndexing
  #current: CurrentPart | null = null

  constructor(options: PassageIndexerOptions) {
    const { table, checkpoint } = options
    this.#options = options
    this.#indexing = new SlicedIndexing({
      failure: 'The passages of pinned files could not be indexed',
      begin: () => {
        if (table.isBroken()) table.reset()
        this.#current = null
      },
      slice: () => this.#delete() || this.#slice(),
      merge: () => table.merge(mergePages),
      checkpoint: () => checkpoint(),
      finish: (isClosed) => this.#clean(isClosed),
    })
  }

  /** Call at the start, and when a file was pinned, is no longer pinned or has another text. */
  wake(): void {
    this.#indexing.wake()
  }

  /** Resolves when all pinned files are indexed and nothing is left to delete. */
  settled(): Promise<void> {
    return this.#indexing.settled()
  }

  close(): Promise<void> {
    return this.#indexing.close()
  }

  /** Deletes some passages of a file that is no longer pinned or has another text now. False when there is none. */
  #delete(): boolean {
    const { table } = this.#options
    const mediaId = table.outdated()
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
    // The file may have been removed or added again since this step started.
    if (this.#indexing.isOutdated) this.#current = null
    if (isDone) indexed()
    return true
  }

  #next(): CurrentPart | null {
    const { table } = this.#options
    const progress = table.next()
    return progress && { ...progress, text: table.partText(progress.mediaId, progress.part) ?? '' }
  }

  /** Rewrites the index without the words of deleted passages, which FTS5 only marks as deleted. */
  async #clean(isClosed: () => boolean): Promise<void> {
    const { table } = this.#options
    if (isClosed() || !table.isDirty()) return
    for (let more = table.beginCleaning(mergePages); more && !isClosed(); more = table.merge(mergePages)) {
      await nextTurn()
    }
    if (!isClosed()) table.cleaned()
  }
}
