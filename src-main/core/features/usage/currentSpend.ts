import type { CurrentSpend } from '../../../../src-preload/contract/usage.ts'
import { dayOfMs } from '../../shared/days.ts'
import { fromAtto, nanoToAtto, toAtto } from '../../shared/money.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import { balanceOf } from './accountList.ts'
import type { ReadParts, RecentSpend, SpendSince } from './dependencies.ts'
import { todayOf } from './summary.ts'
import { isOwnReadOut } from './totals.ts'

/**
 * Today's cost and the balance, as the service reported them last, plus what this computer has spent since. Reading is cheap, so it can
 * follow each request: only the first reading after a report looks at single requests.
 */
export function createCurrentSpend(parts: Omit<ReadParts, 'local'> & { local: RecentSpend }) {
  const { accountStore, local, now } = parts
  const sinceUsage = createSpendSince(local, now)
  const sinceBalance = createSpendSince(local, now)

  function todayNow(stored: StoredAccount): CurrentSpend['today'] {
    const { service, isPart, here } = todayOf(parts, stored)
    const reportedAt = accountStore.fetches.lastAt(stored.no, 'usage')
    const reported = toAtto(service)
    if (reported === null || reportedAt === null)
      return here === null ? null : { amount: here, estimated: true, asOf: null }
    const { cost, unpriced } = sinceUsage(stored.id, reportedAt)
    const known = reported + nanoToAtto(cost)
    const measured = toAtto(here) ?? 0n
    return {
      // The service may not have counted the latest requests when it reported.
      amount: fromAtto(measured > known ? measured : known),
      estimated: cost > 0n || unpriced > 0 || measured > known || isPart,
      asOf: new Date(reportedAt).toISOString(),
    }
  }

  function balanceNow(stored: StoredAccount): CurrentSpend['balance'] {
    const reported = balanceOf(accountStore, stored)
    if (!reported || reported.balance === null) return null
    const { cost, unpriced } = sinceBalance(stored.id, Date.parse(reported.asOf))
    return {
      amount: fromAtto(reported.balance - nanoToAtto(cost)),
      estimated: cost > 0n || unpriced > 0,
      asOf: reported.asOf,
    }
  }

  return (stored: StoredAccount | null): CurrentSpend => ({
    today: stored && todayNow(stored),
    balance: stored && balanceNow(stored),
  })
}

/** Subtracts the spend before a report from the sums of the days, so that later readings need only the sums. */
function createSpendSince(local: RecentSpend, now: () => number) {
  let before: (SpendSince & { accountId: string; at: number }) | null = null
  return (accountId: string, at: number): SpendSince => {
    const sum: SpendSince = { cost: 0n, unpriced: 0 }
    for (const row of local.usedByDay(accountId, dayOfMs(at), dayOfMs(now()))) {
      if (isOwnReadOut(row)) continue
      sum.cost += row.cost
      sum.unpriced += row.unpriced
    }
    if (before?.accountId !== accountId || before.at !== at) {
      const since = local.spentSince(accountId, at)
      before = { accountId, at, cost: sum.cost - since.cost, unpriced: sum.unpriced - since.unpriced }
    }
    return { cost: sum.cost - before.cost, unpriced: sum.unpriced - before.unpriced }
  }
}
