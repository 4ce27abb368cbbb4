import type { Series, View, ViewQuery } from '../../../src-preload/contract/usage.ts'
import { type Bucket, bucketsOf, dayOfInput, dayText } from '../days.ts'
import { StudioError } from '../errors.ts'
import { folded } from '../folded.ts'
import type { StoredBook } from '../store/account/books.ts'
import { type DayState, isKnown, ownStates, stateOfStretch, statesOf } from './known.ts'
import type { ReadParts, UsedDay } from './parts.ts'
import { isOwnReadOut, Sum } from './sum.ts'

/** A row of either side, and whose it is. `id` is null where it has no place of its own. */
interface Row {
  day: number
  id: string | null
  add(sum: Sum): void
}

interface Named {
  name: string
  colour: Series['colour']
}

/** More than these are hard to tell apart by any colour: what is left is `rest`. */
const mostSeries = 12
const mostDays = 36_600

/** @throws StudioError `bad_input` for days that are none, or a side that does not know what is stacked */
export function viewOf(parts: ReadParts, book: StoredBook, query: ViewQuery, { most = mostSeries } = {}): View {
  const range = rangeOf(query)
  refuseUnknown(query)
  const states = statesIn(parts, book, query, range)
  const buckets = bucketsOf(range.from, range.to, query.grain)
  const bucketOfDay = new Int32Array(range.to - range.from + 1)
  for (const [index, { from, to }] of buckets.entries()) {
    bucketOfDay.fill(index, from - range.from, to - range.from + 1)
  }
  const known = buckets.map(({ from, to }) => states.slice(from - range.from, to - range.from + 1).some(isKnown))
  const nameOf = namer(parts, book, query)
  const rows = rowsIn(parts, book, query, range).filter(matching(query.search, nameOf))

  const byId = Map.groupBy(rows, ({ id }) => id)
  const totals = new Map([...byId].map(([id, own]) => [id, sumOf(own)]))
  const places = [...totals]
    .flatMap(([id, sum]) => (id === null ? [] : [{ id, sum }]))
    .sort((a, b) => byCost(a.sum, b.sum) || (a.id < b.id ? -1 : 1))
  const own = places.slice(0, most)
  const rest = [...(byId.get(null) ?? []), ...places.slice(most).flatMap(({ id }) => byId.get(id) ?? [])]
  const draw = (of: readonly Row[]) => columns(of, known, (day) => bucketOfDay[day - range.from] ?? 0)
  const series: Series[] = own.map(({ id, sum }) => ({
    ...{ id, ...nameOf(id), total: sum.figures() },
    ...draw(byId.get(id) ?? []),
  }))
  if (rest.length > 0) {
    series.push({ id: 'rest', name: 'rest', colour: null, total: sumOf(rest).figures(), ...draw(rest) })
  }
  return {
    query,
    buckets: buckets.map(({ from, to }) => ({
      from: dayText(from),
      to: dayText(to),
      state: stateOfStretch(states.slice(from - range.from, to - range.from + 1)),
    })),
    series,
    total: sumOf(rows).figures(),
    before: beforeOf(parts, book, query, range, nameOf),
    asOf: asOf(parts, book, query),
  }
}

/** @throws StudioError `bad_input` */
export function rangeOf(query: { from: string; to: string }): Bucket {
  const [from, to] = [dayOfInput(query.from), dayOfInput(query.to)]
  if (from > to) throw new StudioError('bad_input', 'The last day is before the first.')
  if (to - from >= mostDays) throw new StudioError('bad_input', 'That is more than a hundred years.')
  return { from, to }
}

function refuseUnknown({ by, source }: ViewQuery): void {
  if (source === 'service' && (by === 'tool' || by === 'room')) {
    throw new StudioError('bad_input', 'The service does not know tools and rooms.')
  }
  if (source === 'here' && by === 'key') {
    throw new StudioError('bad_input', 'The log of this machine knows its own key only.')
  }
}

function statesIn(
  { account, now }: ReadParts,
  { no }: StoredBook,
  { by, source }: ViewQuery,
  range: Bucket,
): DayState[] {
  if (source === 'here') return ownStates(range, now())
  const { coverage, coverageOfKeys } = account.fetches
  const covered = by === 'key' ? coverageOfKeys(no, range.from, range.to) : coverage(no, 'usage', range.from, range.to)
  return statesOf(range, covered, now())
}

