import type { Nano } from '../shared/money.ts'
import type { Caller } from '../store/requestLog/callers.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'

/** The number of newest requests that count. */
const usualRequests = 21
/** The maximum number of models of one app that are read. */
const maxUsualCallers = 50
/** Below this number of requests, none is usual. */
const minRequests = 3

/** What an app's usual request costs and how many tokens it uses. */
export interface UsualRequest {
  cost: Nano
  /** In and out. */
  tokens: number
}

/** The usual request of the app `who`, from its newest successful requests. Null after too few of them. */
export function usualRequestOf(
  who: string,
  callers: Iterable<Caller>,
  requests: RequestLogTables['requests'],
): UsualRequest | null {
  // The newest callers come last. An app that names many models must not make this slow.
  const newest = [...callers].filter((caller) => caller.who === who).slice(-maxUsualCallers)
  const ids = newest.map(({ id }) => id)
  return usualOf(requests.newestPriced(ids, usualRequests))
}

/** Medians, because one long request among short ones is not usual. Null for fewer than three requests. */
export function usualOf(requests: readonly UsualRequest[]): UsualRequest | null {
  if (requests.length < minRequests) return null
  const middle = Math.floor(requests.length / 2)
  const costs = requests.map(({ cost }) => cost).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const tokens = requests.map((request) => request.tokens).sort((a, b) => a - b)
  return { cost: costs[middle] ?? 0n, tokens: tokens[middle] ?? 0 }
}
