import type { AccountKey } from '../../../../src-preload/contract/account.ts'
import type { KeyTrouble } from '../../../../src-preload/contract/alerts.ts'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { instantOf } from '../../../../src-preload/contract/limitText.ts'
import type { BudgetSpend, BudgetWindow, CacheRow } from '../../ports/requests.ts'
import { type DayNumber, dayMs, dayText, endOfDay } from '../../shared/days.ts'
import { type Atto, fromNano, type Nano, toAtto, toNano } from '../../shared/money.ts'
import type { Measurement } from './measurement.ts'

// Pure functions from figures and limits to measurements.

export interface AccountName {
  id: string
  name: string
}

/** The status of a reply that refused a request. */
export type RefusedWith = 401 | 402 | 403

/** The periods of a budget. */
export const windows = ['day', 'month', 'total'] as const satisfies readonly BudgetWindow[]

/** Recovers only at 10 percent above the limit, so that a balance around the limit is reported once. */
export function measureBalance(
  account: AccountName,
  balance: { value: string; asOf: string },
  below: string,
): Measurement {
  const [is, line] = [atto(balance.value), atto(below)]
  return {
    watch: `balance:${account.id}`,
    period: null,
    mark: below,
    level: is < line ? 1 : 0,
    recovered: is >= line + line / 10n,
    asOf: Date.parse(balance.asOf),
    endsAt: null,
    facts: { kind: 'balance', account, balance: balance.value, below, asOf: balance.asOf },
  }
}

/** Local and remote spend of one day; null if unknown. */
export interface DaySpend {
  day: DayNumber
  service: string | null
  here: string | null
}

/** The larger figure counts, because each source may not know yet what the other knows. Null if both are unknown. */
export function measureSpend(account: AccountName, { day, service, here }: DaySpend, above: string, now: number) {
  const spent = larger(service, here)
  if (spent === null) return null
  const over = atto(spent.value) > atto(above)
  const reading: Measurement = {
    watch: `spend:${account.id}`,
    period: dayText(day),
    mark: above,
    level: over ? 1 : 0,
    // A correction may lower the spend. That does not allow a second crossing on the same day.
    recovered: !over,
    asOf: now,
    endsAt: endOfDay(day),
    facts: { kind: 'spend', account, day: dayText(day), spent: spent.value, above, source: spent.source },
  }
  return reading
}

function larger(service: string | null, here: string | null) {
  const sides = [
    { source: 'service' as const, value: service },
    { source: 'here' as const, value: here },
  ].flatMap(({ source, value }) => (value === null ? [] : [{ source, value }]))
  const [first, second] = sides
  if (!first || !second) return first ?? null
  return atto(second.value) > atto(first.value) ? second : first
}

/** What budgets are compared with. */
export interface BudgetChecks {
  /** The share of a budget that is reported, percent. */
  at: number
  /** Cost of the app's usual request; null if unknown. */
  usual: Nano | null
  /** Whether a request was refused for this budget, with the spend that it has now or less. */
  refused(window: BudgetWindow, budget: string, spent: Nano): boolean
}

/** One measurement for each budget of an app. */
export function measureBudgets(app: App, spent: BudgetSpend, checks: BudgetChecks, now: number): Measurement[] {
  const given = { day: app.budgetDay, month: app.budgetMonth, total: app.budgetTotal }
  return windows.flatMap((window) => {
    const text = given[window]
    return text === null ? [] : [measureBudget(app, window, spent[window], text, checks, now)]
  })
}

