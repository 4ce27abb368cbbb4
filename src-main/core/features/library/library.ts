import type { Library as LibraryState, RemovedConversation } from '../../../../src-preload/contract/library.ts'
import { dayMs } from '../../shared/days.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { Store } from '../../store/store.ts'
import { type FoldersAndPrompts, foldersAndPrompts } from './foldersAndPrompts.ts'
import { PermanentDelete, type PermanentDeleteOptions } from './permanentDelete.ts'
import type { SearchAnswer, SearchAsk } from './search/finder.ts'
import { Indexer } from './search/indexer.ts'
import { SearchClient } from './search/workerClient.ts'

export interface LibraryParts extends Omit<PermanentDeleteOptions, 'store'> {
  store: Store
  /** Where the store's file lies, for the search thread. */
  databaseFile: string
  log(level: 'info' | 'warn' | 'error', line: string): void
  now?: () => number
}

/** For so long what was removed can be brought back. */
const keptMs = 30 * dayMs
/** After the start: the page comes first. */
const firstSweepMs = 10_000
/** How long a search waits for messages that have just settled. */
const catchUpMs = 15

/** What lies around conversations: folders, prompts, presets, what was removed, and the search. */
export class ChatLibrary {
  /** The whole of it, told after each change. */
  readonly state: StateFeed<LibraryState>
  readonly #parts: LibraryParts
  readonly #shelves: FoldersAndPrompts
  readonly #eraser: PermanentDelete
  readonly #indexer: Indexer
  readonly #searcher: SearchClient
  readonly #now: () => number
  readonly #timers: NodeJS.Timeout[]

  constructor(parts: LibraryParts) {
    const { store } = parts
    this.#parts = parts
    this.#now = parts.now ?? Date.now
    this.#shelves = foldersAndPrompts(store)
    this.#eraser = new PermanentDelete(parts)
    this.#searcher = new SearchClient(parts.databaseFile)
    this.#indexer = new Indexer(store.search, () => this.#searcher.checkpoint())
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
    const sweep = (): void => inBackground('What was removed could not be erased', this.sweep())
    this.#timers = [setTimeout(sweep, firstSweepMs), setInterval(sweep, dayMs)]
    for (const timer of this.#timers) timer.unref()
  }

  /** Something of a conversation changed: a message settled, it was moved, removed or brought back. */
  note = (): void => {
    this.#indexer.wake()
    this.state.changed()
  }

  saveFolder = this.#telling((input: Parameters<FoldersAndPrompts['saveFolder']>[0]) => this.#shelves.saveFolder(input))
  removeFolder = this.#telling((input: { id: string }) => this.#shelves.removeFolder(input))
  savePrompt = this.#telling((input: Parameters<FoldersAndPrompts['savePrompt']>[0]) => this.#shelves.savePrompt(input))
  removePrompt = this.#telling((input: { id: string }) => this.#shelves.removePrompt(input))
  savePreset = this.#telling((input: Parameters<FoldersAndPrompts['savePreset']>[0]) => this.#shelves.savePreset(input))
  removePreset = this.#telling((input: { id: string }) => this.#shelves.removePreset(input))

  /** Newest removal first. */
  removed(): RemovedConversation[] {
    return this.#parts.store.erasures.removed().map((row) => ({
      ...row,
      erasedAt: new Date(Date.parse(row.removedAt) + keptMs).toISOString(),
    }))
  }

  /** Erases removed conversations for good, or all of them; answers how many. What is in sight or not there is passed over. */
  async erase(ids?: readonly string[]): Promise<{ erased: number }> {
    const { erasures } = this.#parts.store
    const going = ids ? [...new Set(ids)].filter(erasures.isRemoved) : erasures.removed().map(({ id }) => id)
    const erasing = this.#eraser.erase(going)
    this.state.changed()
    await erasing
    return { erased: going.length }
  }

  /** Erases what was removed more than 30 days ago, and goes on with what an earlier run left. */
  async sweep(): Promise<number> {
    const { erasures } = this.#parts.store
    const before = new Date(this.#now() - keptMs).toISOString()
    const old = erasures.removedBefore(before)
    await this.#eraser.erase(old)
    if (old.length > 0) {
      this.#parts.log('info', `Erased ${old.length} conversations that were removed more than 30 days ago.`)
      this.state.changed()
    }
    return old.length
  }

  /**
   * Messages that have just settled are waited for, a moment; where the index is further behind (after an import), `more` is true.
   * @throws StudioError `cancelled` where the signal came before its turn
   */
  async search(ask: SearchAsk, signal?: AbortSignal): Promise<SearchAnswer> {
    const whole = await this.#indexer.catchUp(catchUpMs)
    const { hits, more } = await this.#searcher.find(ask, signal)
    return { hits, more: more || !whole }
  }

  /** Resolves when every message that has settled can be found. */
  indexed = (): Promise<void> => this.#indexer.settled()

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.all([this.#indexer.close(), this.#eraser.close()])
    await this.#searcher.close()
  }

  #telling<I, O>(change: (input: I) => O): (input: I) => O {
    return (input) => {
      const result = change(input)
      this.state.changed()
      return result
    }
  }
}
