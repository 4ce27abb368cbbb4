import type { Coverage } from '../../../src-preload/contract/usage.ts'
import { type ChartBucket, type ChartData, heightsOf } from './data.ts'

/** A bar for neighbouring buckets that would share pixels. It is as high as the highest bucket, so that no peak is lost. */
export interface Fold {
  /** Buckets per bar. The last bar may have fewer. */
  per: number
  /** The drawn bucket of each bar. */
  peaks: readonly number[]
  /** The drawn data: one bucket per bar, with the worst state of all its buckets. */
  data: ChartData
}

/** px beside the bars, for the axis and the margin. */
const beside = 64

/** Minimum width of a merged bar with its gap, px. Thinner bars can neither be distinguished nor clicked. */
const leastBar = 3

/** Buckets per bar at this chart width, px. 1 while each bucket has a pixel of its own. */
export function bucketsPerBar(count: number, width: number): number {
  const plotWidth = width - beside
  return plotWidth <= 0 || count <= plotWidth ? 1 : Math.ceil((count * leastBar) / plotWidth)
}

const worst: Record<Coverage, number> = { gap: 3, partial: 2, running: 1, whole: 0 }

export function folded(data: ChartData, per: number): Fold {
  if (per <= 1) return { per: 1, peaks: data.buckets.map((_, at) => at), data }
  const heights = heightsOf(data)
  const peaks: number[] = []
  const buckets: ChartBucket[] = []
  for (let first = 0; first < data.buckets.length; first += per) {
    const last = Math.min(data.buckets.length, first + per) - 1
    let peak = first
    let state: Coverage = 'whole'
    for (let at = first; at <= last; at += 1) {
      if ((heights[at] ?? 0) > (heights[peak] ?? 0)) peak = at
      const own = data.buckets[at]?.state ?? 'whole'
      if (worst[own] > worst[state]) state = own
    }
    peaks.push(peak)
    buckets.push({ from: data.buckets[first]?.from ?? '', to: data.buckets[last]?.to ?? '', state })
  }
  const { before } = data
  return {
    per,
    peaks,
    data: {
      ...data,
      buckets,
      series: data.series.map((one) => ({ ...one, values: peaks.map((at) => one.values[at] ?? null) })),
      before: before && { ...before, values: peaks.map((_, bar) => highest(before.values, bar * per, per)) },
    },
  }
}

function highest(values: readonly (number | null)[], from: number, count: number): number | null {
  let most: number | null = null
  for (let at = from; at < from + count; at += 1) {
    const value = values[at] ?? null
    if (value !== null && (most === null || value > most)) most = value
  }
  return most
}

/** First and last bucket of the bar that contains a bucket. */
export function barOf({ per }: Fold, bucket: number, count: number): { first: number; last: number } {
  const first = Math.floor(bucket / per) * per
  return { first, last: Math.min(count, first + per) - 1 }
}
