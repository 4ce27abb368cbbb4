import type { AccountKey } from '../../../../src-preload/contract/account.ts'
import type { KeyTrouble } from '../../../../src-preload/contract/alerts.ts'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { type DayNumber, dayText, endOfDay, instantOf } from '../../shared/days.ts'
import { type Atto, fromNano, type Nano, toAtto, toNano } from '../../shared/money.ts'
import type { Measurement } from './measurement.ts'

// Figures and lines in, readings out: nothing here remembers anything.

export interface AccountName {
  id: string
  name: string
}

/** What was refused, by the status of the answer. */
export type RefusedWith = 401 | 402 | 403

const windows = ['day', 'month', 'total'] as const

/** A tenth more than the line: a balance that hovers about it is told once. */
export function judgeBalance(
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

/** Spend of one day by both sides, each null where nobody knows. */
export interface DaySpend {
  day: DayNumber
  service: string | null
  here: string | null
}

/** The larger side counts: each may not know yet what the other does. Null where neither knows anything. */
export function judgeSpend(account: AccountName, { day, service, here }: DaySpend, above: string, now: number) {
  const spent = larger(service, here)
  if (spent === null) return null
  const over = atto(spent.value) > atto(above)
  const reading: Measurement = {
    watch: `spend:${account.id}`,
    period: dayText(day),
    mark: above,
    level: over ? 1 : 0,
    // A correction may take some of it back; that is no second crossing of the same day.
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

export type AppSpend = Record<(typeof windows)[number], Nano>

/** A reading for each budget that a tool has. */
export function judgeBudgets(tool: App, spent: AppSpend, at: number, now: number): Measurement[] {
  const given = { day: tool.budgetDay, month: tool.budgetMonth, total: tool.budgetTotal }
  return windows.flatMap((window) => {
    const text = given[window]
    return text === null ? [] : [judgeBudget(tool, window, spent[window], text, at, now)]
  })
}

function judgeBudget(
  tool: App,
  window: keyof AppSpend,
  spent: Nano,
  text: string,
  at: number,
  now: number,
): Measurement {
  const budget = toNano(text)
  const usedUp = spent >= budget
  const near = spent * 100n >= budget * BigInt(at)
  return {
    watch: `budget:${tool.id}:${window}`,
    period: periodOf(window, now),
    mark: text,
    level: usedUp ? 2 : near ? 1 : 0,
    // Spend goes back where it is reset, or an estimate is put right.
    recovered: !near,
    asOf: now,
    endsAt: endOf(window, now),
    facts: {
      ...{ kind: 'budget', tool: { id: tool.id, name: tool.name }, window },
      ...{ spent: fromNano(spent), budget: text, usedUp },
    },
  }
}

/** A budget in all has no period: its spend starts anew when a person says so. */
function periodOf(window: keyof AppSpend, now: number): string | null {
  if (window === 'total') return null
  return new Date(now).toISOString().slice(0, window === 'day' ? 10 : 7)
}

function endOf(window: keyof AppSpend, now: number): number | null {
  if (window === 'total') return null
  const at = new Date(now)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return window === 'day' ? Date.UTC(year, month, at.getUTCDate() + 1) : Date.UTC(year, month + 1)
}

/**
 * The calling key's record. Its balance is what is left of its limit (the specification names both and says no more): low at a tenth, well
 * again from 15 per cent on.
 */
export function judgeKey(account: AccountName, key: AccountKey): Measurement[] {
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
    ...{ watch: `${watch}:${account.id}:${key.id}`, period: null, mark: '', endsAt: null, ...how },
    asOf: Date.parse(key.asOf),
    facts: {
      ...{ kind: 'key', account, why, keyId: key.id, name: key.name?.slice(0, 200) ?? null },
      ...{ left: key.balanceEnabled ? key.balance : null, limit: key.balanceEnabled ? key.balanceLimit : null },
    },
  }
}

const refusals: Record<RefusedWith, KeyTrouble> = { 401: 'refused', 402: 'credits', 403: 'forbidden' }

/** An answer that refused a request for the key's sake, or (`met` false) one that shows that it no longer does. Told once a day. */
export function judgeRefusal(
  account: AccountName,
  status: RefusedWith,
  met: boolean,
  key: Pick<AccountKey, 'id' | 'name'> | null,
  now: number,
): Measurement {
  return {
    ...{ watch: `key-${status}:${account.id}`, period: new Date(now).toISOString().slice(0, 10), mark: '' },
    ...{ level: met ? 1 : 0, recovered: !met, asOf: now, endsAt: null },
    facts: {
      ...{
        kind: 'key',
        account,
        why: refusals[status],
        keyId: key?.id ?? null,
        name: key?.name?.slice(0, 200) ?? null,
      },
      ...{ left: null, limit: null },
    },
  }
}

/** What the rate-limit status says. A ban whose end can be read is over then, whatever else is heard. */
export function judgeBan(
  account: AccountName,
  said: { banned: boolean; until: string | null },
  asOf: number,
): Measurement {
  const ends = instantOf(said.until)
  const banned = said.banned && !(ends !== null && ends <= asOf)
  return {
    ...{ watch: `ban:${account.id}`, period: null, mark: '', level: banned ? 1 : 0, recovered: !banned, asOf },
    endsAt: ends,
    facts: { kind: 'ban', account, until: said.until?.slice(0, 100) ?? null },
  }
}

/** What is no amount counts as nothing. */
const atto = (text: string): Atto => toAtto(text) ?? 0n
