import { dayMs } from '../shared/days.ts'
import type { Nano } from '../shared/money.ts'
import type { Callers } from '../store/requestLog/callers.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'
import type { AccountLinks } from './accountLinks.ts'
import type { CallerDay, CallerDays } from './dailyUsage.ts'
import { defaultSpeechModel, type SpokenDay } from './prices.ts'
import type { RequestIds } from './requestIds.ts'
import type { TextSearch } from './textSearch.ts'

const hourMs = 3_600_000
/** The studio's own requests about the account, which the service does not charge. */
const accountReader = 'studio:account'

/** What the usage of the accounts is read from. `flush` writes the ended requests first. */
export interface AccountUsageSources {
  store: RequestLogTables
  callers: Callers
  links: AccountLinks
  days: CallerDays
  query: TextSearch
  numbers: RequestIds
  flush(): void
}

/** Usage of each account, summed from the request log. Reads include every request that has ended. */
export class AccountUsageLog {
  readonly #sources: AccountUsageSources

  constructor(sources: AccountUsageSources) {
    this.#sources = sources
  }

  /** Sums of ended requests by day and caller, in order of days. Both days (since 1970, UTC) are included. */
  usedByDay(accountId: string, fromDay: number, toDay: number): CallerDay[] {
    const { links, days, flush } = this.#sources
    flush()
    return links.of(accountId).flatMap((account) => days.between(account, fromDay, toDay))
  }

  /** Cost of the requests that ended after `at` (ms since 1970), without requests that read the account. */
  spentSince(accountId: string, at: number): { cost: Nano; unpriced: number } {
    const { store, callers, links, query, numbers, flush } = this.#sources
    flush()
    const accounts = new Set(links.of(accountId))
    const first = numbers.clockWentBack ? 1 : query.firstAt(at - hourMs)
    const sum = { cost: 0n, unpriced: 0 }
    for (const row of store.requests.spentSince(first, at)) {
      if (!accounts.has(links.accountOf(row.id)) || callers.get(row.caller)?.who === accountReader) continue
      sum.cost += row.cost ?? 0n
      if (row.cost === null) sum.unpriced += 1
    }
    return sum
  }

  /** The first day (since 1970, UTC) with usage. */
  firstDayOf(accountId: string): number | null {
    const { store, links, flush } = this.#sources
    flush()
    const days = links.of(accountId).flatMap((account) => store.used.firstDay(account) ?? [])
    return days.length === 0 ? null : Math.min(...days)
  }

  /** A number that changes when past days change. A copy of past days in another thread is then outdated. */
  get settledDays(): number {
    return this.#sources.days.settled
  }

  /** Requests for speech over the current connection, by day, newest first. */
  spokenDays(model: string): SpokenDay[] {
    const { store, callers, links, numbers, flush } = this.#sources
    flush()
    const models = model === defaultSpeechModel ? [model, null] : [model]
    const ids = [...callers.all()].filter((caller) => models.includes(caller.model)).map(({ id }) => id)
    const account = links.accountOf(numbers.lastId)
    const sent = store.requests.newestSpoken(ids).filter(({ id }) => links.accountOf(id) === account)
    return [...Map.groupBy(sent, ({ at }) => Math.floor(at / dayMs))]
      .map(([day, rows]) => ({
        day,
        requests: rows.length,
        bytesUp: rows.reduce((sum, row) => sum + row.bytesUp, 0),
      }))
      .sort((a, b) => b.day - a.day)
  }
}
