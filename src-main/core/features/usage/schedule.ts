import { dayMs, dayOfMs } from '../../shared/days.ts'

const minute = 60_000
/** Daily rows change with use alone, and asking for them is a counted request. */
export const usageEveryMs = 15 * minute
/** A closed day is asked for when the service has had time to close it. */
export const afterMidnightMs = 2 * minute
/** A service without the read-outs may get them with its next version. */
export const offersEveryMs = dayMs
const keysEveryMs = 60 * minute
/** What failed is not tried again before. */
const leastMs = minute

/** What is known of the asking over the connection that stands now; times in ms since 1970. */
export interface Asking {
  /** The last try, whatever came of it; null before the first. */
  triedAt: number | null
  /** The last good answer over any connection. */
  keptAt: number | null
  /** The service said that it has no such read-out; when. */
  lacksAt: number | null
  /** Requests of others since the last try. */
  used: boolean
}

/** Whether the account's days are to be asked for now. */
export function usageIsDue(now: number, { triedAt, keptAt: saidAt, lacksAt, used }: Asking): boolean {
  if (lacksAt !== null && isWithin(now, lacksAt, offersEveryMs)) return false
  if (triedAt === null || triedAt > now) return true
  const keptAt = saidAt !== null && saidAt > now ? null : saidAt
  if (isWithin(now, triedAt, leastMs)) return false
  // The day turned since: a day that has ended is to be seen whole, and nobody is left without a look for a day.
  const turned = dayOfMs(now - afterMidnightMs) > dayOfMs((keptAt ?? 0) - afterMidnightMs)
  if (turned && (keptAt === null || triedAt <= keptAt)) return true
  if (isWithin(now, triedAt, usageEveryMs)) return false
  return used || keptAt === null || triedAt > keptAt
}

/** Whether records, totals and days of the keys are to be asked for now. */
export function keysAreDue(now: number, { triedAt, keptAt, lacksAt, used }: Asking): boolean {
  if (lacksAt !== null && isWithin(now, lacksAt, offersEveryMs)) return false
  if (triedAt === null || triedAt > now) return true
  if (isWithin(now, triedAt, keysEveryMs)) return false
  return used || keptAt === null || keptAt > now || dayOfMs(now - afterMidnightMs) > dayOfMs(keptAt - afterMidnightMs)
}

/** Less than `ms` after `at`; a clock that was put back makes everything due. */
function isWithin(now: number, at: number, ms: number): boolean {
  return now >= at && now - at < ms
}
