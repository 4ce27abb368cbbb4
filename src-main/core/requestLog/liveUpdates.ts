import type { Listeners } from '../shared/events.ts'
import { guarded } from '../shared/unexpected.ts'
import type { RowSource, Watcher } from './watch.ts'

/** Watchers are notified at most ten times a second. ms. */
const notifyIntervalMs = 100

/** Collects changes and notifies watchers. A change is nearly free without a watcher. */
export class LiveUpdates<S extends RowSource> {
  readonly #changes: Listeners
  readonly #watchers = new Set<Watcher<S>>()
  #changed = new Set<S>()
  #timer: NodeJS.Timeout | null = null

  constructor(changes: Listeners) {
    this.#changes = changes
  }

  join(watcher: Watcher<S>): () => void {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  touch(source: S): void {
    if (this.#watchers.size === 0 && this.#changes.size === 0) return
    this.#changed.add(source)
    if (this.#timer) return
    this.#timer = setTimeout(this.#notify, notifyIntervalMs)
    this.#timer.unref()
  }

  readonly #notify = (): void => {
    this.#timer = null
    const changed = this.#changed
    this.#changed = new Set()
    for (const watcher of [...this.#watchers]) guarded('A watcher of the log failed', () => watcher.notify(changed))()
    this.#changes.notify()
  }

  erased(): void {
    for (const watcher of this.#watchers) watcher.erased()
    this.#changes.notify()
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
  }
}
