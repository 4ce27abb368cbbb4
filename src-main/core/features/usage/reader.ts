import type { Summary, UsageView, ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { StudioError } from '../../errors.ts'
import { dayText } from '../../shared/days.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import { idle, showAccount } from './accountList.ts'
import { compareSides } from './compareSources.ts'
import type { ReadParts } from './dependencies.ts'
import { keyDays, keysOf } from './keyUsage.ts'
import { whyUndated } from './parseReplies.ts'
import { summaryOf } from './summary.ts'
import { figuresOf } from './totals.ts'
import { rangeOf, viewOf } from './view.ts'

/** Maximum number of undated rows returned, for services whose rows all lack a date. */
const maxUndated = 1_000

const keyIn = (what: string): string | null => (what.startsWith('days:') ? what.slice('days:'.length) : null)

interface OfAccount {
  accountId: string
}
interface Range extends OfAccount {
  from: string
  to: string
}

/**
 * Read access to everything stored about accounts. Works without a network and without a running core. All methods except `accounts` throw
 * StudioError `no_such_item` for an unknown account, and `bad_input` for invalid days.
 */
export function openUsageReader(parts: ReadParts) {
  const { accountStore } = parts
  function accountOf(id: string): StoredAccount {
    const stored = accountStore.accounts.get(id)
    if (!stored) throw new StudioError('no_such_item', 'No usage is stored for that account.')
    return stored
  }
  return {
    accountOf,
    /** Most recently used first. */
    accounts: () => accountStore.accounts.all().map((stored) => showAccount(parts, stored, idle)),
    summary: ({ accountId }: OfAccount): Summary => {
      const stored = accountOf(accountId)
      return summaryOf(parts, stored, showAccount(parts, stored, idle))
    },
    /** `most`: the maximum number of series; the others are added up as `rest`. */
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
        .undatedRows(accountOf(accountId).no, maxUndated)
        .map(({ what, date, model, at, ...figures }) => ({
          date,
          why: whyUndated(date, at),
          model,
          keyId: keyIn(what),
          figures: figuresOf(figures),
          asOf: new Date(at).toISOString(),
        })),
    keys: ({ accountId }: OfAccount) => keysOf(parts, accountOf(accountId)),
    keyDaily: ({ keyId, ...range }: Range & { keyId: string }) =>
      keyDays(parts, accountOf(range.accountId), keyId, rangeOf(range)),
  }
}
export type UsageReader = ReturnType<typeof openUsageReader>
