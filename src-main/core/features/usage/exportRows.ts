import type { Coverage, UsageView } from '../../../../src-preload/contract/usage.ts'
import { fromAtto, toAtto } from '../../shared/money.ts'

/**
 * One bucket of one series. A number is null if its source does not report it (see `state`). `cost_sc` is exact decimal text. `as_of` is
 * the time of the last fetch from the service.
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
  /** Rows of the service that lack a figure, or requests without a known cost: above 0, the figures are the sums of the others. */
  incomplete: number | null
}

export const exportColumns = [
  ...['from', 'to', 'state', 'source', 'by', 'id', 'name', 'requests', 'tokens_in', 'tokens_out'],
  ...['tokens_cached', 'cost_sc', 'as_of', 'incomplete'],
] as const satisfies readonly (keyof ExportRow)[]

/** The view as a table: one row per bucket and series, in this order. */
export function rowsOf({ query, buckets, series, asOf }: UsageView): ExportRow[] {
  return buckets.flatMap(({ from, to, state }, at) =>
    series.map((one) => ({
      from,
      to,
      state,
      source: query.source,
      by: query.by,
      id: one.id,
      name: one.name,
      requests: one.requests[at] ?? null,
      tokens_in: one.tokensIn[at] ?? null,
      tokens_out: one.tokensOut[at] ?? null,
      tokens_cached: one.tokensCached[at] ?? null,
      cost_sc: one.cost[at] ?? null,
      as_of: asOf,
      incomplete: one.incomplete[at] ?? null,
    })),
  )
}

/** The sums of the view: one row per series over all days. */
export function totalsOf({ query, buckets, series, asOf }: UsageView): ExportRow[] {
  const { from, to, source, by } = query
  const state = stateOf(buckets.map((bucket) => bucket.state))
  return series.map(({ id, name, total, incomplete }) => ({
    from,
    to,
    state,
    source,
    by,
    id,
    name,
    requests: total.requests,
    tokens_in: total.tokensIn,
    tokens_out: total.tokensOut,
    tokens_cached: total.tokensCached,
    cost_sc: total.cost,
    as_of: asOf,
    incomplete: incomplete.reduce<number>((sum, count) => sum + (count ?? 0), 0),
  }))
}

/** The buckets of the view: one row per bucket over all series. A gap has null figures, not zeros. */
export function bucketsOf({ query, buckets, series, asOf }: UsageView): ExportRow[] {
  return buckets.map(({ from, to, state }, at) => {
    // A day that has not begun is unknown as well.
    const unknown =
      state === 'gap' ||
      from > (asOf ?? '') ||
      (series.length > 0 && series.every((one) => one.incomplete[at] === null))
    // The sum of what is known; null when there is something, but nothing of it is known.
    const sum = (of: (one: UsageView['series'][number]) => readonly (number | null)[]): number | null => {
      const counts = series.flatMap((one) => of(one)[at] ?? [])
      return unknown || (counts.length === 0 && series.length > 0)
        ? null
        : counts.reduce((all, count) => all + count, 0)
    }
    return {
      from,
      to,
      state,
      source: query.source,
      by: 'day',
      id: 'all',
      name: 'all',
      requests: sum((one) => one.requests),
      tokens_in: sum((one) => one.tokensIn),
      tokens_out: sum((one) => one.tokensOut),
      tokens_cached: sum((one) => one.tokensCached),
      cost_sc: unknown ? null : costOf(series.map((one) => one.cost[at] ?? null)),
      as_of: asOf,
      incomplete: sum((one) => one.incomplete),
    }
  })
}

/** Exact sum as decimal text. Null if there are costs but none is known. */
function costOf(costs: readonly (string | null)[]): string | null {
  const known = costs.flatMap((cost) => toAtto(cost) ?? [])
  if (known.length === 0 && costs.length > 0) return null
  return fromAtto(known.reduce((sum, cost) => sum + cost, 0n))
}

/** Coverage of the whole range. Missing days take precedence over unfinished ones. */
function stateOf(states: readonly Coverage[]): Coverage {
  if (states.length > 0 && states.every((state) => state === 'gap')) return 'gap'
  if (states.some((state) => state === 'gap' || state === 'partial')) return 'partial'
  return states.includes('running') ? 'running' : 'whole'
}
