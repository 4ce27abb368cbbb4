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
 * belongs to the day (UTC) of its start.
 */
export function addUse(table: UsedTable, rows: Iterable<StoredRequest>, accountOf: (row: number) => number): void {
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
