import { type Column, columnOf, packColumn } from './column.ts'
import type { Coverage, PackedView, Series, UsageView } from './usage.ts'

// Converts a usage view to `packedView` and back.

const letters: Record<Coverage, string> = { whole: 'w', running: 'r', partial: 'p', gap: 'g' }
const states = new Map<string, Coverage>([
  ['w', 'whole'],
  ['r', 'running'],
  ['p', 'partial'],
  ['g', 'gap'],
])

/** A series whose cells are decoded on demand. */
export interface PageSeries extends Pick<Series, 'id' | 'name' | 'colour' | 'total'> {
  requests: Column<number>
  tokensIn: Column<number>
  tokensOut: Column<number>
  tokensCached: Column<number>
  cost: Column<string>
  incomplete: Column<number>
}
export type PageView = Omit<UsageView, 'series'> & { series: readonly PageSeries[] }

export function packView({ buckets, series, ...view }: UsageView): PackedView {
  return {
    ...view,
    buckets: {
      from: buckets.map(({ from }) => from).join(','),
      to: buckets.map(({ from, to }) => (to === from ? '' : to)).join(','),
      state: buckets.map(({ state }) => letters[state]).join(''),
    },
    series: series.map(({ requests, tokensIn, tokensOut, tokensCached, cost, incomplete, ...one }) => ({
      ...one,
      requests: packColumn(requests),
      tokensIn: packColumn(tokensIn),
      tokensOut: packColumn(tokensOut),
      tokensCached: packColumn(tokensCached),
      cost: packColumn(cost),
      incomplete: packColumn(incomplete),
    })),
  }
}

export function unpackView({ buckets: { from, to, state }, series, ...view }: PackedView): PageView {
  const last = to.split(',')
  const buckets = from.split(',').flatMap((first, at): UsageView['buckets'] => {
    const known = states.get(state[at] ?? '')
    return known ? [{ from: first, to: last[at] || first, state: known }] : []
  })
  return { ...view, buckets, series: series.map(pageSeries) }
}

const pageSeries = ({ id, name, colour, total, ...columns }: PackedView['series'][number]): PageSeries => ({
  id,
  name,
  colour,
  total,
  requests: columnOf(columns.requests, Number),
  tokensIn: columnOf(columns.tokensIn, Number),
  tokensOut: columnOf(columns.tokensOut, Number),
  tokensCached: columnOf(columns.tokensCached, Number),
  cost: columnOf(columns.cost, String),
  incomplete: columnOf(columns.incomplete, Number),
})
