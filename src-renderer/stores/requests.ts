import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Problem } from '../../src-preload/contract/problem.ts'
import {
  maxFixtureRequests,
  type RequestDetail,
  type RequestFilter,
  type RequestRow,
  type RequestSelection,
  type RequestsEvent,
  type requestCounts,
} from '../../src-preload/contract/requests.ts'
import {
  bounded,
  empty,
  type Held,
  hold,
  loadedRows,
  place,
  rowById,
  withOlder,
  withoutRows,
  withoutTail,
  withReloaded,
} from './requestPages.ts'

/** Number of newest rows in a watch's snapshot, and page size for older rows. */
export const newestRows = 200
export const pageRows = 500
/** Upper limit of collected new rows while the log is not followed. Above this limit, following again reloads the log. */
const maxFresh = 1_000
/** Upper limit of pages below the newest rows while the log is followed. Older pages are read again when needed. */
const maxFollowedPages = 60
/** Upper limit of list rows: browsers limit the height of an element to about 33 million pixels. */
const maxListed = 500_000

export interface Inspected {
  id: number
  state: 'loading' | 'ready' | 'failed'
  detail: RequestDetail | null
  problem: Problem | null
}

export interface RequestsStore {
  filter: RequestFilter
  /** `loading`: no snapshot of this filter yet. `failed`: the core refused the filter, see `problem`. */
  state: 'loading' | 'live' | 'failed'
  problem: Problem | null
  held: Held
  /** Whether rows below the oldest known row exist. */
  older: 'more' | 'loading' | 'end'
  /** True: new rows appear at the top. False: they collect in `fresh`, and nothing moves under the reader. */
  following: boolean
  /** While not following: the newest row that was already in the list. */
  frozenAt: number
  /** Newest first, at most 1,000. `freshCount` counts all. */
  fresh: readonly RequestRow[]
  freshCount: number
  counts: ReturnType<(typeof requestCounts)['parse']> | null
  selected: number | null
  /** Ids of the requests that a person selected for a replay or a fixture. They stay when the filter changes. */
  marked: ReadonlySet<number>
  /** The open dialog about logged requests. Here, because a resized window moves the details, and the dialog must stay. */
  dialog: { kind: 'ask'; detail: RequestDetail } | { kind: 'replay'; selection: RequestSelection } | null
  inspected: Inspected | null
}

/** Excludes the studio's own account requests: one every few minutes would hide the others. */
export const defaultFilter: RequestFilter = { polling: false }

/** Whether a person has narrowed the log. */
export const isFiltered = ({ polling: _, ...others }: RequestFilter): boolean => Object.keys(others).length > 0

export const firstRequests: RequestsStore = {
  filter: defaultFilter,
  state: 'loading',
  problem: null,
  held: empty,
  older: 'more',
  following: true,
  frozenAt: 0,
  fresh: [],
  freshCount: 0,
  counts: null,
  selected: null,
  marked: new Set(),
  dialog: null,
  inspected: null,
}

export const requestsStore = createStore<RequestsStore>(() => firstRequests)
export const useRequests = <T>(select: (store: RequestsStore) => T): T => useStore(requestsStore, select)

export const isOpen = ({ state }: RequestRow): boolean =>
  state === 'waiting' || state === 'backing_off' || state === 'sent' || state === 'streaming'

/** The outcome of a row, as used by the contract's filter. Every row has exactly one outcome. */
export function outcomeOf(row: RequestRow): NonNullable<RequestFilter['outcome']> {
  if (isOpen(row)) return 'open'
  if (row.state === 'refused' || row.state === 'cancelled') return row.state
  return row.state === 'done' && (row.status ?? 0) < 400 ? 'ok' : 'failed'
}

/**
 * The filter for the watch. Without `outcome`, because a row that ends would leave the filter `open` without an event. The page drops
 * rows with other outcomes.
 */
export function watchedFilter({ outcome, ...others }: RequestFilter): RequestFilter {
  return outcome === undefined || outcome === 'open' ? others : { ...others, outcome }
}

