import type { Nano } from '../shared/money.ts'

/** The number of newest requests that count. */
export const usualRequests = 21
/** The maximum number of models of one app that are read. */
export const maxUsualCallers = 50
/** Below this number of requests, none is usual. */
const minRequests = 3

/** What an app's usual request costs and how many tokens it uses. */
export interface UsualRequest {
  cost: Nano
  /** In and out. */
  tokens: number
}

/** Medians, because one long request among short ones is not usual. Null for fewer than three requests. */
export function usualOf(requests: readonly UsualRequest[]): UsualRequest | null {
  if (requests.length < minRequests) return null
  const middle = Math.floor(requests.length / 2)
  const costs = requests.map(({ cost }) => cost).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const tokens = requests.map((request) => request.tokens).sort((a, b) => a - b)
  return { cost: costs[middle] ?? 0n, tokens: tokens[middle] ?? 0 }
}
