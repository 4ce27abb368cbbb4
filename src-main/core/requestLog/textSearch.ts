import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RequestTable, StoredRequest } from '../store/requestLog/requests.ts'
import type { Counted, IdRange, RequestSearch, RowSearch } from '../store/requestLog/search.ts'
import type { ReadyFilter } from './filters.ts'

/** Ids searched in one step: each row's text must be read (about 4 ms), or the index is enough (about 4 ms). */
const textSlice = 10_000
const indexSlice = 100_000
/** Maximum number of filters whose count is cached. */
const maxCounts = 8

interface Tables {
  requests: Pick<RequestTable, 'from' | 'last'>
  search: RequestSearch
}

/** Searches the log without blocking the program: searches without an index run in steps, with a turn of the event loop between them. */
export class TextSearch {
  readonly #tables: Tables
  readonly #clockWentBack: () => boolean
  readonly #counts = new Map<string, { upTo: number; kept: number }>()

  constructor(tables: Tables, clockWentBack: () => boolean) {
    this.#tables = tables
    this.#clockWentBack = clockWentBack
  }

  /** The newest `limit` ended rows that match, with ids below `before`. */
  async page(ready: ReadyFilter, before: number, limit: number): Promise<StoredRequest[]> {
    const search = this.#withTimes(ready)
    if (onlyOpen(search)) return []
    const { low, high } = this.#range(ready)
    const slice = search.text ? textSlice : Number.MAX_SAFE_INTEGER
    const rows: StoredRequest[] = []
    let top = Math.min(high, before - 1)
    while (top >= low && rows.length < limit) {
      const bottom = Math.max(low, top - slice + 1)
      rows.push(...this.#tables.search.find(search, { low: bottom, high: top }, limit - rows.length))
      top = bottom - 1
      if (top >= low && rows.length < limit) await nextTurn()
    }
    return rows
  }

  /** Number of ended rows that match, or of the requests in them. The count up to `settled` is cached, because those rows never change. */
  async count(ready: ReadyFilter, settled: number, of: Counted): Promise<number> {
    const search = this.#withTimes(ready)
    if (onlyOpen(search)) return 0
    const { low, high } = this.#range(ready)
    const key = JSON.stringify([search, ready.since, ready.until, of])
    const known = this.#counts.get(key) ?? { upTo: low - 1, kept: 0 }
    const fixed = Math.min(settled, high)
    const kept = known.kept + (await this.#countRange(search, { low: known.upTo + 1, high: fixed }, of))
    const upTo = Math.max(known.upTo, fixed)
    this.#counts.delete(key)
    this.#counts.set(key, { upTo, kept })
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= maxCounts) break
      this.#counts.delete(oldest)
    }
    return kept + (await this.#countRange(search, { low: upTo + 1, high }, of))
  }

  /** Number of ended rows that began before a time. */
  async countBefore(at: number): Promise<number> {
    const search = { callers: null, model: null, outcomes: null, text: null, since: null, until: null }
    const until = this.#clockWentBack() ? at - 1 : null
    return this.#countRange({ ...search, until }, { low: 1, high: this.lastBefore(at) }, 'rows')
  }

  /** No row that began before a time has a higher id. */
  lastBefore(at: number): number {
    if (this.#clockWentBack()) return this.#tables.requests.last()?.id ?? 0
    return this.firstAt(at) - 1
  }

  /** Call after rows were deleted. */
  forgetCounts(): void {
    this.#counts.clear()
  }

  async #countRange(search: RowSearch, { low, high }: IdRange, of: Counted): Promise<number> {
    const slice = search.text || search.since !== null || search.until !== null ? textSlice : indexSlice
    let total = 0
    for (let bottom = low; bottom <= high; bottom += slice) {
      if (bottom > low) await nextTurn()
      total += this.#tables.search.count(search, { low: bottom, high: Math.min(high, bottom + slice - 1) }, of)
    }
    return total
  }

  /** Ids ascend with time, so a time is found in twenty steps. Only after the clock was set back must rows be read. */
  #range({ since, until }: ReadyFilter): IdRange {
    const last = this.#tables.requests.last()?.id ?? 0
    if (this.#clockWentBack()) return { low: 1, high: last }
    return {
      low: since === null ? 1 : this.firstAt(since),
      high: until === null ? last : this.firstAt(until + 1) - 1,
    }
  }

  /** The lowest id of a row that began at `at` or later; one above the highest id when there is none. */
  firstAt(at: number): number {
    let low = 1
    let high = (this.#tables.requests.last()?.id ?? 0) + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = this.#tables.requests.from(middle)
      if (row && row.at < at) low = row.id + 1
      else high = middle
    }
    return low
  }

  #withTimes({ search, since, until }: ReadyFilter): RowSearch {
    return this.#clockWentBack() ? { ...search, since, until } : search
  }
}

const onlyOpen = ({ outcomes }: RowSearch): boolean => outcomes?.every((outcome) => outcome === null) ?? false
