import type { Series, UsageView, ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { StudioError } from '../../errors.ts'
import { bucketsOf, type DayBucket, dayOfInput, dayText } from '../../shared/days.ts'
import { folded } from '../../shared/text/caseFolding.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import type { ServiceDay } from '../../store/account/dailySums.ts'
import { type DayState, isKnown, ownStates, stateOfStretch, statesOf } from './coverage.ts'
import type { MeasuredDay, ReadParts } from './dependencies.ts'
import { isOwnReadOut, Sum } from './totals.ts'

/** A row of either side: ten years have tens of thousands, so they are read as they are. */
type Row = ServiceDay | MeasuredDay

/** What one stacked thing used; `id` is null for what has no place of its own. */
interface Own {
  id: string | null
  sum: Sum
  rows: Row[]
}

interface Named {
  name: string
  colour: Series['colour']
}

/** More than these are hard to tell apart by any colour: what is left is `rest`. */
const mostSeries = 12
const mostDays = 36_600

/** @throws StudioError `bad_input` for days that are none, or a side that does not know what is stacked */
export function viewOf(
  parts: ReadParts,
  account: StoredAccount,
  query: ViewQuery,
  { most = mostSeries } = {},
): UsageView {
  const range = rangeOf(query)
  refuseUnknown(query)
  const states = statesIn(parts, account, query, range)
  const buckets = bucketsOf(range.from, range.to, query.grain)
  const bucketOfDay = new Int32Array(range.to - range.from + 1)
  for (const [index, { from, to }] of buckets.entries()) {
    bucketOfDay.fill(index, from - range.from, to - range.from + 1)
  }
  const known = buckets.map(({ from, to }) => states.slice(from - range.from, to - range.from + 1).some(isKnown))
  const nameOf = namer(parts, account, query)
  const all = ownIn(parts, account, query, range, nameOf).sort(byPlace)
  const placed = all.flatMap(({ id, ...own }) => (id === null ? [] : [{ id, ...own }]))
  const rest = [...all.filter(({ id }) => id === null), ...placed.slice(most)]
  const draw = (own: readonly Pick<Own, 'rows'>[]) => columns(own, known, (day) => bucketOfDay[day - range.from] ?? 0)
  const series: Series[] = placed.slice(0, most).map(({ id, ...own }) => ({
    ...{ id, ...nameOf(id), total: own.sum.figures() },
    ...draw([own]),
  }))
  if (rest.length > 0) {
    series.push({ id: 'rest', name: 'rest', colour: null, total: summed(rest).figures(), ...draw(rest) })
  }
  return {
    query,
    buckets: buckets.map(({ from, to }) => ({
      from: dayText(from),
      to: dayText(to),
      state: stateOfStretch(states.slice(from - range.from, to - range.from + 1)),
    })),
    series,
    total: summed(all).figures(),
    before: beforeOf(parts, account, query, range, nameOf),
    asOf: asOf(parts, account, query),
  }
}

/** @throws StudioError `bad_input` */
export function rangeOf(query: { from: string; to: string }): DayBucket {
  const [from, to] = [dayOfInput(query.from), dayOfInput(query.to)]
  if (from > to) throw new StudioError('bad_input', 'The last day is before the first.')
  if (to - from >= mostDays) throw new StudioError('bad_input', 'That is more than a hundred years.')
  return { from, to }
}

function refuseUnknown({ by, source }: ViewQuery): void {
  if (source === 'service' && (by === 'app' || by === 'feature')) {
    throw new StudioError('bad_input', 'The service does not know tools and rooms.')
  }
  if (source === 'here' && by === 'key') {
    throw new StudioError('bad_input', 'The log of this machine knows its own key only.')
  }
}

function statesIn(
  { accountStore, now }: ReadParts,
  { no }: StoredAccount,
  { by, source }: ViewQuery,
  range: DayBucket,
): DayState[] {
  if (source === 'here') return ownStates(range, now())
  const { coverage, coverageOfKeys } = accountStore.fetches
  const covered = by === 'key' ? coverageOfKeys(no, range.from, range.to) : coverage(no, 'usage', range.from, range.to)
  return statesOf(range, covered, now())
}

function ownIn(
  ...[{ accountStore, here }, account, query, { from, to }, nameOf]: [
    ...[ReadParts, StoredAccount, ViewQuery, DayBucket],
    (id: string) => Named,
  ]
): Own[] {
  const { by, source, search } = query
  const { models, keys } = accountStore.sums
  const service = () => (by === 'key' ? keys(account.no, from, to) : models(account.no, from, to))
  const rows: readonly Row[] = source === 'service' ? service() : here.usedByDay(account.id, from, to)
  const all = new Map<string | null, Own>()
  for (const row of rows) {
    if ('who' in row && by !== 'feature' && isOwnReadOut(row)) continue
    const id = 'who' in row ? ownPlace(row, by) : row.name
    let own = all.get(id)
    if (!own) {
      own = { id, sum: new Sum(), rows: [] }
      all.set(id, own)
    }
    own.rows.push(row)
    addRow(own.sum, row)
  }
  return [...all.values()].filter(({ id }) => isSearched(search, id === null ? null : nameOf(id)))
}

function addRow(sum: Sum, row: Row): void {
  if ('who' in row) sum.addHere(row)
  else sum.addService(row)
}

/** By model, what named none has no place of its own; by tool, what the studio itself used; by room, what tools used. */
function ownPlace({ who, model }: MeasuredDay, by: ViewQuery['by']): string | null {
  if (by === 'model') return model
  const kind = by === 'app' ? 'tool:' : 'studio:'
  return who.startsWith(kind) ? who.slice(kind.length) : null
}

function namer(parts: ReadParts, account: StoredAccount, { by }: ViewQuery): (id: string) => Named {
  if (by === 'app') {
    const tools = new Map(parts.tools().map((tool) => [tool.id, tool]))
    return (id) => ({ name: tools.get(id)?.name ?? id, colour: tools.get(id)?.colour ?? 'slate' })
  }
  if (by === 'key') return (id) => ({ name: keyName(parts, account, id), colour: null })
  return (id) => ({ name: id, colour: null })
}

function keyName({ accountStore }: ReadParts, { no }: StoredAccount, id: string): string {
  const version = accountStore.versions.newest(no, 'keys', `key:${id}`)
  const record: unknown = version ? JSON.parse(version.value) : null
  if (typeof record !== 'object' || record === null) return id
  if ('name' in record && typeof record.name === 'string' && record.name !== '') return record.name
  return 'prefix' in record && typeof record.prefix === 'string' ? record.prefix : id
}

function isSearched(search: string, named: Named | null): boolean {
  const wanted = folded(search.trim())
  return wanted === '' || (named !== null && folded(named.name).includes(wanted))
}

function columns(own: readonly Pick<Own, 'rows'>[], known: readonly boolean[], bucketOf: (day: number) => number) {
  const sums = known.map((is) => (is ? new Sum() : null))
  for (const { rows } of own) {
    for (const row of rows) {
      const sum = sums[bucketOf(row.day)]
      if (sum) addRow(sum, row)
    }
  }
  return {
    requests: sums.map((sum) => (sum ? sum.requests : null)),
    tokensIn: sums.map((sum) => (sum ? sum.tokensIn : null)),
    tokensOut: sums.map((sum) => (sum ? sum.tokensOut : null)),
    tokensCached: sums.map((sum) => (sum ? sum.tokensCached : null)),
    cost: sums.map((sum) => (sum ? sum.costText() : null)),
  }
}

function summed(all: readonly Pick<Own, 'sum'>[]): Sum {
  const total = new Sum()
  for (const { sum } of all) total.add(sum)
  return total
}

/** The dearest first; where nobody knows a cost, the most requests. */
function byPlace({ id, sum: a }: Own, { id: other, sum: b }: Own): number {
  if (a.cost !== b.cost) return a.cost < b.cost ? 1 : -1
  return b.requests - a.requests || ((id ?? '') < (other ?? '') ? -1 : 1)
}

function beforeOf(
  ...[parts, account, query, { from, to }, nameOf]: [
    ReadParts,
    StoredAccount,
    ViewQuery,
    DayBucket,
    (id: string) => Named,
  ]
): UsageView['before'] {
  const range = { from: from - (to - from + 1), to: from - 1 }
  const state = stateOfStretch(statesIn(parts, account, query, range))
  const firstHere = query.source === 'here' ? parts.here.firstDayOf(account.id) : null
  const unknown = query.source === 'here' ? firstHere === null || firstHere > range.to : state === 'gap'
  if (unknown) return null
  const total = summed(ownIn(parts, account, query, range, nameOf)).figures()
  return { from: dayText(range.from), to: dayText(range.to), total, state }
}

/** The log of this machine is never behind. */
function asOf({ accountStore, now }: ReadParts, { no }: StoredAccount, { by, source }: ViewQuery): string | null {
  if (source === 'here') return new Date(now()).toISOString()
  const at = by === 'key' ? accountStore.fetches.lastOfKeys(no) : accountStore.fetches.lastAt(no, 'usage')
  return at === null ? null : new Date(at).toISOString()
}
