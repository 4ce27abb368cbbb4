import { instantOf } from '../../../src-preload/contract/limitText.ts'
import { help, t } from '../../../src-renderer/i18n/cli.ts'
import { dayMs } from '../../core/shared/days.ts'
import { usageError } from './failure.ts'

// Times as people type them: `1h` and `7d` ago, `today`, `2026-11`, a day, an instant.

const hourMs = 3_600_000
const units: Readonly<Record<string, number>> = { m: 60_000, h: hourMs, d: dayMs, w: 7 * dayMs }

/** Earlier times are refused: no service reports them, and `Date` reads two-digit years as 19xx. */
const firstDay = '1970-01-01'

/** A period of time, from its first to before its last instant, ms since 1970. For an instant, both are the same. */
export interface Period {
  from: number
  to: number
}

/** Whether a text has one of the forms. @param now ms since 1970 */
export const isTime = (text: string, now = Date.now()): boolean => periodOf(text, { now, zone: 'UTC' }) !== null

/** A period that ends now is an instant: `1h` is the moment an hour ago. @param zone IANA name, for days and times without a zone */
export function periodOf(text: string, { now, zone }: { now: number; zone: string }): Period | null {
  const ago = /^(\d{1,5})([mhdw])$/.exec(text)
  if (ago) {
    const from = now - Number(ago[1]) * (units[ago[2] ?? ''] ?? 0)
    return from < 0 ? null : { from, to: from }
  }
  const today = localDay(now, zone)
  if (text === 'today') return days(today, 1, zone)
  if (text === 'yesterday') return days(dayAfter(today, -1), 1, zone)
  const month = /^(\d{4})-(\d{2})$/.exec(text)
  if (month) {
    const first = `${text}-01`
    if (!isDay(first)) return null
    const next = new Date(Date.UTC(Number(month[1]), Number(month[2]), 1)).toISOString().slice(0, 10)
    return { from: startOf(first, zone), to: startOf(next, zone) }
  }
  if (isDay(text)) return days(text, 1, zone)
  const whole = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}\S*)$/.exec(text)
  const at = whole && isDay(whole[1] ?? '') ? instantOf(text) : null
  if (at === null) return null
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(whole?.[2] ?? '')
  const moment = hasZone ? at : at - offsetAt(at, zone)
  return { from: moment, to: moment }
}

/** @throws CommanderError for another form, with the name of the option */
export function readPeriod(option: string, text: string, zone = 'UTC', now = Date.now()): Period {
  const period = periodOf(text, { now, zone })
  if (period) return period
  throw usageError(t('usage.time', { option, text: text.slice(0, 60), forms: help('times') }))
}

/** Calendar days (UTC, both included) of `--since` and `--until`. Stored sums are by UTC day. */
export function readDays(
  { since, until }: { since?: string; until?: string },
  now = Date.now(),
): { since?: string; until?: string } {
  const read = {
    ...(since !== undefined && { since: dayText(readPeriod('--since', since, 'UTC', now).from) }),
    ...(until !== undefined && { until: lastDay(readPeriod('--until', until, 'UTC', now)) }),
  }
  if (read.since !== undefined && read.until !== undefined && read.since > read.until)
    throw usageError(t('usage.sinceAfterUntil', { since: read.since, until: read.until }))
  return read
}

const lastDay = ({ from, to }: Period): string => dayText(Math.max(from, to - 1))

export const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && text >= firstDay && instantOf(text) !== null

const dayAfter = (day: string, count: number): string => dayText(Date.parse(day) + count * dayMs)

const days = (first: string, count: number, zone: string): Period => ({
  from: startOf(first, zone),
  to: startOf(dayAfter(first, count), zone),
})

/** The first instant of a calendar day in a zone. */
function startOf(day: string, zone: string): number {
  const asUtc = Date.parse(day)
  // Twice, because the offset at midnight may differ from the one of the guess.
  const guess = asUtc - offsetAt(asUtc, zone)
  return asUtc - offsetAt(guess, zone)
}

const localDay = (ms: number, zone: string): string => dayText(ms + offsetAt(ms, zone))

/** Local time minus UTC in a zone, ms. */
function offsetAt(ms: number, zone: string): number {
  if (zone === 'UTC') return 0
  const parts = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(ms)
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value)
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return local - Math.floor(ms / 1000) * 1000
}

/** A time of a zone for a table: `2026-11-21 14:05:09`. */
export const localTime = (ms: number, zone: string): string =>
  new Date(ms + offsetAt(ms, zone)).toISOString().slice(0, 19).replace('T', ' ')

/** Name of a zone at this time for a table: `UTC`, `GMT+1`. */
export const zoneName = (zone: string, ms = Date.now()): string =>
  zone === 'UTC'
    ? zone
    : (new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short' })
        .formatToParts(ms)
        .find(({ type }) => type === 'timeZoneName')?.value ?? zone)
