import { exact } from '../../../src-preload/contract/amountText.ts'
import type { PageSeries, PageView } from '../../../src-preload/contract/columns.ts'
import type { Comparison, Figures } from '../../../src-preload/contract/usage.ts'
import { inSc, showAxis, showCount, showSc, showShort } from '../../i18n/format.ts'
import type { ChartData, ChartSeries, Ink } from '../../shared/chart/data.ts'
import { shareOf, sumSc } from '../../shared/money/sc.ts'
import type { Measure } from '../../stores/usage.ts'

/** The value of a counting metric. Spend is not counted. */
function countOf(
  from: { tokensIn: number | null; tokensOut: number | null; tokensCached: number | null; requests: number | null },
  measure: Measure,
): number | null {
  if (measure === 'requests') return from.requests
  if (measure === 'tokensIn') return from.tokensIn
  if (measure === 'tokensOut') return from.tokensOut
  if (measure === 'tokensCached') return from.tokensCached
  return from.tokensIn === null && from.tokensOut === null ? null : (from.tokensIn ?? 0) + (from.tokensOut ?? 0)
}

const bucketOf = (series: PageSeries, at: number) => ({
  requests: series.requests.at(at),
  tokensIn: series.tokensIn.at(at),
  tokensOut: series.tokensOut.at(at),
  tokensCached: series.tokensCached.at(at),
})

/** The value of one bucket of a series as text. Null when there is none. */
export function bucketText(series: PageSeries, at: number, measure: Measure): string | null {
  if (measure === 'spend') {
    const cost = series.cost.at(at)
    return cost === null || isUnused(series, at) ? null : inSc(showSc(cost))
  }
  const count = countOf(bucketOf(series, at), measure)
  return count === null || isUnused(series, at) ? null : showCount(count)
}

/** Whether nothing at all is reported. A service may report cost or tokens without requests. */
const isUnused = (series: PageSeries, at: number): boolean =>
  series.requests.at(at) === 0 &&
  countOf(bucketOf(series, at), 'tokens') === 0 &&
  exact(series.cost.at(at) ?? '0') === 0n

/** The exact sum of all series of a bucket. Null when there is none. */
export function totalText(view: PageView, at: number, measure: Measure): string | null {
  if (measure === 'spend') {
    const costs = view.series.flatMap((one) => (isUnused(one, at) ? [] : (one.cost.at(at) ?? [])))
    return costs.length === 0 ? null : inSc(showSc(sumSc(costs)))
  }
  const counts = view.series.flatMap((one) => (isUnused(one, at) ? [] : (countOf(bucketOf(one, at), measure) ?? [])))
  return counts.length === 0 ? null : showCount(counts.reduce((sum, count) => sum + count, 0))
}

/** Values for bar heights only. Displayed texts are exact. A column is parsed only when drawn. */
function heights(series: PageSeries, measure: Measure): readonly (number | null)[] {
  if (measure === 'spend') return series.cost.numbers()
  if (measure !== 'tokens') return series[measure].numbers()
  const out = series.tokensOut.numbers()
  return series.tokensIn.numbers().map((count, at) => {
    const more = out[at] ?? null
    return count === null && more === null ? null : (count ?? 0) + (more ?? 0)
  })
}

/** Id of the series that combines all entries below the largest ones. */
export const restId = 'rest'

/** An app has the same colour everywhere. Other series get colours that no app in the view has. */
export function inkOf({ id, colour }: PageSeries, place: number, { query, series }: PageView): Ink {
  if (id === restId) return 'rest'
  if (query.by !== 'app') return place
  return colour ?? (series.some((one) => one.colour === 'blue') ? 'slate' : 0)
}

/** Converts a view to chart data. `nameOf` returns the display name of a series, for example of a feature. */
export function chartOf(
  view: PageView,
  before: PageView | null,
  measure: Measure,
  nameOf: (series: PageSeries) => string,
): ChartData {
  const { buckets } = view
  const count = buckets.length
  const series = view.series.map((one, place): ChartSeries => {
    const ink = inkOf(one, place, view)
    return {
      id: one.id,
      name: nameOf(one),
      ink,
      values: heights(one, measure),
      text: (at) => bucketText(one, at, measure),
    }
  })
  return {
    buckets,
    grain: view.query.grain,
    series,
    axis: axisOf(measure),
    total: (at) => totalText(view, at, measure),
    before: before && beforeOf(before, count, measure),
  }
}

/** Formats a value beside the axis. */
export const axisOf =
  (measure: Measure) =>
  (value: number): string =>
    measure === 'spend' ? inSc(showAxis(value)) : showShort(value)

function beforeOf(view: PageView, count: number, measure: Measure): NonNullable<ChartData['before']> {
  const parts = view.series.map((one) => heights(one, measure))
  const values = Array.from({ length: count }, (_, at) => {
    const state = view.buckets[at]?.state
    if (state === undefined || state === 'gap') return null
    return parts.reduce((sum, part) => sum + (part[at] ?? 0), 0)
  })
  return { values, text: (at) => (values[at] === null ? null : totalText(view, at, measure)) }
}

/** The relative change from `before` to `now`. Null when not meaningful. */
export function changeOf(now: string | null, before: string | null): number | null {
  if (now === null || before === null || exact(before) === 0n) return null
  const share = shareOf(now, before)
  return share === null ? null : share - 1
}

/** The sums of both sources. `share`: this computer's part of the service's figure. Null when a sum is unknown. */
export interface Sides {
  service: string | null
  here: string | null
  elsewhere: string
  notYet: string
  share: number | null
  /** Sums that exclude rows or requests of unknown cost, or differences to such sums. */
  parts: ReadonlySet<string>
}

/** The spend of the account and of this computer over all models, and the two differences. */
export function sidesOf(comparisons: readonly Comparison[]): Sides {
  const costs = (side: 'service' | 'here'): string[] => comparisons.flatMap((one) => one[side]?.cost ?? [])
  const differences = (drift: Comparison['drift']): string[] =>
    comparisons.flatMap((one) => (one.drift === drift ? (one.elsewhere ?? []) : []))
  const service = costs('service').length === 0 ? null : sumSc(costs('service'))
  // No requests on this computer mean zero spend. Requests without a price mean unknown spend.
  const asked = comparisons.some((one) => one.here !== null)
  const here = costs('here').length === 0 && (asked || comparisons.length === 0) ? null : sumSc(costs('here'))
  // A share requires both sums.
  const both = comparisons.filter(
    (one) => one.service?.cost != null && one.drift !== 'unpriced' && one.drift !== 'incomplete',
  )
  const whole = sumSc(both.flatMap((one) => one.service?.cost ?? []))
  const share = shareOf(sumSc(both.flatMap((one) => one.here?.cost ?? [])), whole)
  return {
    service,
    here,
    share: share === null ? null : Math.min(1, Math.max(0, share)),
    parts: new Set(
      (['service', 'here'] as const).filter((side) => comparisons.some((one) => (one[side]?.missing.cost ?? 0) > 0)),
    ),
    elsewhere: sumSc(differences('elsewhere')),
    notYet: sumSc(differences('not_yet').map((less) => less.replace(/^-/, ''))),
  }
}

/** The cached share of prompt tokens. Null when not reported. */
export const cachedShare = ({ tokensIn, tokensCached, missing }: Figures): number | null =>
  tokensCached === null || tokensIn === null || tokensIn <= 0 || missing.tokensIn + missing.tokensCached > 0
    ? null
    : tokensCached / tokensIn