/** Levels: 1 near, 2 too little left for a request, 3 used up. */
function measureBudget(
  app: App,
  window: BudgetWindow,
  spent: Nano,
  text: string,
  { at, usual, refused }: BudgetChecks,
  now: number,
): Measurement {
  const budget = toNano(text)
  const left = budget - spent
  const usedUp = left <= 0n
  const near = spent * 100n >= budget * BigInt(at)
  const short = usedUp
    ? null
    : refused(window, text, spent)
      ? 'refused'
      : usual !== null && left < usual
        ? 'usual'
        : null
  return {
    watch: `budget:${app.id}:${window}`,
    period: periodOf(window, now),
    mark: text,
    level: usedUp ? 3 : short ? 2 : near ? 1 : 0,
    // Spend decreases when it is reset or an estimate is corrected. The usual cost varies, so an alert ends only with a tenth to spare.
    recovered: !near && short === null && (usual === null || left >= usual + usual / 10n),
    asOf: now,
    endsAt: endOf(window, now),
    facts: {
      kind: 'budget',
      tool: { id: app.id, name: app.name },
      window,
      spent: fromNano(spent),
      budget: text,
      usedUp,
      short,
      usual: usual === null ? null : fromNano(usual),
      asks: app.atBudget === 'ask',
    },
  }
}

/** Measures a limit of tokens a minute against the app's usual request; null without a limit or without a usual request. */
export function measureTokens(app: App, usual: number | null, now: number): Measurement | null {
  const limit = app.tokensPerMinute
  if (limit === null || usual === null) return null
  return {
    watch: `app-tokens:${app.id}`,
    period: null,
    mark: String(limit),
    level: usual > limit ? 1 : 0,
    // The usual number varies, so the alert ends only with a tenth to spare.
    recovered: usual * 1.1 <= limit,
    asOf: now,
    endsAt: null,
    facts: { kind: 'tokens', tool: { id: app.id, name: app.name }, usual, limit },
  }
}

/** Measures the last hour of an app against its own limits for a notice; null without one. The alert ends with the hour. */
export function measureBusy(app: App, hour: { requests: number; spent: Nano }, now: number): Measurement | null {
  const { busyRequests, busySpend } = app
  if (busyRequests === null && busySpend === null) return null
  const share = (figure: bigint, limit: bigint): bigint =>
    limit === 0n ? (figure > 0n ? 101n : 0n) : (figure * 100n) / limit
  const isOver =
    (busyRequests !== null && hour.requests > busyRequests) || (busySpend !== null && hour.spent > toNano(busySpend))
  const used = [
    busyRequests === null ? 0n : share(BigInt(hour.requests), BigInt(busyRequests)),
    busySpend === null ? 0n : share(hour.spent, toNano(busySpend)),
  ]
  return {
    watch: `busy:${app.id}`,
    period: null,
    mark: `${busyRequests} ${busySpend}`,
    level: isOver ? 1 : 0,
    // Requests come in bursts, so the notice is given again only after a quieter time.
    recovered: used.every((percent) => percent < 50n),
    asOf: now,
    endsAt: now + 3_600_000,
    facts: {
      kind: 'busy',
      tool: { id: app.id, name: app.name },
      requests: hour.requests,
      spent: fromNano(hour.spent),
      overRequests: busyRequests,
      overSpend: busySpend,
    },
  }
}

/** Measures an app that sent a request although it is paused or expired; null if it is neither. */
export function measureBlocked(app: App, now: number): Measurement | null {
  const hasExpired = app.expiresAt !== null && Date.parse(app.expiresAt) <= now
  const why = hasExpired ? 'expired' : app.pausedAt === null ? null : 'paused'
  if (why === null) return null
  return {
    watch: `app:${app.id}`,
    period: null,
    mark: why,
    level: 1,
    recovered: false,
    asOf: now,
    endsAt: null,
    facts: { kind: 'app', tool: { id: app.id, name: app.name }, why },
  }
}

/** Turns in a row without the cache that are reported. */
const manyTurns = 3

/** Measures how many turns in a row a session of an app lost the cache of the service. */
export function measureCache(app: Pick<App, 'id' | 'name'>, row: CacheRow, now: number): Measurement {
  const { session, inRow, change, tokens, cost } = row
  return {
    watch: `cache:${app.id}:${session}`,
    period: null,
    mark: String(manyTurns),
    level: inRow >= manyTurns ? 1 : 0,
    recovered: inRow === 0,
    asOf: now,
    // A session that has ended sends no further turn.
    endsAt: now + dayMs,
    facts: {
      kind: 'cache',
      tool: { id: app.id, name: app.name },
      session,
      turns: inRow,
      change,
      tokens,
      cost: cost === null ? null : fromNano(cost),
    },
  }
}

