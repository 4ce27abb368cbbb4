import { dayMs } from '../shared/days.ts'
import type { Callers } from '../store/requestLog/callers.ts'
import { certainties, codeOf, outcomes } from '../store/requestLog/codes.ts'
import type { DailyUsageReader, UseDay, UsedTable } from '../store/requestLog/dailyUsage.ts'
import type { StoredRequest } from '../store/requestLog/requests.ts'

/** What one caller used in one day (UTC) of one book. `model` is null where none was named, or too many were to be told apart. */
export interface CallerDay extends Omit<UseDay, 'account' | 'caller'> {
  /** `tool:ID` or `studio:ROOM`; the studio's read-outs are the room `account`'s. */
  who: string
  model: string | null
}

const refused = codeOf(outcomes, 'refused')
const failed = codeOf(outcomes, 'failed')
const estimated = codeOf(certainties, 'estimated')

/**
 * Adds rows that end to the sums of their days, inside the transaction that closes them: a view over years then reads days, not rows.
 * A request belongs to the day (UTC) in which it began. Answers which days these are.
 */
export function addUse(
  table: UsedTable,
  rows: Iterable<StoredRequest>,
  accountOf: (row: number) => number,
): Iterable<UseDay> {
  const sums = new Map<string, UseDay>()
  for (const row of rows) {
    // Turned away here: nothing reached the service.
    if (row.outcome === refused) continue
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
  ...{ account, day, caller, requests: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: 0n },
  ...{ estimated: 0, unpriced: 0, failed: 0 },
})

/** In order of days; both ends belong to it. */
export function usedBetween(
  table: DailyUsageReader,
  callers: Callers,
  account: number,
  [from, to]: [from: number, to: number],
): CallerDay[] {
  return table.between(account, from, to).map((sums) => {
    const caller = callers.get(sums.caller)
    // Field by field: tens of thousands of them, and a spread costs as much as the database.
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

/** A stretch that is read from the database each time: it is short. */
const shortDays = 100
/** Requests of the newest days still end. */
const openDays = 2
/** Days that may have come since; then what is remembered is read anew. */
const staleDays = 60
const mostRemembered = 200_000

interface Remembered {
  /** Everything up to and with this day. */
  upTo: number
  days: CallerDay[]
}

/** The sums of the days, with those that are over in memory once somebody looked at years of them: a view is then made without the database. */
export class CallerDays {
  readonly #table: DailyUsageReader
  readonly #callers: Callers
  readonly #remembered = new Map<number, Remembered>()
  #settled = 0

  constructor(table: DailyUsageReader, callers: Callers) {
    this.#table = table
    this.#callers = callers
  }

  /** Adds rows that end to `table`. Call it inside the transaction that closes the rows. */
  add(table: UsedTable, rows: Iterable<StoredRequest>, accountOf: (row: number) => number): void {
    for (const { account, day } of addUse(table, rows, accountOf)) {
      const known = this.#remembered.get(account)
      if (known && day <= known.upTo) this.#remembered.delete(account)
      // Another thread remembers them too, and up to no later day.
      if (day <= (this.#table.lastDay(account) ?? 0) - openDays) this.#settled += 1
    }
  }

  /** Sums went from one account to another. */
  moved(): void {
    this.#settled += 1
    this.#remembered.clear()
  }

  /** Another number than before where days that are over have changed. */
  get settled(): number {
    return this.#settled
  }

  /** In order of days; both ends belong to it. The rows are not to be changed. */
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
    if (days.length > mostRemembered) return null
    const remembered = { upTo, days }
    this.#remembered.set(account, remembered)
    return remembered
  }

  #read(account: number, from: number, to: number): CallerDay[] {
    return usedBetween(this.#table, this.#callers, account, [from, to])
  }
}

/** The place of the first row of this day or a later one. */
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