function rowsIn(
  { account, here }: ReadParts,
  book: StoredBook,
  { by, source }: ViewQuery,
  { from, to }: Bucket,
): Row[] {
  if (source === 'here') {
    const rows = here.usedByDay(book.id, from, to).filter((row) => by === 'room' || !isOwnReadOut(row))
    return rows.map((row) => ({ day: row.day, id: ownPlace(row, by), add: (sum) => sum.addHere(row) }))
  }
  const { models, keys } = account.sums
  const rows = by === 'key' ? keys(book.no, from, to) : models(book.no, from, to)
  return rows.map((row) => ({ day: row.day, id: row.name, add: (sum) => sum.addService(row) }))
}

/** By model, what named none has no place of its own; by tool, what the studio itself used; by room, what tools used. */
function ownPlace({ who, model }: UsedDay, by: ViewQuery['by']): string | null {
  if (by === 'model') return model
  const kind = by === 'tool' ? 'tool:' : 'studio:'
  return who.startsWith(kind) ? who.slice(kind.length) : null
}

function namer(parts: ReadParts, book: StoredBook, { by }: ViewQuery): (id: string) => Named {
  if (by === 'tool') {
    const tools = new Map(parts.tools().map((tool) => [tool.id, tool]))
    return (id) => ({ name: tools.get(id)?.name ?? id, colour: tools.get(id)?.colour ?? 'slate' })
  }
  if (by === 'key') return (id) => ({ name: keyName(parts, book, id), colour: null })
  return (id) => ({ name: id, colour: null })
}

function keyName({ account }: ReadParts, { no }: StoredBook, id: string): string {
  const version = account.versions.newest(no, 'keys', `key:${id}`)
  const record: unknown = version ? JSON.parse(version.value) : null
  if (typeof record !== 'object' || record === null) return id
  if ('name' in record && typeof record.name === 'string' && record.name !== '') return record.name
  return 'prefix' in record && typeof record.prefix === 'string' ? record.prefix : id
}

function matching(search: string, nameOf: (id: string) => Named): (row: Row) => boolean {
  const wanted = folded(search.trim())
  if (wanted === '') return () => true
  const good = new Map<string, boolean>()
  return ({ id }) => {
    if (id === null) return false
    const known = good.get(id) ?? folded(nameOf(id).name).includes(wanted)
    good.set(id, known)
    return known
  }
}

function columns(rows: readonly Row[], known: readonly boolean[], bucketOf: (day: number) => number) {
  const sums = known.map((is) => (is ? new Sum() : null))
  for (const row of rows) {
    const sum = sums[bucketOf(row.day)]
    if (sum) row.add(sum)
  }
  return {
    requests: sums.map((sum) => (sum ? sum.requests : null)),
    tokensIn: sums.map((sum) => (sum ? sum.tokensIn : null)),
    tokensOut: sums.map((sum) => (sum ? sum.tokensOut : null)),
    tokensCached: sums.map((sum) => (sum ? sum.tokensCached : null)),
    cost: sums.map((sum) => (sum ? sum.costText() : null)),
  }
}

function sumOf(rows: readonly Row[]): Sum {
  const sum = new Sum()
  for (const row of rows) row.add(sum)
  return sum
}

/** The dearest first; where nobody knows a cost, the most requests. */
function byCost(a: Sum, b: Sum): number {
  if (a.cost !== b.cost) return a.cost < b.cost ? 1 : -1
  return b.requests - a.requests
}

function beforeOf(
  ...[parts, book, query, { from, to }, nameOf]: [ReadParts, StoredBook, ViewQuery, Bucket, (id: string) => Named]
): View['before'] {
  const range = { from: from - (to - from + 1), to: from - 1 }
  const state = stateOfStretch(statesIn(parts, book, query, range))
  const firstHere = query.source === 'here' ? parts.here.firstDayOf(book.id) : null
  const unknown = query.source === 'here' ? firstHere === null || firstHere > range.to : state === 'gap'
  if (unknown) return null
  const rows = rowsIn(parts, book, query, range).filter(matching(query.search, nameOf))
  return { from: dayText(range.from), to: dayText(range.to), total: sumOf(rows).figures(), state }
}

/** The log of this machine is never behind. */
function asOf({ account, now }: ReadParts, { no }: StoredBook, { by, source }: ViewQuery): string | null {
  if (source === 'here') return new Date(now()).toISOString()
  const at = by === 'key' ? account.fetches.lastOfKeys(no) : account.fetches.lastAt(no, 'usage')
  return at === null ? null : new Date(at).toISOString()
}