/** Sets another filter and removes all rows of the previous filter. */
export const withFilter = (store: RequestsStore, filter: RequestFilter): RequestsStore => ({
  ...firstRequests,
  filter,
  selected: store.selected,
  marked: store.marked,
  dialog: store.dialog,
  inspected: store.inspected,
})

export const withFailure = (store: RequestsStore, problem: Problem): RequestsStore => ({
  ...store,
  state: 'failed',
  problem,
})

/** Applies an event. Cost: the rows of the event, and one copy of each affected page. */
export function withEvent(store: RequestsStore, event: RequestsEvent): RequestsStore {
  if (event.type === 'rows') return withRows((event.moved ?? []).reduce(withMoved, store), event.rows)
  if (event.type === 'snapshot') return withSnapshot(store, event.rows)
  // The rows still exist, but parts of their content were deleted. Rows outside of the view are read again when needed.
  return { ...store, held: withoutRows(store.held) }
}

/**
 * Applies a snapshot of the newest rows. When the rows overlap the known rows, the list keeps its position and only differences apply.
 * Otherwise the snapshot replaces all rows.
 */
function withSnapshot(store: RequestsStore, rows: readonly RequestRow[]): RequestsStore {
  const down = rows.length < newestRows ? 0 : (rows.at(-1)?.id ?? 0)
  if (store.state !== 'live' || store.held.count === 0 || down > store.held.newest) {
    const all = store.filter.outcome !== 'open' && rows.length < newestRows
    return {
      ...store,
      state: 'live',
      problem: null,
      held: hold(matching(store, rows), rows[0]?.id ?? 0, rows.at(-1)?.id ?? 0),
      frozenAt: rows[0]?.id ?? 0,
      older: all ? 'end' : 'more',
      fresh: [],
      freshCount: 0,
    }
  }
  const reported = new Set(rows.map(({ id }) => id))
  const gone = [...loadedRows(store.held)].filter(({ id }) => id >= down && !reported.has(id))
  const fresh = store.fresh.filter(({ id }) => id < down || reported.has(id))
  const freshCount = store.freshCount - (store.fresh.length - fresh.length)
  return withRows({ ...store, held: place(store.held, gone, () => false, false), fresh, freshCount }, rows)
}

/** Removes a row that was replaced by the row `to`. A selection moves to the new row. */
function withMoved(store: RequestsStore, { from, to }: { from: number; to: number }): RequestsStore {
  const row = rowById(store.held, from)
  const isFresh = store.fresh.some(({ id }) => id === from)
  const { counts, inspected } = store
  return {
    ...store,
    held: row ? place(store.held, [row], () => false, false) : store.held,
    fresh: isFresh ? store.fresh.filter(({ id }) => id !== from) : store.fresh,
    freshCount: store.freshCount - Number(isFresh),
    counts: counts && row ? { ...counts, stored: counts.stored - 1 } : counts,
    ...(store.selected === from && { selected: to, inspected: inspected && { ...inspected, id: to } }),
  }
}

function matching({ filter: { outcome } }: RequestsStore, rows: readonly RequestRow[]): readonly RequestRow[] {
  return outcome === undefined ? rows : rows.filter((row) => outcomeOf(row) === outcome)
}

function withRows(store: RequestsStore, rows: readonly RequestRow[]): RequestsStore {
  if (store.state !== 'live' || rows.length === 0) return store
  const { outcome } = store.filter
  const fits = (row: RequestRow): boolean => outcome === undefined || outcomeOf(row) === outcome
  const ascending = [...rows].sort((a, b) => a.id - b.id)
  const added = ascending.filter((row) => row.id > store.held.newest && fits(row))
  const changed = ascending.filter((row) => row.id <= store.held.newest)
  const counts = store.counts && { ...store.counts, stored: store.counts.stored + added.length }
  const top = Math.max(store.held.newest, ascending.at(-1)?.id ?? 0)
  if (store.following) {
    const held = place({ ...store.held, newest: top }, [...changed, ...added], fits, store.older === 'end')
    const short = withoutTail(held, maxFollowedPages)
    return { ...store, held: bounded(short ?? held, 0, 0), older: short ? 'more' : store.older, counts }
  }
  const reported = freshen(store, ascending, fits)
  const seen = ascending.filter(({ id }) => id <= store.frozenAt)
  return {
    ...store,
    ...reported,
    held: place({ ...store.held, newest: top }, seen, fits, store.older === 'end'),
    counts,
  }
}