/** A total budget has no period: its spend restarts when a person resets it. */
function periodOf(window: BudgetWindow, now: number): string | null {
  if (window === 'total') return null
  return new Date(now).toISOString().slice(0, window === 'day' ? 10 : 7)
}

function endOf(window: BudgetWindow, now: number): number | null {
  if (window === 'total') return null
  const at = new Date(now)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return window === 'day' ? Date.UTC(year, month, at.getUTCDate() + 1) : Date.UTC(year, month + 1)
}

/**
 * Measures the record of the calling key. Its balance is interpreted as the rest of its limit, because the specification names both fields
 * without defining them. Low at 10 percent, recovered from 15 percent on.
 */
export function measureKey(account: AccountName, key: AccountKey): Measurement[] {
  const over = key.revokedAt !== null || key.gone
  return [
    keyReading(account, key, { watch: 'key-revoked', level: over ? 1 : 0, recovered: !over, why: 'revoked' }),
    keyReading(account, key, { watch: 'key-balance', ...balanceOf(key) }),
  ]
}

interface KeyLevel {
  level: Measurement['level']
  recovered: boolean
  why: KeyTrouble
}

function balanceOf({ balanceEnabled, balance, balanceLimit }: AccountKey): KeyLevel {
  const left = toAtto(balance)
  if (balanceEnabled !== true || left === null) return { level: 0, recovered: true, why: 'low' }
  const limit = atto(balanceLimit ?? '0')
  if (left <= 0n) return { level: 2, recovered: false, why: 'empty' }
  const low = limit > 0n && left * 10n <= limit
  return { level: low ? 1 : 0, recovered: left * 100n >= limit * 15n, why: 'low' }
}

function keyReading(
  account: AccountName,
  key: AccountKey,
  { watch, why, ...how }: KeyLevel & { watch: string },
): Measurement {
  return {
    watch: `${watch}:${account.id}:${key.id}`,
    period: null,
    mark: '',
    endsAt: null,
    ...how,
    asOf: Date.parse(key.asOf),
    facts: {
      kind: 'key',
      account,
      why,
      keyId: key.id,
      name: key.name?.slice(0, 200) ?? null,
      left: key.balanceEnabled ? key.balance : null,
      limit: key.balanceEnabled ? key.balanceLimit : null,
    },
  }
}

const refusals: Record<RefusedWith, KeyTrouble> = { 401: 'refused', 402: 'credits', 403: 'forbidden' }

/** Watch of a refusal. Belongs to a connection, because the account of a connection changes with its key. */
export const refusalWatch = (profile: string, status: RefusedWith): string => `key-${status}:${profile}`

/** Measures a reply that refused a request because of the key. Reported once per day and connection. */
export function measureRefusal(
  refusal: {
    /** Id of the connection. */
    profile: string
    account: AccountName
    status: RefusedWith
    key: Pick<AccountKey, 'id' | 'name'> | null
  },
  now: number,
): Measurement {
  const { profile, account, status, key } = refusal
  return {
    watch: refusalWatch(profile, status),
    period: new Date(now).toISOString().slice(0, 10),
    mark: '',
    level: 1,
    recovered: false,
    asOf: now,
    endsAt: null,
    facts: {
      kind: 'key',
      account,
      why: refusals[status],
      keyId: key?.id ?? null,
      name: key?.name?.slice(0, 200) ?? null,
      left: null,
      limit: null,
    },
  }
}

/** Measures the rate-limit status. The alert of a ban with a readable end ends at that time. */
export function measureBan(
  account: AccountName,
  status: { banned: boolean; until: string | null },
  asOf: number,
): Measurement {
  const ends = instantOf(status.until)
  const banned = status.banned && !(ends !== null && ends <= asOf)
  return {
    watch: `ban:${account.id}`,
    period: null,
    mark: '',
    level: banned ? 1 : 0,
    recovered: !banned,
    asOf,
    endsAt: ends,
    facts: { kind: 'ban', account, until: status.until?.slice(0, 100) ?? null },
  }
}

/** Parses an amount in SC. An invalid amount counts as 0. */
const atto = (text: string): Atto => toAtto(text) ?? 0n
