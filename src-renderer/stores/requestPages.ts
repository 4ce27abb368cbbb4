import type { RequestRow } from '../../src-preload/contract/requests.ts'

/** Upper limit of loaded rows. Pages far from the view keep their position and release their rows. */
export const maxLoadedRows = 5_000
/** A first page with more than twice this number of rows is split, so that each change copies few rows. */
const headRows = 200

/** A range of the log: all rows with `from <= id < before`, newest first. Without `rows`, the range must be read again. */
export interface Page {
  before: number
  from: number
  count: number
  rows: readonly RequestRow[] | null
}

export interface Held {
  /** Newest first, without gaps between pages. */
  pages: readonly Page[]
  /** List index of each page's first row. */
  starts: readonly number[]
  /** The number of known rows, loaded or not. */
  count: number
  /** The highest id ever received. */
  newest: number
}

const all = Number.MAX_SAFE_INTEGER
export const empty: Held = { pages: [], starts: [], count: 0, newest: 0 }

function withPages(held: Held, pages: readonly Page[]): Held {
  const starts: number[] = []
  let count = 0
  for (const page of pages) {
    starts.push(count)
    count += page.count
  }
  return { ...held, pages, starts, count }
}

/** Creates the state from the newest rows, newest first: all rows from the id `from` on. */
export function hold(rows: readonly RequestRow[], newest: number, from: number): Held {
  return withPages({ ...empty, newest }, [{ before: all, from, count: rows.length, rows }])
}

/** Releases all rows except those of the first page. */
export const withoutRows = (held: Held): Held => ({
  ...held,
  pages: held.pages.map((page, at) => (at === 0 ? page : { ...page, rows: null })),
})

/** Drops all but the first `pages` pages. Dropped pages can be read again. Null when there is nothing to drop. */
export function withoutTail(held: Held, pages: number): Held | null {
  return held.pages.length > pages ? withPages(held, held.pages.slice(0, pages)) : null
}

/** The exclusive upper limit of the ids of the next older rows. */
export const oldestKnown = (held: Held): number => held.pages.at(-1)?.from ?? all

/** The index of the page that contains a list index, or -1 beyond the last page. */
export function pageAt({ pages, starts, count }: Held, index: number): number {
  if (index < 0 || index >= count) return -1
  let low = 0
  let high = pages.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return low
}

export function rowAt(held: Held, index: number): RequestRow | null {
  const page = pageAt(held, index)
  return held.pages[page]?.rows?.[index - (held.starts[page] ?? 0)] ?? null
}

const pageOf = (pages: readonly Page[], id: number): number =>
  pages.findIndex((page) => id >= page.from && id < page.before)

/** Binary search for an id in rows, newest first. When absent: the bitwise complement of the insertion index. */
function search(rows: readonly RequestRow[], id: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.id ?? 0) > id) low = middle + 1
    else high = middle
  }
  return rows[low]?.id === id ? low : ~low
}

export function rowById(held: Held, id: number): RequestRow | null {
  const rows = held.pages[pageOf(held.pages, id)]?.rows
  return rows?.[search(rows, id)] ?? null
}

/** The list index of an id, or -1 when its row is not loaded. */
export function indexOf(held: Held, id: number): number {
  const page = pageOf(held.pages, id)
  const rows = held.pages[page]?.rows
  const at = rows ? search(rows, id) : -1
  return at < 0 ? -1 : (held.starts[page] ?? 0) + at
}

export function* loadedRows({ pages }: Held): Generator<RequestRow> {
  for (const { rows } of pages) if (rows) yield* rows
}

/**
 * Inserts new and changed rows at their ids, and removes rows that no longer match. Rows of a released page are skipped until the page is
 * read again. Rows older than all pages are dropped unless `whole` says that nothing older exists.
 */
export function place(
  held: Held,
  rows: readonly RequestRow[],
  fits: (row: RequestRow) => boolean,
  whole: boolean,
): Held {
  if (rows.length === 0) return held
  const pages = [...held.pages]
  if (pages.length === 0) pages.push({ before: all, from: held.newest + 1, count: 0, rows: [] })
  const copies = new Map<number, RequestRow[]>()
  for (const row of rows) {
    const found = pageOf(pages, row.id)
    const at = found < 0 && whole ? pages.length - 1 : found
    const copy = copies.get(at) ?? pages[at]?.rows?.slice()
    if (!copy) continue
    copies.set(at, copy)
    put(copy, row, fits(row))
  }
  for (const [at, copy] of copies) {
    const page = pages[at]
    const from = Math.min(page?.from ?? all, copy.at(-1)?.id ?? all)
    if (page) pages[at] = { ...page, from, count: copy.length, rows: copy }
  }
  return withPages(held, cutHead(pages))
}

function put(rows: RequestRow[], row: RequestRow, fits: boolean): void {
  const found = search(rows, row.id)
  if (found < 0 && fits) rows.splice(~found, 0, row)
  else if (found >= 0 && fits) rows[found] = row
  else if (found >= 0) rows.splice(found, 1)
}

function cutHead(pages: readonly Page[]): readonly Page[] {
  const [head, ...others] = pages
  if (!head?.rows || head.rows.length <= 2 * headRows) return pages
  const cut = head.rows[headRows - 1]?.id ?? head.from
  const first = { before: head.before, from: cut, count: headRows, rows: head.rows.slice(0, headRows) }
  const rest = { before: cut, from: head.from, count: head.count - headRows, rows: head.rows.slice(headRows) }
  return [first, rest, ...others]
}

/** Appends the next older rows, newest first, as read below `oldestKnown`. */
export function withOlder(held: Held, rows: readonly RequestRow[]): Held {
  const from = rows.at(-1)?.id
  if (from === undefined) return held
  return withPages(held, [...held.pages, { before: oldestKnown(held), from, count: rows.length, rows }])
}

/** Restores the rows of a released page, read below `before`. Rows outside of the page are ignored. */
export function withReloaded(held: Held, before: number, rows: readonly RequestRow[]): Held {
  const at = held.pages.findIndex((page) => page.before === before)
  const page = held.pages[at]
  if (!page) return held
  const own = rows.filter(({ id }) => id >= page.from)
  return withPages(held, held.pages.with(at, { ...page, count: own.length, rows: own }))
}

/** The first page between two list indexes that must be read, or null. */
export function missingPage(held: Held, first: number, last: number): Page | null {
  const from = pageAt(held, Math.max(0, first))
  if (from < 0) return null
  for (let at = from; at < held.pages.length; at++) {
    const page = held.pages[at]
    if (!page || (held.starts[at] ?? 0) > last) return null
    if (page.rows === null) return page
  }
  return null
}

/** Releases the rows of the pages farthest from the view until at most `maxLoadedRows` are loaded. Never releases the first page. */
export function bounded(held: Held, first: number, last: number): Held {
  let rows = 0
  for (const page of held.pages) rows += page.rows?.length ?? 0
  if (rows <= maxLoadedRows) return held
  const away = held.pages
    .map((page, at) => {
      const start = held.starts[at] ?? 0
      return { at, size: page.rows?.length ?? 0, far: Math.max(start - last, first - (start + page.count), 0) }
    })
    .filter(({ at, size, far }) => at > 0 && size > 0 && far > 0)
    .sort((a, b) => b.far - a.far)
  const pages = [...held.pages]
  for (const { at, size } of away) {
    if (rows <= maxLoadedRows) break
    const page = pages[at]
    if (page) pages[at] = { ...page, rows: null }
    rows -= size
  }
  return { ...held, pages }
}