/** Collects new rows in `fresh`, and updates collected rows, while the list must not move. */
function freshen(
  { fresh, freshCount, frozenAt }: RequestsStore,
  ascending: readonly RequestRow[],
  fits: (row: RequestRow) => boolean,
): Pick<RequestsStore, 'fresh' | 'freshCount'> {
  const waiting = new Map(fresh.map((row) => [row.id, row]))
  // Rows that were dropped above the limit are already counted.
  const from = freshCount > fresh.length ? (fresh.at(-1)?.id ?? 0) : frozenAt + 1
  let count = freshCount
  for (const row of ascending) {
    if (row.id < from) continue
    const had = waiting.has(row.id)
    if (fits(row)) waiting.set(row.id, row)
    else waiting.delete(row.id)
    count += Number(fits(row)) - Number(had)
  }
  const rows = [...waiting.values()].sort((a, b) => b.id - a.id)
  return { fresh: rows.slice(0, maxFresh), freshCount: count }
}

/** Stops following: the reader scrolled away from the newest rows, so the list must not move. */
export const withoutFollowing = (store: RequestsStore): RequestsStore =>
  store.following ? { ...store, following: false, frozenAt: store.held.newest } : store

/** Follows the newest rows again. Returns false when too many rows have arrived, so that the log must be reloaded. */
export function withFollowing(store: RequestsStore): RequestsStore | false {
  if (store.following) return store
  if (store.freshCount > store.fresh.length) return false
  const held = place(store.held, [...store.fresh].reverse(), () => true, false)
  return { ...store, following: true, held, fresh: [], freshCount: 0 }
}

export const withOlderRows = (store: RequestsStore, rows: readonly RequestRow[], asked: number): RequestsStore => ({
  ...store,
  held: withOlder(store.held, rows),
  older: rows.length < asked ? 'end' : 'more',
})

export const withPageAgain = (store: RequestsStore, before: number, rows: readonly RequestRow[]): RequestsStore => ({
  ...store,
  held: withReloaded(store.held, before, rows),
})

/** The length of the list: the known rows plus the older rows that the request log contains. */
export function listed({ state, held, older, counts, freshCount }: RequestsStore): number {
  if (state !== 'live') return 0
  if (older === 'end') return held.count
  return Math.max(held.count, Math.min((counts?.stored ?? 0) - freshCount, maxListed))
}

export const withSelected = (store: RequestsStore, id: number | null): RequestsStore => ({
  ...store,
  selected: id,
  inspected: id === null ? null : { id, state: 'loading', detail: null, problem: null },
})

/** Selects a request for a replay, or deselects it. */
export function withMark(store: RequestsStore, id: number): RequestsStore {
  const marked = new Set(store.marked)
  if (!marked.delete(id) && marked.size < maxFixtureRequests) marked.add(id)
  return { ...store, marked }
}

/** Sets the details, unless another request has been selected since. */
export function withInspected(store: RequestsStore, inspected: Inspected): RequestsStore {
  return store.selected === inspected.id ? { ...store, inspected } : store
}

/** The row of the shown request: from the loaded rows, otherwise from the details. */
export function selectedRow(store: RequestsStore): RequestRow | null {
  if (store.selected === null) return null
  const { selected, held, fresh, inspected } = store
  const live = rowById(held, selected) ?? fresh.find(({ id }) => id === selected) ?? null
  return live ?? (inspected?.id === selected ? (inspected.detail?.row ?? null) : null)
}

/** Models of the loaded rows, as choices for a filter. */
export function modelsSeen({ held }: RequestsStore): string[] {
  const models = new Set<string>()
  for (const { model } of loadedRows(held)) if (model !== null) models.add(model)
  return [...models].sort()
}
