import type { Coverage } from '../../../../src-preload/contract/usage.ts'
import { type DayBucket, type DayNumber, dayOfMs, endOfDay } from '../../shared/days.ts'
import type { Covered } from '../../store/account/fetches.ts'

/** How each day of a stretch is known; `ahead` is a day that has not begun, of which there is nothing to know. */
export type DayState = Coverage | 'ahead'

/** The service's side. */
export function statesOf({ from, to }: DayBucket, covered: readonly Covered[], now: number): DayState[] {
  const today = dayOfMs(now)
  const states = Array.from({ length: to - from + 1 }, (_, at): DayState => (from + at > today ? 'ahead' : 'gap'))
  for (const { day, lastAt } of covered) states[day - from] = stateOf(day, lastAt, now)
  return states
}

function stateOf(day: DayNumber, lastAt: number, now: number): DayState {
  if (lastAt >= endOfDay(day)) return 'whole'
  return now < endOfDay(day) ? 'running' : 'partial'
}

/** This machine's side: it knows of each request that it made, from the first one on and also before. */
export function ownStates({ from, to }: DayBucket, now: number): DayState[] {
  const today = dayOfMs(now)
  return Array.from({ length: to - from + 1 }, (_, at): DayState => {
    if (from + at > today) return 'ahead'
    return from + at === today ? 'running' : 'whole'
  })
}

/** How a stretch of days is known: what is missing anywhere in it goes before what has not ended. */
export function stateOfStretch(states: readonly DayState[]): Coverage {
  const counts = { whole: 0, running: 0, partial: 0, gap: 0, ahead: 0 }
  for (const state of states) counts[state] += 1
  const begun = states.length - counts.ahead
  if (begun > 0 && counts.gap === begun) return 'gap'
  if (counts.gap + counts.partial > 0) return 'partial'
  return counts.running + counts.ahead > 0 ? 'running' : 'whole'
}

/** Whether anything of a stretch is known. */
export const isKnown = (state: DayState): boolean => state !== 'gap' && state !== 'ahead'
