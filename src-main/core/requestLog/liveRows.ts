import type { RequestDetail, RequestFilter, RequestRow } from '../../../src-preload/contract/requests.ts'
import { StudioError } from '../errors.ts'
import type { Callers } from '../store/requestLog/callers.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'
import type { StoredRequest } from '../store/requestLog/requests.ts'
import type { Counted } from '../store/requestLog/search.ts'
import type { AppNames } from './appNames.ts'
import { readyFilter } from './filters.ts'
import type { RecentHeaders } from './recentHeaders.ts'
import type { RefusalRow } from './refusals.ts'
import { Trace } from './requestTrace.ts'
import { type LimitedRow, limitedOf, limitedRow, showRow } from './rows.ts'
import type { TextSearch } from './textSearch.ts'

export type RowSourceForLive = Trace | RefusalRow

interface Parts {
  store: Pick<RequestLogTables, 'requests' | 'bodies'>
  query: TextSearch
  callers: Callers
  names: AppNames
  /** Requests in progress, in the order of their ids. */
  live: Iterable<Trace>
  headers: RecentHeaders
  /** Requests that have ended but are not written yet. */
  ended(): readonly Trace[]
  /** The account id that a row belongs to, or null when it is unknown so far. */
  accountOf(row: number): string | null
  /** Writes pending rows, so that a page is current. */
  flush(): void
}

/** Combines rows in progress (memory) with ended rows (database). Memory wins over the stored row. */
export class LiveRows {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  show(source: RowSourceForLive): RequestRow {
    const { callers, names } = this.#parts
    if (source instanceof Trace) return showRow(source.stored(), callers, names, source.live)
    return showRow(source.row, callers, names)
  }

  /** The trace of a request in progress. */
  under(id: number): Trace | undefined {
    for (const trace of this.#parts.live) if (trace.id === id) return trace
  }

  /** See `RequestLog.page`. */
  async page(filter: RequestFilter, before: number, limit: number): Promise<RequestRow[]> {
    const { callers, names, query } = this.#parts
    this.#parts.flush()
    const ready = readyFilter(filter, callers, names)
    const rows = new Map<number, RequestRow>()
    for (const trace of this.#parts.live) {
      if (trace.id >= before) continue
      const row = this.show(trace)
      if (ready.matches(row)) rows.set(row.id, row)
    }
    for (const stored of await query.page(ready, before, limit)) rows.set(stored.id, showRow(stored, callers, names))
    for (const trace of this.#parts.ended()) {
      const row = this.show(trace)
      if (row.id < before && ready.matches(row)) rows.set(row.id, row)
      else rows.delete(row.id)
    }
    return [...rows.values()].sort((a, b) => b.id - a.id).slice(0, limit)
  }

  /** Number of rows that match a filter, or of the requests in them. Rows below `lowestOpen` have ended and stay in their places. */
  async count(filter: RequestFilter, lowestOpen: number, of: Counted = 'rows'): Promise<number> {
    const { callers, names, query, live } = this.#parts
    this.#parts.flush()
    const ready = readyFilter(filter, callers, names)
    let open = 0
    for (const trace of live) if (ready.matches(this.show(trace))) open += 1
    return open + (await query.count(ready, lowestOpen - 1, of))
  }

  /** @throws StudioError `no_such_item` */
  get(id: number): RequestDetail {
    const { store, callers, names } = this.#parts
    const live = this.under(id)
    if (live) {
      const { requestHeaders, replyHeaders } = live.cleaned()
      const { againOf } = live
      return { row: this.show(live), requestHeaders, replyHeaders, requestBody: null, replyBody: null, againOf }
    }
    this.#parts.flush()
    const stored = this.#ended(id) ?? store.requests.get(id)
    if (!stored) throw new StudioError('no_such_item', 'This request is not in the log.')
    const kept = stored.hasBodies === 1 ? store.bodies.get(id) : null
    const headers = this.#parts.headers.get(id)
    return {
      row: showRow(stored, callers, names),
      requestHeaders: headers?.request ?? kept?.requestHeaders ?? null,
      replyHeaders: headers?.reply ?? kept?.replyHeaders ?? null,
      requestBody: kept?.request ?? null,
      replyBody: kept?.reply ?? null,
      againOf: kept?.againOf ?? null,
    }
  }

  row(id: number): RequestRow | null {
    const { store, callers, names } = this.#parts
    const live = this.under(id)
    if (live) return this.show(live)
    this.#parts.flush()
    const stored = this.#ended(id) ?? store.requests.get(id)
    return stored && showRow(stored, callers, names)
  }

  /** The end of a request that is not written yet. */
  #ended(id: number): StoredRequest | null {
    return this.#parts.ended().find((trace) => trace.id === id)?.end ?? null
  }

  limited(limit: number, account: string | null): LimitedRow[] {
    const { store, callers, names, accountOf } = this.#parts
    this.#parts.flush()
    const isOf = (row: number): boolean => account === null || (accountOf(row) ?? account) === account
    const ended = limitedOf(store.requests.limited, isOf, limit).map((stored) =>
      limitedRow(stored, showRow(stored, callers, names)),
    )
    const live = Array.from(this.#parts.live, (trace) => limitedRow(trace.stored(), this.show(trace)))
    const met = live.filter(({ row }) => row.retriedAfter.includes(429) && isOf(row.id))
    return [...met, ...ended].sort((a, b) => b.row.id - a.row.id).slice(0, limit)
  }
}
