import type { Callers } from '../store/requestLog/callers.ts'
import { certainties, codeOf, endpoints, endStates, outcomes } from '../store/requestLog/codes.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'
import type { StoredRequest } from '../store/requestLog/requests.ts'
import { isInference } from '../upstream/request/endpoint.ts'
import type { AccountLinks } from './accountLinks.ts'
import { addUse } from './dailyUsage.ts'
import type { Spend, SpendEntry } from './spend.ts'
import type { TypicalTokens } from './typicalTokens.ts'

/**
 * Closes rows that never ended because the program was killed. Their cost is unknown, and the sums record that.
 * @returns how many there were
 */
export function recover(store: RequestLogTables, callers: Callers, spend: Spend, links: AccountLinks): number {
  const cut = store.requests.leftOpen(store.facts.get('floor'))
  if (cut.length === 0) return 0
  store.transaction(() => {
    const ended = cut.map(inFlight)
    for (const end of ended) {
      store.requests.close(end)
      spend.settle(callers.get(end.caller)?.who ?? 'stranger', spendOf(end))
    }
    addUse(store.used, ended, (row) => links.accountOf(row))
    spend.save(store.spend)
  })
  spend.saved()
  return cut.length
}

const hourMs = 3_600_000
/** Number of newest requests whose output counts as typical. */
const typicalRequests = 5000

/**
 * Reads the last hour's requests and the usual outputs into memory. `first` returns the id of the first row at or after a time (ms since
 * 1970), `last` is the newest id.
 */
export function loadRecent(
  { requests }: RequestLogTables,
  callers: Callers,
  spend: Spend,
  typical: TypicalTokens,
  { now, first, last }: { now: number; first: (at: number) => number; last: number },
): void {
  for (const { caller, minute, n } of requests.perMinute(first(now - hourMs), now - hourMs)) {
    spend.tick(callers.get(caller)?.who ?? '', minute * 60_000, n)
  }
  for (const { caller, model, mean, n } of requests.meanOutputs(last - typicalRequests)) {
    typical.load(model ?? callers.get(caller)?.model ?? null, mean, n)
  }
}

/** The amount that a row adds to the spend. */
export function spendOf(row: StoredRequest): SpendEntry {
  return {
    at: row.at,
    cost: row.cost,
    costIs: certainties[row.costIs] ?? 'unknown',
    tokensIn: row.tokensIn ?? 0,
    tokensOut: row.tokensOut ?? 0,
    tokensCached: row.tokensCached ?? 0,
  }
}

function inFlight(row: StoredRequest): StoredRequest {
  const endpoint = endpoints[row.endpoint] ?? 'other'
  const free = !isInference(endpoint) && endpoint !== 'other'
  return {
    ...row,
    outcome: codeOf(outcomes, 'failed'),
    state: codeOf(endStates, 'unknown'),
    cost: free ? 0n : null,
    costIs: codeOf(certainties, free ? 'measured' : 'unknown'),
    problemKind: 'was_in_flight',
    problemMessage: 'The program ended while this request was under way. Its outcome is unknown.',
  }
}
