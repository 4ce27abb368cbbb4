import { type DayNumber, dayOfDate, dayOfMs } from '../../shared/days.ts'
import { fromAtto, toAtto } from '../../shared/money.ts'
import type { DayRow, UndatedRow } from '../../store/account/days.ts'
import { type FigureName, figureNames, maxUsage, type UsageFigures } from '../../store/account/figures.ts'
import type { AccountReply } from '../../store/account/saveReply.ts'
import type { AccountUsage, KeyDaily, KeyList, KeyRecord, KeyTotals } from '../../upstream/reply/schemas.ts'

/** Start and end of a request, ms since 1970. The reply describes an instant between them. */
export interface RequestTimes {
  askedAt: number
  answeredAt: number
}

/** The last 30 days (specification, Limits): today and the 29 days before. */
const windowDays = 30
/** A service may report more days than it must. A row further back than this is an error. */
const maxDaysBack = 400
/** In time zones ahead of UTC, a row may have tomorrow's date. */
const maxDaysAhead = 1

type Read = (DayRow | UndatedRow) & { day: DayNumber | null }

/** `GET /v1/usage`: the account's days by model, its balance and its lifetime spend. */
export function reportedByUsage(asked: RequestTimes, usage: AccountUsage): AccountReply {
  const rows = usage.usage?.map((row) => ({
    day: dayOfDate(row.date),
    date: named(row.date),
    model: named(row.model),
    ...figuresIn({
      requests: row.requests,
      tokensIn: row.tokens_in,
      tokensOut: row.tokens_out,
      tokensCached: cachedIn(row.tokens_cached, row.tokens_in),
      cost: row.cost_sc,
    }),
  }))
  const value = JSON.stringify({ balance: money(usage.balance), spent: money(usage.total_spent) })
  return { what: 'usage', at: asked.askedAt, ...daysOf(asked, rows), values: [{ what: 'account', value }] }
}

/** `GET /v1/keys/{keyID}/usage/daily` */
export function reportedByKeyDays(asked: RequestTimes, keyId: string, daily: KeyDaily): AccountReply {
  const rows = daily.usage?.map((row) => ({
    day: dayOfDate(row.date),
    date: named(row.date),
    model: '',
    ...figuresIn({
      requests: row.total_requests,
      tokensIn: row.total_tokens_in,
      tokensOut: row.total_tokens_out,
      cost: row.total_cost_sc,
    }),
  }))
  return { what: `days:${keyId}`, at: asked.askedAt, ...daysOf(asked, rows) }
}

/** `GET /v1/keys/{keyID}/usage` */
export function reportedByTotals({ askedAt }: RequestTimes, keyId: string, totals: KeyTotals): AccountReply {
  const value = JSON.stringify({
    requests: totals.total_requests ?? null,
    tokensIn: totals.total_tokens_in ?? null,
    tokensOut: totals.total_tokens_out ?? null,
    cost: money(totals.total_cost_sc),
  })
  const what = `totals:${keyId}`
  return { what, at: askedAt, days: null, values: [{ what, value }] }
}

/** `GET /v1/keys/`: a known key that is missing from this list has been deleted. */
export function reportedByKeys({ askedAt }: RequestTimes, { api_keys: keys }: KeyList): AccountReply {
  const byId = new Map((keys ?? []).flatMap((key) => (keyIdOf(key) === null ? [] : [[keyIdOf(key), key]])))
  const values = [...byId.values()].map((key) => ({ what: `key:${key.id}`, value: JSON.stringify(recordOf(key)) }))
  return { what: 'keys', at: askedAt, days: null, values, listed: 'key:' }
}

/** `GET /v1/keys/current`, for a service without a key list: only the calling key is known. */
export function reportedByCurrentKey({ askedAt }: RequestTimes, key: KeyRecord): AccountReply {
  const value = JSON.stringify(recordOf(key))
  const values = keyIdOf(key) === null ? [] : [{ what: `current:${key.id}`, value }]
  return { what: 'current', at: askedAt, days: null, values, listed: 'current:' }
}

/** The id of a key, if it can be part of a URL path; else null. */
export function keyIdOf({ id }: KeyRecord): string | null {
  return typeof id === 'string' && /^[\w-]{1,100}$/.test(id) ? id : null
}

/** The fields that the specification names, in a fixed order. */
const recordOf = (key: KeyRecord) => ({
  prefix: key.key_prefix ?? null,
  name: key.name ?? null,
  rpm: key.rate_limit_rpm ?? null,
  tpm: key.rate_limit_tpm ?? null,
  concurrent: key.max_concurrent ?? null,
  balanceEnabled: key.balance_enabled ?? null,
  balance: money(key.balance_sc),
  balanceLimit: money(key.balance_limit_sc),
  createdAt: key.created_at ?? null,
  lastUsedAt: key.last_used_at ?? null,
  revokedAt: key.revoked_at ?? null,
})

/**
 * Splits rows into dated rows (one per day and model) and undated rows. Also returns the days that the reply covers: the service's
 * window, extended back to the oldest row. A row whose date is unreadable, after tomorrow or long past is undated. A reply with an empty
 * list means that nothing was used. A reply without the list covers no day.
 */
