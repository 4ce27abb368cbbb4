import type { Limited } from '../../../../src-preload/contract/account.ts'
import type { RequestRow } from '../../../../src-preload/contract/requests.ts'

/** A request that was answered with 429. `waitedMs` is null for rows of earlier versions, which did not record the reasons of waits. */
export interface RateLimitedRow {
  row: RequestRow
  waitedMs: number | null
}

/**
 * Summary of a request that the service answered with 429 at least once. `waitedMs` is the total wait after these replies, including each
 * `Retry-After`.
 */
export function limitedOf({ row, waitedMs }: RateLimitedRow): Limited {
  const { id, at, who, endpoint, model, retriedAfter } = row
  const times = retriedAfter.filter((status) => status === 429).length + (row.status === 429 ? 1 : 0)
  return { row: id, at, who, endpoint, model, times, waitedMs, ended: endedAs(row) }
}

function endedAs({ state, status }: RequestRow): Limited['ended'] {
  if (state === 'done') return status !== null && status >= 400 ? (status === 429 ? 'refused' : 'failed') : 'done'
  if (state === 'refused' || state === 'cancelled') return state
  if (state === 'failed') return status === 429 ? 'refused' : 'failed'
  return state === 'cut' || state === 'unknown' ? 'failed' : 'running'
}
