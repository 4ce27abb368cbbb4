import type { Library as LibraryState, RemovedConversation } from '../../../../src-preload/contract/library.ts'
import { dayMs } from '../../shared/days.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { WorkerClient } from '../../shared/workerClient.ts'
import type { DeletionDeadlines } from '../../store/retentionClock.ts'
import type { Store } from '../../store/store.ts'
import { type FoldersAndPrompts, foldersAndPrompts } from './foldersAndPrompts.ts'
import { PermanentDelete, type PermanentDeleteOptions } from './permanentDelete.ts'
import type { SearchAnswer, SearchAsk } from './search/finder.ts'
import { Indexer } from './search/indexer.ts'
import type { SearchJob } from './search/worker.ts'

export interface LibraryOptions extends Omit<PermanentDeleteOptions, 'store'> {
  store: Store
  /** When removed conversations may be deleted permanently. */
  deadlines: DeletionDeadlines
  /** Path of the database file, for the search worker. */
  databaseFile: string
  /** Called when a folder was deleted. */
  folderRemoved?: () => void
  log(level: 'info' | 'warn' | 'error', line: string): void
}

/** How long a removed conversation can be restored, ms. */
const keptMs = 30 * dayMs
/** Delay of the first sweep after the start, ms, so that the window loads first. */
const firstSweepMs = 10_000
/** How long a search waits for messages that have just settled, ms. */
const catchUpMs = 15

/** Folders, prompts, presets, removed conversations and search over all messages. */
export class ChatLibrary {
  /** The whole state, published after each change. */
  readonly state: StateFeed<LibraryState>
  readonly #parts: LibraryOptions
  readonly #foldersAndPrompts: FoldersAndPrompts
  readonly #eraser: PermanentDelete
  readonly #indexer: Indexer
  /** Searches on a worker thread, one after another. A search that is cancelled while it waits never runs. */
  readonly #searcher: WorkerClient<SearchJob, SearchAnswer>
  readonly #timers: NodeJS.Timeout[]

  constructor(parts: LibraryOptions) {
    const { store } = parts
    this.#parts = parts
    this.#foldersAndPrompts = foldersAndPrompts(store)
    this.#eraser = new PermanentDelete(parts)
    this.#searcher = new WorkerClient({
      name: 'search',
      start: async () => (await import('./search/worker.ts')).startSearchWorker(parts.databaseFile),
    })
    // On the worker thread, because a checkpoint here would wait for the disk. After a failure, the next checkpoint does the same work.
    this.#indexer = new Indexer(store.search, () => this.#searcher.run(() => 'checkpoint').catch(() => undefined))
    this.state = new StateFeed<LibraryState>({
      everyMs: 100,
      read: () => ({
        folders: store.folders.list(),
        prompts: store.prompts.list(),
        presets: store.presets.list(),
        removed: store.erasures.count(),
      }),
      observe: () => () => undefined,
    })
    store.erasures.giveUpImports()
    this.#indexer.wake()
    const sweep = (): void => inBackground('Removed conversations could not be deleted permanently', this.sweep())
    this.#timers = [setTimeout(sweep, firstSweepMs), setInterval(sweep, dayMs)]
    for (const timer of this.#timers) timer.unref()
  }

  /** Call after a message settled, or a conversation was moved, removed or restored. */
  note = (): void => {
    this.#indexer.wake()
    this.state.changed()
  }

  saveFolder = this.#notifying((input: Parameters<FoldersAndPrompts['saveFolder']>[0]) =>
    this.#foldersAndPrompts.saveFolder(input),
  )
  /** Deletes a folder. Its chats stay, and its pinned files are deleted unless something else has them. @throws StudioError `no_such_item` */
  removeFolder = this.#notifying((input: { id: string }) => {
    const { store, folderRemoved } = this.#parts
    const files = store.pinnedFiles.entries(input.id).map(({ mediaId }) => mediaId)
    store.transaction(() => {
      this.#foldersAndPrompts.removeFolder(input)
      store.erasures.plan('media', files)
    })
    folderRemoved?.()
    if (files.length > 0) inBackground('The files of a project could not be deleted', this.#eraser.erase([]))
  })
  savePrompt = this.#notifying((input: Parameters<FoldersAndPrompts['savePrompt']>[0]) =>
    this.#foldersAndPrompts.savePrompt(input),
  )
  removePrompt = this.#notifying((input: { id: string }) => this.#foldersAndPrompts.removePrompt(input))
  savePreset = this.#notifying((input: Parameters<FoldersAndPrompts['savePreset']>[0]) =>
    this.#foldersAndPrompts.savePreset(input),
  )
  removePreset = this.#notifying((input: { id: string }) => this.#foldersAndPrompts.removePreset(input))

  /** Removed conversations, newest removal first. */
  removed(): RemovedConversation[] {
    return this.#parts.store.erasures.removed().map((row) => ({
      ...row,
      erasedAt: new Date(this.#parts.deadlines.of(Date.parse(row.removedAt), keptMs)).toISOString(),
    }))
  }

  /**
   * Permanently deletes the given removed conversations, or all of them. Ignores ids of visible or unknown
   * conversations. Returns the number of deleted conversations.
   */
  async erase(ids?: readonly string[]): Promise<{ erased: number }> {
    const { erasures } = this.#parts.store
    const going = ids ? [...new Set(ids)].filter(erasures.isRemoved) : erasures.removed().map(({ id }) => id)
    const erasing = this.#eraser.erase(going)
    this.state.changed()
    await erasing
    return { erased: going.length }
  }

  /**
   * Permanently deletes conversations that were removed more than 30 days ago, and finishes an interrupted deletion.
   * Returns the number of deleted conversations.
   */
  async sweep(): Promise<number> {
    const { erasures } = this.#parts.store
    const before = this.#parts.deadlines.before(keptMs)
    const old = before === null ? [] : erasures.removedBefore(new Date(before).toISOString())
    await this.#eraser.erase(old)
    if (old.length > 0) {
      this.#parts.log(
        'info',
        `Permanently deleted ${old.length} conversations that were removed more than 30 days ago.`,
      )
      this.state.changed()
    }
    return old.length
  }

  /**
   * Searches conversations. Waits briefly for messages that have just settled. `more` is also true if the index is
   * further behind, as after an import.
   * @throws StudioError `cancelled` if the signal aborts before the search starts
   */
  async search(ask: SearchAsk, signal?: AbortSignal): Promise<SearchAnswer> {
    const whole = await this.#indexer.catchUp(catchUpMs)
    const { hits, more } = await this.#searcher.run(() => ask, { signal })
    return { hits, more: more || !whole }
  }

  /** Resolves when every settled message is indexed. */
  indexed = (): Promise<void> => this.#indexer.settled()

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.all([this.#indexer.close(), this.#eraser.close()])
    await this.#searcher.close()
  }

  #notifying<I, O>(change: (input: I) => O): (input: I) => O {
    return (input) => {
      const result = change(input)
      this.state.changed()
      return result
    }
  }
}
