import type { View } from '../../../src-preload/contract/usage.ts'

/**
 * One bucket of one series. Numbers are null where that side tells nothing of it (see `state`). `cost_sc` is exact decimal text.
 * `as_of`: when the service was asked last; null for this machine's side.
 */
export interface ExportRow {
  from: string
  to: string
  state: string
  source: string
  by: string
  id: string
  name: string
  requests: number | null
  tokens_in: number | null
  tokens_out: number | null
  tokens_cached: number | null
  cost_sc: string | null
  as_of: string | null
}

export const exportColumns = [
  ...['from', 'to', 'state', 'source', 'by', 'id', 'name', 'requests', 'tokens_in', 'tokens_out'],
  ...['tokens_cached', 'cost_sc', 'as_of'],
] as const satisfies readonly (keyof ExportRow)[]

/** The view as a table: a row for each bucket and series, in that order. */
export function rowsOf({ query, buckets, series, asOf }: View): ExportRow[] {
  return buckets.flatMap(({ from, to, state }, at) =>
    series.map((one) => ({
      ...{ from, to, state, source: query.source, by: query.by, id: one.id, name: one.name },
      requests: one.requests[at] ?? null,
      tokens_in: one.tokensIn[at] ?? null,
      tokens_out: one.tokensOut[at] ?? null,
      tokens_cached: one.tokensCached[at] ?? null,
      cost_sc: one.cost[at] ?? null,
      as_of: asOf,
    })),
  )
}
