import type { Callers } from '../store/ledger/callers.ts'
import { certainties, codeOf, outcomes } from '../store/ledger/codes.ts'
import type { StoredRequest } from '../store/ledger/requests.ts'
import type { UseDay, UsedTable } from '../store/ledger/use.ts'

/** What one caller used in one day (UTC) of one book. `model` is null where none was named, or too many were to be told apart. */
export interface UsedDay extends Omit<UseDay, 'account' | 'caller'> {
  /** `tool:ID` or `studio:ROOM`; the studio's read-outs are the room `account`'s. */
  who: string
  model: string | null
}

const dayMs = 86_400_000
const refused = codeOf(outcomes, 'refused')
const failed = codeOf(outcomes, 'failed')
const estimated = codeOf(certainties, 'estimated')

/**
 * Adds rows that end to the sums of their days, inside the transaction that closes them: a view over years then reads days, not rows.
 * A request belongs to the day (UTC) in which it began.
 */
export function addUse(table: UsedTable, rows: Iterable<StoredRequest>, accountOf: (row: number) => number): void {
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
}

const emptyDay = (account: number, day: number, caller: number): UseDay => ({
  ...{ account, day, caller, requests: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: 0n },
  ...{ estimated: 0, unpriced: 0, failed: 0 },
})

/** In order of days for each account; both ends belong to it. */
export function usedByDay(
  table: Pick<UsedTable, 'between'>,
  callers: Callers,
  accounts: readonly number[],
  [from, to]: [from: number, to: number],
): UsedDay[] {
  return accounts.flatMap((account) =>
    table.between(account, from, to).map(({ account: _, caller: id, ...sums }) => {
      const caller = callers.get(id)
      return { ...sums, who: caller?.who ?? 'stranger', model: caller?.model ?? null }
    }),
  )
}
