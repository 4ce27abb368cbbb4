import { type DayNumber, dayOfDate, dayOfMs } from '../../shared/days.ts'
import { fromAtto, toAtto } from '../../shared/money.ts'
import type { DayRow, UndatedRow } from '../../store/account/days.ts'
import { maxUsage, type UsageFigures } from '../../store/account/figures.ts'
import type { AccountReply } from '../../store/account/saveReply.ts'
import type { AccountUsage, KeyDaily, KeyList, KeyRecord, KeyTotals } from '../../upstream/schemas.ts'

/** Start and end of a request, ms since 1970. The reply describes an instant between them. */
export interface RequestTimes {
  askedAt: number
  answeredAt: number
}

/** "Last 30 days" (specification, Limits): today and the 29 days before. */
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
    requests: whole(row.requests),
    tokensIn: whole(row.tokens_in),
    tokensOut: whole(row.tokens_out),
    tokensCached: Math.min(whole(row.tokens_cached), whole(row.tokens_in)),
    cost: amount(row.cost_sc),
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
    requests: whole(row.total_requests),
    tokensIn: whole(row.total_tokens_in),
    tokensOut: whole(row.total_tokens_out),
    tokensCached: null,
    cost: amount(row.total_cost_sc),
  }))
  return { what: `days:${keyId}`, at: asked.askedAt, ...daysOf(asked, rows) }
}

/** `GET /v1/keys/{keyID}/usage` */
export function reportedByTotals({ askedAt }: RequestTimes, keyId: string, totals: KeyTotals): AccountReply {
  const value = JSON.stringify({
    requests: whole(totals.total_requests),
    tokensIn: whole(totals.total_tokens_in),
    tokensOut: whole(totals.total_tokens_out),
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
 * window, extended back to the oldest row. A row with an unreadable or impossible date is undated. A reply with an empty list means that
 * nothing was used. A reply without the list covers no day.
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
  const cost = a.cost === null || b.cost === null ? (a.cost ?? b.cost) : a.cost + b.cost
  return {
    requests: whole(a.requests + b.requests),
    tokensIn: whole(a.tokensIn + b.tokensIn),
    tokensOut: whole(a.tokensOut + b.tokensOut),
    tokensCached: a.tokensCached === null || b.tokensCached === null ? null : whole(a.tokensCached + b.tokensCached),
    cost: cost !== null && cost > maxUsage ? null : cost,
  }
}

/** Replaces lone surrogates and NUL characters, so that SQLite stores the name unchanged. */
const named = (given: string | null | undefined): string => (given ?? '').toWellFormed().replaceAll('\0', '\ufffd')

/** A valid count; 0 for anything else. */
function whole(count: number | null | undefined): number {
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : 0
}

/** The cost of a row in atto-SC; null if it is missing or invalid. */
function amount(given: string | null | undefined): bigint | null {
  const cost = toAtto(given)
  return cost === null || cost < 0n || cost > maxUsage ? null : cost
}

/** An amount as canonical text, so that equal amounts are equal strings. */
function money(given: string | null | undefined): string | null {
  const value = toAtto(given)
  return value === null ? null : fromAtto(value)
}
