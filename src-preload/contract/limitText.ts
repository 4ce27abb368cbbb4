// What the reported limits mean at a later time, for the window and the command line. Both must say the same.

import type { LimitStatus } from './account.ts'

/** ISO 8601, also with a space instead of the T. */
const timed = /^\s*(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|[+-]\d{2}(?::?\d{2})?)?)?\s*$/i

/**
 * An instant that the service wrote, in ms since 1970; null when it cannot be parsed. Without a time zone it counts as UTC, never as this
 * computer's local time.
 */
export function instantOf(given: string | null | undefined): number | null {
  const text = given ?? ''
  if (/^\d{10}$/.test(text)) return Number(text) * 1000
  const [, date, time = '00:00', zone = 'Z'] = timed.exec(text) ?? []
  if (date === undefined || !isDay(date)) return null
  const [sign = '', hours = '', minutes = '00'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone)?.slice(1) ?? []
  const at = Date.parse(`${date}T${time}${sign === '' ? 'Z' : `${sign}${hours}:${minutes}`}`)
  return Number.isNaN(at) ? null : at
}

/** `Date.parse` would turn `2026-02-30` into a day of March. */
function isDay(date: string): boolean {
  const read = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(date)
}

/** Whether a reported ban holds at `now`, ms since 1970. `over`: its reported end has passed, and no newer report ended it. */
export function banAt(
  { banned, bannedUntil }: Pick<LimitStatus, 'banned' | 'bannedUntil'>,
  now: number,
): 'none' | 'banned' | 'over' {
  const until = instantOf(bannedUntil)
  if (!banned) return 'none'
  return until !== null && until <= now ? 'over' : 'banned'
}

/** When the minute bucket is full again: seconds from `now` (ms since 1970), or that the time is over or unknown. */
export function resetAt(
  { resetSeconds, asOf }: Pick<LimitStatus, 'resetSeconds' | 'asOf'>,
  now: number,
): number | 'over' | 'unknown' {
  if (resetSeconds === null || !Number.isFinite(Date.parse(asOf))) return 'unknown'
  const left = Math.ceil((Date.parse(asOf) + resetSeconds * 1_000 - now) / 1_000)
  return left > 0 ? left : 'over'
}
