import type { RequestRow, RequestsEvent } from '../../../src-preload/contract/requests.ts'
import type { FeedSource } from '../shared/events.ts'
import type { ReadyFilter } from './filters.ts'
import { outcomeOfRow } from './filters.ts'

/** Maximum number of changed rows of one watcher. Beyond that it receives the newest rows again. */
const maxPending = 1000

/** Returns the current state of a row. */
export interface RowSource {
  readonly id: number
  /** The id of the row that this row has replaced, or null. */
  readonly replaces?: number | null
  /** Whether another row has replaced this row. */
  readonly isReplaced?: boolean
}

/** What a watcher reads from. */
export interface WatchView<S extends RowSource> {
  show(source: S): RequestRow
  newest(): Promise<RequestRow[]>
  ready(): ReadyFilter
  join(watcher: Watcher<S>): () => void
}

/** One watcher of the log: the newest rows first, then changes. It remembers which rows changed, never their content. */
export class Watcher<S extends RowSource> implements FeedSource<RequestsEvent> {
  readonly #view: WatchView<S>
  #wake: () => void = () => undefined
  /** Whether the newest rows must be read (again). */
  #stale = true
  #reading = false
  #failure: { thrown: unknown } | null = null
  #snapshot: RequestRow[] | null = null
  #erased = false
  readonly #changed = new Map<number, S>()
  /** Rows in progress that the watcher has. When one stops matching, it must be removed. */
  readonly #shownOpen = new Set<number>()

  constructor(view: WatchView<S>) {
    this.#view = view
  }

  subscribe(wake: () => void): () => void {
    this.#wake = wake
    return this.#view.join(this)
  }

  /** Call at most ten times a second. */
  notify(sources: ReadonlySet<S>): void {
    if (!this.#stale || this.#reading) {
      for (const source of sources) this.#changed.set(source.id, source)
      if (this.#changed.size > maxPending) this.#startAnew()
    }
    this.#wake()
  }

  erased(): void {
    this.#erased = true
    this.#wake()
  }

  take(): RequestsEvent | null {
    if (this.#failure) throw this.#failure.thrown
    if (this.#stale) {
      if (!this.#reading) this.#read()
      return null
    }
    if (this.#snapshot) {
      const rows = this.#snapshot
      this.#snapshot = null
      this.#remember(rows)
      return { type: 'snapshot', rows }
    }
    if (this.#erased) {
      this.#erased = false
      return { type: 'erased' }
    }
    return this.#takeChanged()
  }

  #takeChanged(): RequestsEvent | null {
    if (this.#changed.size === 0) return null
    const { matches } = this.#view.ready()
    const rows: RequestRow[] = []
    const moved = [...this.#changed.values()].flatMap(({ id, replaces }) =>
      typeof replaces === 'number' ? { from: replaces, to: id } : [],
    )
    for (const source of this.#changed.values()) {
      if (source.isReplaced) continue
      const row = this.#view.show(source)
      if (matches(row)) rows.push(row)
      else if (this.#shownOpen.has(row.id)) {
        // The row matched before and no longer does. Only a new snapshot can remove it.
        this.#startAnew()
        this.#read()
        return null
      }
    }
    this.#changed.clear()
    if (rows.length === 0) return null
    this.#remember(rows)
    return { type: 'rows', rows: rows.sort((a, b) => b.id - a.id), ...(moved.length > 0 && { moved }) }
  }

  #remember(rows: RequestRow[]): void {
    for (const row of rows) {
      if (outcomeOfRow(row) === null) this.#shownOpen.add(row.id)
      else this.#shownOpen.delete(row.id)
    }
  }

  #startAnew(): void {
    this.#stale = true
    this.#snapshot = null
    this.#changed.clear()
    this.#shownOpen.clear()
  }

  #read(): void {
    this.#reading = true
    this.#stale = true
    this.#view.newest().then(
      (rows) => {
        this.#reading = false
        this.#stale = false
        this.#snapshot = rows
        this.#wake()
      },
      (thrown: unknown) => {
        this.#reading = false
        this.#failure = { thrown }
        this.#wake()
      },
    )
  }
}
