import type { Coverage, UsageView } from '../../../../src-preload/contract/usage.ts'
import { fromAtto, toAtto } from '../../shared/money.ts'

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
export function rowsOf({ query, buckets, series, asOf }: UsageView): ExportRow[] {
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

/** The view's sums: a row for each series over all of its days. */
export function totalsOf({ query, buckets, series, asOf }: UsageView): ExportRow[] {
  const { from, to, source, by } = query
  const state = stateOf(buckets.map((bucket) => bucket.state))
  return series.map(({ id, name, total }) => ({
    ...{ from, to, state, source, by, id, name },
    requests: total.requests,
    tokens_in: total.tokensIn,
    tokens_out: total.tokensOut,
    tokens_cached: total.tokensCached,
    cost_sc: total.cost,
    as_of: asOf,
  }))
}

/** The view's buckets: a row for each over all of its series. A gap has no figures: it is not nothing. */
export function bucketsOf({ query, buckets, series, asOf }: UsageView): ExportRow[] {
  return buckets.map(({ from, to, state }, at) => {
    // Of a day that has not begun there is nothing to know either.
    const unknown =
      state === 'gap' || from > (asOf ?? '') || (series.length > 0 && series.every((one) => one.requests[at] === null))
    const sum = (of: (one: UsageView['series'][number]) => readonly (number | null)[]): number | null =>
      unknown ? null : series.reduce((total, one) => total + (of(one)[at] ?? 0), 0)
    const cached = series.every((one) => one.tokensCached[at] !== null)
    return {
      ...{ from, to, state, source: query.source, by: 'day', id: 'all', name: 'all' },
      requests: sum((one) => one.requests),
      tokens_in: sum((one) => one.tokensIn),
      tokens_out: sum((one) => one.tokensOut),
      tokens_cached: cached ? sum((one) => one.tokensCached) : null,
      cost_sc: unknown ? null : costOf(series.map((one) => one.cost[at] ?? null)),
      as_of: asOf,
    }
  })
}

/** Null where there are costs, and nobody knows any of them. */
function costOf(costs: readonly (string | null)[]): string | null {
  const known = costs.flatMap((cost) => toAtto(cost) ?? [])
  if (known.length === 0 && costs.length > 0) return null
  return fromAtto(known.reduce((sum, cost) => sum + cost, 0n))
}

/** Of a whole stretch: what is missing anywhere in it goes before what has not ended. */
function stateOf(states: readonly Coverage[]): Coverage {
  if (states.length > 0 && states.every((state) => state === 'gap')) return 'gap'
  if (states.some((state) => state === 'gap' || state === 'partial')) return 'partial'
  return states.includes('running') ? 'running' : 'whole'
}
