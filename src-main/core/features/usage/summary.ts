import type { Account, Summary } from '../../../../src-preload/contract/usage.ts'
import { dayOfMs } from '../../shared/days.ts'
import { fromAtto } from '../../shared/money.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import { balanceOf } from './accountList.ts'
import type { ReadParts } from './dependencies.ts'
import { Sum } from './totals.ts'

const paceDays = 7

/** What is answered in one look. `book` is the same as it is shown in the list. */
export function summaryOf(parts: ReadParts, stored: StoredAccount, account: Account): Summary {
  const { accountStore } = parts
  const pace = paceOf(parts, stored)
  const balance = balanceOf(accountStore, stored)?.balance ?? null
  return {
    account,
    pace: pace === null ? null : fromAtto(pace),
    daysLeft: pace === null || pace === 0n || balance === null ? null : daysLeft(balance, pace),
    today: todayOf(parts, stored),
    corrections: accountStore.days.countCorrections(stored.no),
    undated: accountStore.days.undated(stored.no),
    gaps: gapsOf(parts, stored),
  }
}

/** Spend a day over the seven whole days before the last fetch; null where one of them is not known whole. */
function paceOf({ accountStore }: ReadParts, { no }: StoredAccount): bigint | null {
  const lastAt = accountStore.fetches.lastAt(no, 'usage')
  if (lastAt === null) return null
  const to = dayOfMs(lastAt) - 1
  const from = to - paceDays + 1
  const covered = accountStore.fetches.coverage(no, 'usage', from, to)
  if (covered.length < paceDays || covered.some(({ closedAt }) => closedAt === null)) return null
  const sum = new Sum()
  for (const row of accountStore.sums.models(no, from, to)) sum.addService(row)
  return sum.costText() === null ? null : sum.cost / BigInt(paceDays)
}

const daysLeft = (balance: bigint, pace: bigint): number =>
  // More than a thousand years is for ever.
  balance <= 0n ? 0 : Math.min(365_000, Number(balance / pace))

/** Of today (UTC), by both sides; null where a side knows nothing. */
export function todayOf({ accountStore, here, now }: ReadParts, { no, id }: StoredAccount): Summary['today'] {
  const today = dayOfMs(now())
  const service = new Sum()
  for (const row of accountStore.sums.models(no, today, today)) service.addService(row)
  const own = new Sum()
  for (const row of here.usedByDay(id, today, today)) own.addHere(row)
  const known = accountStore.fetches.coveredDays(no, 'usage', today, today) > 0
  return { service: known ? service.costText() : null, here: own.costText() }
}

/** Days since the first that anything is known of; none for a service that tells nothing of any day. */
function gapsOf({ accountStore, here, now }: ReadParts, { no, id }: StoredAccount): number {
  if (accountStore.fetches.lastAt(no, 'usage') === null) return 0
  const firsts = [accountStore.fetches.firstDay(no, 'usage'), here.firstDayOf(id)].filter((day) => day !== null)
  const [from, to] = [Math.min(...firsts), dayOfMs(now())]
  return Math.max(0, to - from + 1 - accountStore.fetches.coveredDays(no, 'usage', from, to))
}
