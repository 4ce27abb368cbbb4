import type { Coverage } from '../../../../src-preload/contract/usage.ts'
import { type DayBucket, type DayNumber, dayOfMs, endOfDay } from '../../shared/days.ts'
import type { Covered } from '../../store/account/fetches.ts'

/** How well the usage of a day is known. `ahead`: the day has not begun. */
export type DayState = Coverage | 'ahead'

/** Coverage of remote usage, one state per day of the range. */
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

/** Coverage of local usage, one state per day of the range. The log has every request of this computer, so there are no gaps. */
export function ownStates({ from, to }: DayBucket, now: number): DayState[] {
  const today = dayOfMs(now)
  return Array.from({ length: to - from + 1 }, (_, at): DayState => {
    if (from + at > today) return 'ahead'
    return from + at === today ? 'running' : 'whole'
  })
}

/** Coverage of several days as one state. Missing days take precedence over unfinished ones. */
export function stateOfStretch(states: readonly DayState[]): Coverage {
  const counts = { whole: 0, running: 0, partial: 0, gap: 0, ahead: 0 }
  for (const state of states) counts[state] += 1
  const begun = states.length - counts.ahead
  if (begun > 0 && counts.gap === begun) return 'gap'
  if (counts.gap + counts.partial > 0) return 'partial'
  return counts.running + counts.ahead > 0 ? 'running' : 'whole'
}

/** Whether any usage of a day is known. */
export const isKnown = (state: DayState): boolean => state !== 'gap' && state !== 'ahead'
