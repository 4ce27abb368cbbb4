import type { RequestRow } from '../../src-preload/contract/requests.ts'

/** Rows held at most, whatever was scrolled through; pages far from the view keep their place and give up their rows. */
export const maxLoadedRows = 5_000
/** A first page that grew beyond twice this is cut in two, so that a change copies few rows. */
const headRows = 200

/** A stretch of the log: all rows with `from <= id < before`, newest first. Without `rows` it can be asked for again. */
export interface Page {
  before: number
  from: number
  count: number
  rows: readonly RequestRow[] | null
}

export interface Held {
  /** Newest first, without gaps between them. */
  pages: readonly Page[]
  /** The place in the list of each page's first row. */
  starts: readonly number[]
  /** Rows known, held or not. */
  count: number
  /** The highest id ever told. */
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

/** The newest rows, newest first: all that fit of those from the id `from` on. */
export function hold(rows: readonly RequestRow[], newest: number, from: number): Held {
  return withPages({ ...empty, newest }, [{ before: all, from, count: rows.length, rows }])
}

/** Gives up all rows but those of the first page. */
export const withoutRows = (held: Held): Held => ({
  ...held,
  pages: held.pages.map((page, at) => (at === 0 ? page : { ...page, rows: null })),
})

/** Forgets what lies far below the newest rows; it can be read again. Null where there is nothing to forget. */
export function withoutTail(held: Held, pages: number): Held | null {
  return held.pages.length > pages ? withPages(held, held.pages.slice(0, pages)) : null
}

/** Where the next older rows begin: below this id. */
export const oldestKnown = (held: Held): number => held.pages.at(-1)?.from ?? all

/** The page that the row of this place in the list lies in, by its number; -1 beyond the last. */
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

/** The place of an id among rows, newest first; where it would stand when it is not there, as its complement. */
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

/** The place of an id in the list, or -1 where its row is not held. */
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
 * Puts new and changed rows where their ids belong, and takes out those that no longer fit. Rows of a page that is not held
 * wait for it to be asked for; rows older than all pages are dropped unless `whole` says that nothing is missing below.
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

/** The next older rows, newest first, as asked for below `oldestKnown`. */
export function withOlder(held: Held, rows: readonly RequestRow[]): Held {
  const from = rows.at(-1)?.id
  if (from === undefined) return held
  return withPages(held, [...held.pages, { before: oldestKnown(held), from, count: rows.length, rows }])
}

/** A page that had given up its rows, asked for again below `before`; what lies below it is left out. */
export function withReloaded(held: Held, before: number, rows: readonly RequestRow[]): Held {
  const at = held.pages.findIndex((page) => page.before === before)
  const page = held.pages[at]
  if (!page) return held
  const own = rows.filter(({ id }) => id >= page.from)
  return withPages(held, held.pages.with(at, { ...page, count: own.length, rows: own }))
}

/** The first page between two places in the list that must be asked for, or null. */
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

/** Gives up the rows of the pages farthest from what is seen until few enough are held. The first page always stays. */
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
