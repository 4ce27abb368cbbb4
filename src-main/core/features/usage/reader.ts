import type { Summary, UsageView, ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { StudioError } from '../../errors.ts'
import { dayText } from '../../shared/days.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import { atRest, showAccount } from './accountList.ts'
import { compareSides } from './compareSources.ts'
import type { ReadParts } from './dependencies.ts'
import { keyDays, keysOf } from './keyUsage.ts'
import { summaryOf } from './summary.ts'
import { figuresOf } from './totals.ts'
import { rangeOf, viewOf } from './view.ts'

/** A service that dates nothing would fill the page otherwise. */
const mostUndated = 1_000

const keyIn = (what: string): string | null => (what.startsWith('days:') ? what.slice('days:'.length) : null)

interface OfAccount {
  accountId: string
}
interface Range extends OfAccount {
  from: string
  to: string
}

/**
 * Everything that the books can be asked, from what is kept: no network, and no core beside it is needed. All but `books` throw
 * StudioError `no_such_item` for a book that is not there, and `bad_input` for days that are none.
 */
export function openUsageReader(parts: ReadParts) {
  const { accountStore } = parts
  function accountOf(id: string): StoredAccount {
    const stored = accountStore.accounts.get(id)
    if (!stored) throw new StudioError('no_such_item', 'There are no books of that account.')
    return stored
  }
  return {
    accountOf,
    /** Those used last first. */
    accounts: () => accountStore.accounts.all().map((stored) => showAccount(parts, stored, atRest)),
    summary: ({ accountId }: OfAccount): Summary => {
      const stored = accountOf(accountId)
      return summaryOf(parts, stored, showAccount(parts, stored, atRest))
    },
    /** `most`: how many series have a place of their own. */
    view: (query: ViewQuery, options: { most?: number } = {}): UsageView =>
      viewOf(parts, accountOf(query.accountId), query, options),
    compare: ({ daily = false, ...range }: Range & { daily?: boolean }) =>
      compareSides(parts, accountOf(range.accountId), rangeOf(range), daily),
    corrections: (range: Range) => {
      const { from, to } = rangeOf(range)
      return accountStore.days.corrections(accountOf(range.accountId).no, from, to).map((one) => ({
        day: dayText(one.day),
        model: one.model,
        keyId: keyIn(one.what),
        before: figuresOf(one.before),
        beforeAsOf: new Date(one.beforeAt).toISOString(),
        after: figuresOf(one.after),
        afterAsOf: new Date(one.afterAt).toISOString(),
      }))
    },
    undated: ({ accountId }: OfAccount) =>
      accountStore.days
        .undatedRows(accountOf(accountId).no, mostUndated)
        .map(({ what, date, model, at, ...recordedUsage }) => ({
          ...{ date, model, keyId: keyIn(what) },
          figures: figuresOf(recordedUsage),
          asOf: new Date(at).toISOString(),
        })),
    keys: ({ accountId }: OfAccount) => keysOf(parts, accountOf(accountId)),
    keyDaily: ({ keyId, ...range }: Range & { keyId: string }) =>
      keyDays(parts, accountOf(range.accountId), keyId, rangeOf(range)),
  }
}
export type UsageReader = ReturnType<typeof openUsageReader>
