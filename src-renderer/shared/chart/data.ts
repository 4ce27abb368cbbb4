import type { Colour } from '../../../src-preload/contract/requests.ts'
import type { Coverage } from '../../../src-preload/contract/usage.ts'

/** A colour of the chart: by its place in the palette, a tool's own, or `rest`, the quiet one. */
export type Ink = number | 'rest' | Colour

export interface ChartSeries {
  id: string
  name: string
  ink: Ink
  /** For the height alone: what is read is `text`. Null where nothing is known. */
  values: readonly (number | null)[]
  /** The exact figure of a bucket in words; null where it has none. */
  text: (bucket: number) => string | null
}

export interface ChartBucket {
  /** Days of the calendar, both included. */
  from: string
  to: string
  state: Coverage
}

export interface ChartData {
  buckets: readonly ChartBucket[]
  grain: 'day' | 'week' | 'month'
  /** From the bottom up. */
  series: readonly ChartSeries[]
  /** Of all series of a bucket, in words; null where nothing is known. */
  total: (bucket: number) => string | null
  /** The stretch before, bucket by bucket: the height, and the words. */
  before: { values: readonly (number | null)[]; text: (bucket: number) => string | null } | null
  /** A figure of the axis in words. */
  axis: (value: number) => string
}

/** Neighbours that lack the same are marked as one. */
export interface Mark {
  first: number
  last: number
  state: 'gap' | 'partial' | 'running'
}

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

/** The height of a stack: the sum of what is known. Drawn, never told. */
export const heightAt = ({ series }: ChartData, bucket: number): number =>
  series.reduce((sum, { values }) => sum + (values[bucket] ?? 0), 0)

/** The heights of all stacks, as `heightAt`. */
export function heightsOf({ buckets, series }: ChartData): Float64Array {
  const heights = new Float64Array(buckets.length)
  for (const { values } of series) {
    for (let at = 0; at < heights.length; at += 1) heights[at] = (heights[at] ?? 0) + (values[at] ?? 0)
  }
  return heights
}

/** The series at a height of a bucket's stack, or null above it. */
export function seriesAt({ series }: ChartData, bucket: number, height: number): ChartSeries | null {
  let top = 0
  for (const one of series) {
    const value = one.values[bucket] ?? 0
    if (value > 0 && height >= top && height <= top + value) return one
    top += value
  }
  return null
}
