import type { Colour } from '../../../src-preload/contract/requests.ts'
import type { Coverage } from '../../../src-preload/contract/usage.ts'

/** A chart colour: an index of the palette, an app's own colour, or `rest`, the quiet one. */
export type Ink = number | 'rest' | Colour

export interface ChartSeries {
  id: string
  name: string
  ink: Ink
  /** Values for the heights only. `text` returns the exact values. Null when unknown. */
  values: readonly (number | null)[]
  /** The exact value of a bucket as text. Null when there is none. */
  text: (bucket: number) => string | null
}

export interface ChartBucket {
  /** Calendar days, both included. */
  from: string
  to: string
  state: Coverage
}

export interface ChartData {
  buckets: readonly ChartBucket[]
  grain: 'day' | 'week' | 'month'
  /** From the bottom up. */
  series: readonly ChartSeries[]
  /** The sum of all series of a bucket, as text. Null when unknown. */
  total: (bucket: number) => string | null
  /** The previous period, bucket by bucket: heights and texts. */
  before: { values: readonly (number | null)[]; text: (bucket: number) => string | null } | null
  /** An axis value as text. */
  axis: (value: number) => string
}

/** Neighbouring buckets with the same state share one mark. */
export interface Mark {
  first: number
  last: number
  state: 'gap' | 'partial' | 'running'
}

/** Runs of neighbouring buckets with the same incomplete state. */
export function marksOf(buckets: readonly ChartBucket[]): Mark[] {
  const marks: Mark[] = []
  buckets.forEach(({ state }, at) => {
    if (state === 'whole') return
    const last = marks.at(-1)
    if (last?.state === state && last.last === at - 1) last.last = at
    else marks.push({ first: at, last: at, state })
  })
  return marks
}

/** The height of a stack: the sum of the known values. For drawing only, not exact. */
export const heightAt = ({ series }: ChartData, bucket: number): number =>
  series.reduce((sum, { values }) => sum + (values[bucket] ?? 0), 0)

/** The heights of all stacks, as in `heightAt`. */
export function heightsOf({ buckets, series }: ChartData): Float64Array {
  const heights = new Float64Array(buckets.length)
  for (const { values } of series) {
    for (let at = 0; at < heights.length; at += 1) heights[at] = (heights[at] ?? 0) + (values[at] ?? 0)
  }
  return heights
}

/** The heights from 0 that the bars need: the highest sum of positive values of a bucket, and the lowest of negative values. */
export function reachOf({ buckets, series }: ChartData): { highest: number; lowest: number } {
  const reach = { highest: 0, lowest: 0 }
  for (let at = 0; at < buckets.length; at += 1) {
    let [above, below] = [0, 0]
    for (const { values } of series) {
      const value = values[at] ?? 0
      if (value > 0) above += value
      else below += value
    }
    reach.highest = Math.max(reach.highest, above)
    reach.lowest = Math.min(reach.lowest, below)
  }
  return reach
}

/** The series at a height of a bucket's stack: negative values are stacked below zero. Null outside the stack. */
export function seriesAt({ series }: ChartData, bucket: number, height: number): ChartSeries | null {
  let [top, bottom] = [0, 0]
  for (const one of series) {
    const value = one.values[bucket] ?? 0
    if (value > 0 && height >= top && height <= top + value) return one
    if (value < 0 && height <= bottom && height >= bottom + value) return one
    if (value > 0) top += value
    else bottom += value
  }
  return null
}