function daysOf({ askedAt, answeredAt }: RequestTimes, rows: readonly Read[] | undefined) {
  if (!rows) return { days: null, rows: [], undated: [] }
  const today = dayOfMs(askedAt)
  const isNear = (day: number): boolean => day >= today - maxDaysBack && day <= today + maxDaysAhead
  const dated = rows.flatMap((row) => (row.day !== null && isNear(row.day) ? [{ ...row, day: row.day }] : []))
  const undated = rows.filter((row) => row.day === null || !isNear(row.day))
  // If most rows are in the future, the local clock is behind, and its "last 30 days" are not the service's.
  if (rows.filter(({ day }) => day !== null && day > today + maxDaysAhead).length * 2 > rows.length) {
    return { days: null, rows: [], undated: merged(rows, ({ date, model }) => `${date} ${model}`) }
  }
  const from = dated.reduce((least, { day }) => Math.min(least, day), dayOfMs(answeredAt) - windowDays + 1)
  const to = dated.reduce((most, { day }) => Math.max(most, day), today)
  return {
    days: { from, to },
    rows: merged(dated, ({ day, model }) => `${day} ${model}`),
    undated: merged(undated, ({ date, model }) => `${date} ${model}`),
  }
}

/** Adds up rows with the same key, such as several rows of one day and model. */
function merged<T extends UsageFigures>(rows: readonly T[], keyOf: (row: T) => string): T[] {
  const all = new Map<string, T>()
  for (const row of rows) {
    const key = keyOf(row)
    const sum = all.get(key)
    all.set(key, sum ? { ...sum, ...added(sum, row) } : row)
  }
  return [...all.values()]
}

function added(a: UsageFigures, b: UsageFigures): UsageFigures {
  const cached = a.tokensCached === null || b.tokensCached === null
  const sums = {
    requests: a.requests + b.requests,
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    // The rows of a key never report it.
    tokensCached: cached ? (a.tokensCached ?? b.tokensCached) : (a.tokensCached ?? 0) + (b.tokensCached ?? 0),
    cost: a.cost === null || b.cost === null ? (a.cost ?? b.cost) : a.cost + b.cost,
  }
  const missing: Partial<Record<FigureName, number>> = {}
  for (const name of figureNames) {
    const rows = rowsWithout(a, name) + rowsWithout(b, name)
    if (rows > 0 && (name !== 'tokensCached' || sums.tokensCached !== null)) missing[name] = rows
  }
  return bounded(sums, missing)
}

/** A null alone says that one row lacks the figure. */
const rowsWithout = ({ missing, ...row }: UsageFigures, name: FigureName): number =>
  missing?.[name] ?? (row[name] === null ? 1 : 0)

/** Moves sums that no column can store to `missing`, as unknown. */
function bounded(sums: UsageFigures, missing: Partial<Record<FigureName, number>>): UsageFigures {
  const { cost, ...counts } = sums
  for (const name of ['requests', 'tokensIn', 'tokensOut', 'tokensCached'] as const) {
    if (counts[name] === null || Number.isSafeInteger(counts[name])) continue
    counts[name] = 0
    missing[name] = (missing[name] ?? 0) + 1
  }
  const isTooLarge = cost !== null && (cost > maxUsage || cost < -maxUsage)
  if (isTooLarge && missing.cost !== undefined) missing.cost += 1
  return { ...counts, cost: isTooLarge ? null : cost, ...(Object.keys(missing).length > 0 && { missing }) }
}

interface ReportedRow {
  requests: number | null | undefined
  tokensIn: number | null | undefined
  tokensOut: number | null | undefined
  /** The rows of a key never have it. */
  tokensCached?: number | null
  cost: string | null | undefined
}

/** The figures of one row. A figure that is absent or unreadable is unknown, which is not zero. */
export function figuresIn(row: ReportedRow): UsageFigures {
  const cost = toAtto(row.cost)
  const missing: Partial<Record<FigureName, number>> = {}
  for (const name of ['requests', 'tokensIn', 'tokensOut'] as const) {
    if (row[name] === null || row[name] === undefined) missing[name] = 1
  }
  const { requests, tokensIn, tokensOut, tokensCached = null } = row
  return bounded(
    { requests: requests ?? 0, tokensIn: tokensIn ?? 0, tokensOut: tokensOut ?? 0, tokensCached, cost },
    missing,
  )
}

/** Cached tokens are a subset of the tokens in (specification, Usage). */
function cachedIn(cached: number | null | undefined, all: number | null | undefined): number | null {
  if (cached === null || cached === undefined) return null
  return typeof all === 'number' && all >= 0 ? Math.min(cached, all) : cached
}

/** Why a row belongs to no day of its report, which was requested at `askedAt`. */
export function whyUndated(date: string, askedAt: number): 'none' | 'unreadable' | 'future' | 'past' {
  if (date.trim() === '') return 'none'
  const day = dayOfDate(date)
  if (day === null) return 'unreadable'
  return day > dayOfMs(askedAt) ? 'future' : 'past'
}

/** Replaces lone surrogates and NUL characters, so that SQLite stores the name unchanged. */
const named = (given: string | null | undefined): string => (given ?? '').toWellFormed().replaceAll('\0', '\ufffd')

/** An amount as canonical text, so that equal amounts are equal strings. */
function money(given: string | null | undefined): string | null {
  const value = toAtto(given)
  return value === null ? null : fromAtto(value)
}
