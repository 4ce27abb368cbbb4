import type { Account, Summary } from '../../../../src-preload/contract/usage.ts'
import { dayOfMs } from '../../shared/days.ts'
import { fromAtto } from '../../shared/money.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import { balanceOf } from './accountList.ts'
import type { ReadParts } from './dependencies.ts'
import { Sum } from './totals.ts'

const paceDays = 7

/** The main figures of an account, with pace per day, days left, corrections, undated rows and gaps. */
export function summaryOf(parts: ReadParts, stored: StoredAccount, account: Account): Summary {
  const { accountStore } = parts
  const pace = paceOf(parts, stored)
  const balance = balanceOf(accountStore, stored)?.balance ?? null
  return {
    account,
    pace: pace === null ? null : fromAtto(pace),
    daysLeft: pace === null || pace <= 0n || balance === null ? null : daysLeft(balance, pace),
    corrections: accountStore.days.countCorrections(stored.no),
    undated: accountStore.days.undated(stored.no),
    gaps: gapsOf(parts, stored),
  }
}

/** Mean spend per day over the seven full days before the last fetch; null if one of them is not fully known. */
function paceOf({ accountStore }: ReadParts, { no }: StoredAccount): bigint | null {
  const lastAt = accountStore.fetches.lastAt(no, 'usage')
  if (lastAt === null) return null
  const to = dayOfMs(lastAt) - 1
  const from = to - paceDays + 1
  const covered = accountStore.fetches.coverage(no, 'usage', from, to)
  if (covered.length < paceDays || covered.some(({ closedAt }) => closedAt === null)) return null
  const sum = new Sum()
  for (const row of accountStore.sums.models(no, from, to)) sum.addService(row)
  return sum.missing.cost > 0 ? null : sum.cost / BigInt(paceDays)
}

const daysLeft = (balance: bigint, pace: bigint): number =>
  // Capped at 1,000 years.
  balance <= 0n ? 0 : Math.min(365_000, Number(balance / pace))

/** Spend of one day, remote and local, SC; null if unknown. `isPart`: rows of the service lack their cost. */
export interface SpendToday {
  service: string | null
  isPart: boolean
  here: string | null
}

/** Spend of today (UTC). */
export function todayOf({ accountStore, local, now }: ReadParts, { no, id }: StoredAccount): SpendToday {
  const today = dayOfMs(now())
  const service = new Sum()
  for (const row of accountStore.sums.models(no, today, today)) service.addService(row)
  const own = new Sum()
  for (const row of local.usedByDay(id, today, today)) own.addLocal(row)
  const known = accountStore.fetches.coveredDays(no, 'usage', today, today) > 0
  return { service: known ? service.costText() : null, isPart: service.missing.cost > 0, here: own.costText() }
}

/** Days without remote usage since the first known day; 0 for a service that reports no days at all. */
function gapsOf({ accountStore, local, now }: ReadParts, { no, id }: StoredAccount): number {
  if (accountStore.fetches.lastAt(no, 'usage') === null) return 0
  const firsts = [accountStore.fetches.firstDay(no, 'usage'), local.firstDayOf(id)].filter((day) => day !== null)
  const [from, to] = [Math.min(...firsts), dayOfMs(now())]
  return Math.max(0, to - from + 1 - accountStore.fetches.coveredDays(no, 'usage', from, to))
}
