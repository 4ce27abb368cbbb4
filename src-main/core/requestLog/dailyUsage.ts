import { dayMs } from '../shared/days.ts'
import type { Callers } from '../store/requestLog/callers.ts'
import { certainties, codeOf, isUnsent, outcomes } from '../store/requestLog/codes.ts'
import type { DailyUsageReader, UseDay, UsedTable } from '../store/requestLog/dailyUsage.ts'
import type { StoredRequest } from '../store/requestLog/requests.ts'

/** Usage of one caller on one day (UTC) in one account. `model` is null when a request named none, or when a day has too many models. */
export interface CallerDay extends Omit<UseDay, 'account' | 'caller'> {
  /** `tool:ID` or `studio:FEATURE`. Account read-outs of the studio have the feature `account`. */
  who: string
  model: string | null
}

const failed = codeOf(outcomes, 'failed')
const estimated = codeOf(certainties, 'estimated')

/**
 * Adds ended rows to the sums of their days, in the transaction that closes them. A view over years then reads days, not rows. A request
 * belongs to the day (UTC) of its start. Returns the changed days.
 */
export function addUse(
  table: UsedTable,
  rows: Iterable<StoredRequest>,
  accountOf: (row: number) => number,
): Iterable<UseDay> {
  const sums = new Map<string, UseDay>()
  for (const row of rows) {
    if (isUnsent(row)) continue
    const account = accountOf(row.id)
    const day = Math.floor(row.at / dayMs)
    const key = `${account} ${day} ${row.caller}`
    let sum = sums.get(key)
    if (!sum) {
      sum = emptyDay(account, day, row.caller)
      sums.set(key, sum)
    }
    sum.requests += 1
    sum.tokensIn += row.tokensIn ?? 0
    sum.tokensOut += row.tokensOut ?? 0
    sum.tokensCached += row.tokensCached ?? 0
    sum.cost += row.cost ?? 0n
    if (row.cost === null) sum.unpriced += 1
    else if (row.costIs === estimated) sum.estimated += 1
    if (row.outcome === failed) sum.failed += 1
  }
  for (const sum of sums.values()) table.add(sum)
  return sums.values()
}

const emptyDay = (account: number, day: number, caller: number): UseDay => ({
  account,
  day,
  caller,
  requests: 0,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  cost: 0n,
  estimated: 0,
  unpriced: 0,
  failed: 0,
})

/** Usage from `from` to `to` (days since 1970, both included), in order of days. */
export function usedBetween(
  table: DailyUsageReader,
  callers: Callers,
  account: number,
  [from, to]: [from: number, to: number],
): CallerDay[] {
  return table.between(account, from, to).map((sums) => {
    const caller = callers.get(sums.caller)
    // Copied field by field, because a spread of tens of thousands of rows costs as much as reading them.
    return {
      day: sums.day,
      who: caller?.who ?? 'stranger',
      model: caller?.model ?? null,
      requests: sums.requests,
      tokensIn: sums.tokensIn,
      tokensOut: sums.tokensOut,
      tokensCached: sums.tokensCached,
      cost: sums.cost,
      estimated: sums.estimated,
      unpriced: sums.unpriced,
      failed: sums.failed,
    }
  })
}

/** Shorter ranges are read from the database each time. Days. */
const shortDays = 100
/** Number of newest days whose requests may still end. */
const openDays = 2
/** The cache is read again after this many new days. */
const staleDays = 60
const maxRemembered = 200_000

interface Remembered {
  /** The last day in the cache. */
  upTo: number
  days: CallerDay[]
}

/** Sums of days. After the first view over a long range, past days stay in memory, and such views no longer need the database. */
export class CallerDays {
  readonly #table: DailyUsageReader
  readonly #callers: Callers
  readonly #remembered = new Map<number, Remembered>()
  #settled = 0

  constructor(table: DailyUsageReader, callers: Callers) {
    this.#table = table
    this.#callers = callers
  }

  /** Adds ended rows to `table`. Call inside the transaction that closes the rows. */
  add(table: UsedTable, rows: Iterable<StoredRequest>, accountOf: (row: number) => number): void {
    for (const { account, day } of addUse(table, rows, accountOf)) {
      const known = this.#remembered.get(account)
      if (known && day <= known.upTo) this.#remembered.delete(account)
      // The usage worker also caches past days, but no later day than this.
      if (day <= (this.#table.lastDay(account) ?? 0) - openDays) this.#settled += 1
    }
  }

  /** Call after sums moved between accounts. */
  moved(): void {
    this.#settled += 1
    this.#remembered.clear()
  }

  /** A number that changes when sums of past days change. */
  get settled(): number {
    return this.#settled
  }

  /** Usage in order of days, both ends included. Do not change the rows. */
  between(account: number, from: number, to: number): CallerDay[] {
    const known = to - from < shortDays ? null : this.#recall(account)
    if (!known) return this.#read(account, from, to)
    const old = known.days.slice(placeOf(known.days, from), placeOf(known.days, to + 1))
    return to <= known.upTo ? old : [...old, ...this.#read(account, Math.max(from, known.upTo + 1), to)]
  }

  #recall(account: number): Remembered | null {
    const newest = this.#table.lastDay(account) ?? 0
    const known = this.#remembered.get(account)
    if (known && newest - known.upTo <= staleDays) return known
    const upTo = newest - openDays
    const days = this.#read(account, 0, upTo)
    if (days.length > maxRemembered) return null
    const remembered = { upTo, days }
    this.#remembered.set(account, remembered)
    return remembered
  }

  #read(account: number, from: number, to: number): CallerDay[] {
    return usedBetween(this.#table, this.#callers, account, [from, to])
  }
}

/** Index of the first row of this day or a later one. */
function placeOf(days: readonly CallerDay[], day: number): number {
  let low = 0
  let high = days.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((days[middle]?.day ?? day) < day) low = middle + 1
    else high = middle
  }
  return low
}
