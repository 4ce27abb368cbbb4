import { dayMs, dayOfMs } from '../../shared/days.ts'

const minute = 60_000
/** Interval between usage fetches, ms. Daily rows change only with use, and each fetch is a counted request. */
export const usageEveryMs = 15 * minute
/** Delay after midnight UTC before the ended day is fetched, ms, so that the service can complete it. */
export const afterMidnightMs = 2 * minute
/** How often a missing endpoint is tried again, ms. The next version of the service may add it. */
export const offersEveryMs = dayMs
const keysEveryMs = 60 * minute
/** Shortest time between a failure and the next attempt, ms. */
const minRetryMs = minute

/** Fetch history over the current connection. Times in ms since 1970. */
export interface FetchHistory {
  /** Last attempt, successful or not; null before the first. */
  attemptedAt: number | null
  /** Last successful fetch over any connection. */
  fetchedAt: number | null
  /** When the service last answered that it does not have this endpoint. */
  missingAt: number | null
  /** Whether others have sent requests since the last attempt. */
  used: boolean
}

/** Whether to fetch the account's days now. */
export function usageIsDue(
  now: number,
  { attemptedAt, fetchedAt: reportedAt, missingAt, used }: FetchHistory,
): boolean {
  if (missingAt !== null && isWithin(now, missingAt, offersEveryMs)) return false
  if (attemptedAt === null || attemptedAt > now) return true
  const fetchedAt = reportedAt !== null && reportedAt > now ? null : reportedAt
  if (isWithin(now, attemptedAt, minRetryMs)) return false
  // The day has changed since the last fetch. An ended day is fetched once more in full, even without use.
  const dayChanged = dayOfMs(now - afterMidnightMs) > dayOfMs((fetchedAt ?? 0) - afterMidnightMs)
  if (dayChanged && (fetchedAt === null || attemptedAt <= fetchedAt)) return true
  if (isWithin(now, attemptedAt, usageEveryMs)) return false
  return used || fetchedAt === null || attemptedAt > fetchedAt
}

/** Whether to fetch records, totals and days of the keys now. */
export function keysAreDue(now: number, { attemptedAt, fetchedAt, missingAt, used }: FetchHistory): boolean {
  if (missingAt !== null && isWithin(now, missingAt, offersEveryMs)) return false
  if (attemptedAt === null || attemptedAt > now) return true
  if (isWithin(now, attemptedAt, keysEveryMs)) return false
  return (
    used ||
    fetchedAt === null ||
    fetchedAt > now ||
    dayOfMs(now - afterMidnightMs) > dayOfMs(fetchedAt - afterMidnightMs)
  )
}

/** Whether `now` is less than `ms` after `at`. False if the clock was set back, which makes everything due. */
function isWithin(now: number, at: number, ms: number): boolean {
  return now >= at && now - at < ms
}
