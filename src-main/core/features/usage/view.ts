import type { Series, UsageView, ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { StudioError } from '../../errors.ts'
import { bucketsOf, type DayBucket, dayOfInput, dayText } from '../../shared/days.ts'
import { folded } from '../../shared/text/caseFolding.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import type { ServiceDay } from '../../store/account/dailySums.ts'
import { type DayState, isKnown, ownStates, stateOfStretch, statesOf } from './coverage.ts'
import type { MeasuredDay, ReadParts } from './dependencies.ts'
import { isOwnReadOut, Sum } from './totals.ts'

/** A row of either source. Ten years have tens of thousands of rows, so they are not converted. */
type Row = ServiceDay | MeasuredDay

/** Sum and rows of one series; `id` is null for rows that belong to `rest`. */
interface SeriesUsage {
  id: string | null
  sum: Sum
  rows: Row[]
}

interface Named {
  name: string
  colour: Series['colour']
}

/** More series cannot be distinguished by colour. The others are added up as `rest`. */
const maxSeries = 12
const maxDays = 36_600

/** @throws StudioError `bad_input` for invalid days, or a grouping that the source does not support */
export function viewOf(
  parts: ReadParts,
  account: StoredAccount,
  query: ViewQuery,
  { most = maxSeries } = {},
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
  const all = usageBySeries(parts, account, query, range, nameOf).sort(byCostAndRequests)
  const placed = all.flatMap(({ id, ...own }) => (id === null ? [] : [{ id, ...own }]))
  const rest = [...all.filter(({ id }) => id === null), ...placed.slice(most)]
  const draw = (own: readonly Pick<SeriesUsage, 'rows'>[]) =>
    columns(own, known, (day) => bucketOfDay[day - range.from] ?? 0)
  const series: Series[] = placed
    .slice(0, most)
    .map(({ id, ...own }) => ({ id, ...nameOf(id), total: own.sum.figures(), ...draw([own]) }))
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
  if (to - from >= maxDays) throw new StudioError('bad_input', 'The range is longer than 100 years.')
  return { from, to }
}

function refuseUnknown({ by, source }: ViewQuery): void {
  if (source === 'service' && (by === 'app' || by === 'feature')) {
    throw new StudioError('bad_input', 'The service has no usage per app or feature.')
  }
  if (source === 'here' && by === 'key') {
    throw new StudioError(
      'bad_input',
      'The local log has no usage per key, because it only knows this connection’s key.',
    )
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

function usageBySeries(
  ...[{ accountStore, local }, account, query, { from, to }, nameOf]: [
    ...[ReadParts, StoredAccount, ViewQuery, DayBucket],
    (id: string) => Named,
  ]
): SeriesUsage[] {
  const { by, source, search } = query
  const { models, keys } = accountStore.sums
  const service = () => (by === 'key' ? keys(account.no, from, to) : models(account.no, from, to))
  const rows: readonly Row[] = source === 'service' ? service() : local.usedByDay(account.id, from, to)
  const all = new Map<string | null, SeriesUsage>()
  for (const row of rows) {
    if ('who' in row && by !== 'feature' && isOwnReadOut(row)) continue
    const id = 'who' in row ? seriesIdOf(row, by) : row.name
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
  if ('who' in row) sum.addLocal(row)
  else sum.addService(row)
}

/**
 * The series of a row. Null by model for a row without a model, by app for this program's own requests, and by feature for requests of
 * apps.
 */
function seriesIdOf({ who, model }: MeasuredDay, by: ViewQuery['by']): string | null {
  if (by === 'model') return model
  const kind = by === 'app' ? 'tool:' : 'studio:'
  return who.startsWith(kind) ? who.slice(kind.length) : null
}

function namer(parts: ReadParts, account: StoredAccount, { by }: ViewQuery): (id: string) => Named {
  if (by === 'app') {
    const apps = new Map(parts.apps().map((app) => [app.id, app]))
    return (id) => ({ name: apps.get(id)?.name ?? id, colour: apps.get(id)?.colour ?? 'slate' })
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

function columns(
  own: readonly Pick<SeriesUsage, 'rows'>[],
  known: readonly boolean[],
  bucketOf: (day: number) => number,
) {
  const sums = known.map((is) => (is ? new Sum() : null))
  for (const { rows } of own) {
    for (const row of rows) {
      const sum = sums[bucketOf(row.day)]
      if (sum) addRow(sum, row)
    }
  }
  const figures = sums.map((sum) => (sum ? sum.figures() : null))
  return {
    requests: figures.map((one) => one?.requests ?? null),
    tokensIn: figures.map((one) => one?.tokensIn ?? null),
    tokensOut: figures.map((one) => one?.tokensOut ?? null),
    tokensCached: figures.map((one) => one?.tokensCached ?? null),
    cost: figures.map((one) => one?.cost ?? null),
    incomplete: sums.map((sum) => (sum ? sum.incomplete : null)),
  }
}

function summed(all: readonly Pick<SeriesUsage, 'sum'>[]): Sum {
  const total = new Sum()
  for (const { sum } of all) total.add(sum)
  return total
}

/** Highest cost first, then most requests. */
function byCostAndRequests({ id, sum: a }: SeriesUsage, { id: other, sum: b }: SeriesUsage): number {
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
  const firstLocal = query.source === 'here' ? parts.local.firstDayOf(account.id) : null
  const unknown = query.source === 'here' ? firstLocal === null || firstLocal > range.to : state === 'gap'
  if (unknown) return null
  const total = summed(usageBySeries(parts, account, query, range, nameOf)).figures()
  return { from: dayText(range.from), to: dayText(range.to), total, state }
}

/** The time of the last fetch, ISO 8601. Local usage is always current. */
function asOf({ accountStore, now }: ReadParts, { no }: StoredAccount, { by, source }: ViewQuery): string | null {
  if (source === 'here') return new Date(now()).toISOString()
  const at = by === 'key' ? accountStore.fetches.lastOfKeys(no) : accountStore.fetches.lastAt(no, 'usage')
  return at === null ? null : new Date(at).toISOString()
}
