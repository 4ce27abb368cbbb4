import * as z from 'zod'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { Account } from '../../../../src-preload/contract/usage.ts'
import { dayText } from '../../shared/days.ts'
import { type Atto, fromAtto, toAtto } from '../../shared/money.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import type { AccountReaders } from '../../store/account/open.ts'
import type { ReadParts } from './dependencies.ts'

const accountValue = z.object({ balance: z.string().nullable(), spent: z.string().nullable() })

/** Current activity for an account. Not stored. */
export interface AccountActivity {
  active: boolean
  fetching: boolean
  problem: Problem | null
}

/** The activity of an account that is not connected. */
export const idle: AccountActivity = { active: false, fetching: false, problem: null }

/** Balance and lifetime spend as last reported, and the time of that report. Null without a readable report. */
export function balanceOf(accountStore: AccountReaders, { no }: StoredAccount) {
  const version = accountStore.versions.newest(no, 'usage', 'account')
  const value = version && accountValue.safeParse(JSON.parse(version.value)).data
  if (!version || !value) return null
  return { balance: toAtto(value.balance), spent: toAtto(value.spent), asOf: new Date(version.seenAt).toISOString() }
}

export function showAccount(
  { accountStore, local }: ReadParts,
  stored: StoredAccount,
  activity: AccountActivity,
): Account {
  const { no, id, name, baseUrl, userId, offers } = stored
  const known = balanceOf(accountStore, stored)
  const dated = (value: Atto | null) => (value === null || !known ? null : { value: fromAtto(value), asOf: known.asOf })
  const lastAt = accountStore.fetches.lastAt(no, 'usage')
  return {
    id,
    name,
    baseUrl,
    userId,
    offers,
    ...activity,
    balance: dated(known?.balance ?? null),
    spent: dated(known?.spent ?? null),
    asOf: lastAt === null ? null : new Date(lastAt).toISOString(),
    firstDay: firstDayOf(accountStore, no, local.firstDayOf(id)),
  }
}

/** The first day with a row, remote or local; without rows, the first day that was fetched. */
function firstDayOf({ days, fetches }: AccountReaders, no: number, firstLocal: number | null): string | null {
  const firsts = [days.firstDay(no, 'usage'), firstLocal].filter((day) => day !== null)
  const first = firsts.length > 0 ? Math.min(...firsts) : fetches.firstDay(no, 'usage')
  return first === null ? null : dayText(first)
}
