import type { ChartData } from './data.ts'

/** A selected bucket and series. Null series: the whole bucket. */
export interface Cursor {
  at: number
  series: string | null
}

/** The cursor after a key press. Undefined for a key without a meaning. The first arrow selects the last bucket. */
export function walk(key: string, cursor: Cursor | null, data: ChartData): Cursor | null | undefined {
  const last = data.buckets.length - 1
  if (last < 0) return undefined
  if (key === 'Escape') return cursor ? null : undefined
  const from = Math.min(last, cursor?.at ?? last)
  const picked = cursor?.series ?? null
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    return { at: from, series: nextSeries(data, from, picked, key === 'ArrowUp' ? 1 : -1) }
  }
  const step = cursor ? 1 : 0
  const goals: Record<string, number> = {
    ArrowLeft: from - step,
    ArrowRight: from + step,
    PageUp: from - 7,
    PageDown: from + 7,
    Home: 0,
    End: last,
  }
  const goal = goals[key]
  return goal === undefined ? undefined : { at: Math.min(last, Math.max(0, goal)), series: picked }
}

/** The next series of the stack with a value. "No series" is between the last and the first. */
function nextSeries(data: ChartData, at: number, picked: string | null, by: 1 | -1): string | null {
  const some = [null, ...data.series.filter(({ values }) => (values[at] ?? 0) > 0).map(({ id }) => id)]
  return some[(Math.max(0, some.indexOf(picked)) + by + some.length) % some.length] ?? null
}
