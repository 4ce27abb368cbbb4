import type { Callers } from '../store/requestLog/callers.ts'
import { certainties, codeOf, endpoints, endStates, outcomes } from '../store/requestLog/codes.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'
import type { StoredRequest } from '../store/requestLog/requests.ts'
import { isInference } from '../upstream/endpoint.ts'
import type { AccountLinks } from './accountLinks.ts'
import { addUse } from './dailyUsage.ts'
import type { Spend, SpendEntry } from './spend.ts'

/** Closes rows that never ended because the program was killed. Their cost is unknown, and the sums record that. */
export function recover(
  store: RequestLogTables,
  callers: Callers,
  spend: Spend,
  links: AccountLinks,
  log: (level: 'warn', line: string) => void,
): void {
  const cut = store.requests.leftOpen(store.facts.get('floor'))
  if (cut.length === 0) return
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
  log('warn', `${cut.length} requests were in flight when the program ended; the log says so.`)
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
