import { i18n } from './index.ts'

/** For `Intl`: the window's language. The made-up ones are English with other letters. */
export function locale(): string {
  const { language } = i18n
  return language === 'en-XA' || language === 'ar-XB' ? 'en' : language || 'en'
}

const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>()

/** Making a formatter costs some 50 µs, using one less than 1: each is made once a language. */
function once<T extends Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>(
  name: string,
  make: (language: string) => T,
): T {
  const key = `${locale()} ${name}`
  // Each name belongs to one maker below, and so to one type.
  const known = made.get(key) as T | undefined
  if (known) return known
  const fresh = make(locale())
  made.set(key, fresh)
  return fresh
}

/** A count: `10,000`. */
export const showCount = (value: number): string => once('count', (to) => new Intl.NumberFormat(to)).format(value)

/** A count in little room: whole up to 99,999, then `124K`, `1.2M`. */
export function showShort(value: number): string {
  if (value < 100_000) return showCount(value)
  const how = { notation: 'compact', maximumFractionDigits: 1 } as const
  return once('short', (to) => new Intl.NumberFormat(to, how)).format(value)
}

/** The person's own clock: `14:02`. What can’t be read is shown as it is, here and below. */
export const showClock = (instant: string): string =>
  shown(instant, (at) => once('time', (to) => new Intl.DateTimeFormat(to, clock)).format(at))

/** A day and its time: `21 Nov, 14:02`. */
export const showInstant = (instant: string): string =>
  shown(instant, (at) => once('instant', (to) => new Intl.DateTimeFormat(to, { ...dayOfYear, ...clock })).format(at))

/** All of it, for a fact or a title: `21 Nov 2026, 14:02`. */
export function showFull(instant: string): string {
  const how = { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' } as const
  return shown(instant, (at) => once('full', (to) => new Intl.DateTimeFormat(to, how)).format(at))
}

const agoUnits = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** How long ago, to the minute: `5 min ago`, `yesterday`. Below a minute, and after `now` (ms since 1970), `just now`. */
export function showAgo(instant: string, now: number): string {
  return shown(instant, (at) => {
    const age = now - at.getTime()
    const found = agoUnits.find(([, ms]) => age >= ms)
    if (!found) return i18n.t('common:justNow')
    const [unit, ms] = found
    const words = once('ago', (to) => new Intl.RelativeTimeFormat(to, { style: 'short', numeric: 'auto' }))
    // English abbreviates with a full stop (`5 min. ago`), which reads as the end of a sentence.
    return words.format(-Math.floor(age / ms), unit).replace(/(\p{L})\.(?= )/gu, '$1')
  })
}

/** A month's short name, from 0: `Nov`. */
export const showMonth = (month: number): string =>
  once('month', (to) => new Intl.DateTimeFormat(to, { month: 'short', timeZone: 'UTC' })).format(
    Date.UTC(2026, month, 15),
  )

/** A day of the calendar, as it was told: no time zone moves it. */
function showCalendar(day: string, name: string, how: Intl.DateTimeFormatOptions): string {
  const at = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(at.getTime())) return day
  return once(`calendar ${name}`, (to) => new Intl.DateTimeFormat(to, { ...how, timeZone: 'UTC' })).format(at)
}
/** `20 Nov`. */
export const showCalendarDay = (day: string): string => showCalendar(day, 'day', dayOfYear)
/** `20 Nov 2026`. */
export const showCalendarDate = (day: string): string => showCalendar(day, 'date', { ...dayOfYear, year: 'numeric' })
/** `Fri, 20 Nov 2026`. */
export const showCalendarLong = (day: string): string =>
  showCalendar(day, 'long', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
/** `Nov 2026`. */
export const showCalendarMonth = (day: string): string =>
  showCalendar(day, 'month', { month: 'short', year: 'numeric' })

/** A share of one: `62%`; below a hundredth with one digit more. */
export function showShare(share: number): string {
  const digits = share !== 0 && Math.abs(share) < 0.01 ? 1 : 0
  return once(
    `share ${digits}`,
    (to) => new Intl.NumberFormat(to, { style: 'percent', maximumFractionDigits: digits }),
  ).format(share)
}

function shown(instant: string, show: (at: Date) => string): string {
  const at = new Date(instant)
  return Number.isNaN(at.getTime()) ? instant : show(at)
}

/** A day as short as it is still clear: `14:02` today, `3 Nov` this year, `3 Nov 2025` else. */
export function showDay(instant: string, now = new Date()): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return instant
  if (at.toDateString() === now.toDateString()) return showClock(instant)
  if (at.getFullYear() === now.getFullYear()) {
    return once('day', (to) => new Intl.DateTimeFormat(to, dayOfYear)).format(at)
  }
  const parts = { day: 'numeric', month: 'short', year: 'numeric' } as const
  return once('date', (to) => new Intl.DateTimeFormat(to, parts)).format(at)
}

const dayOfYear = { day: 'numeric', month: 'short' } as const
const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const steps = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** `one, two, and three`. */
export const showList = (words: readonly string[]): string => new Intl.ListFormat(locale()).format(words)

/** Words from elsewhere, such as a library's, as a sentence of ours: others follow it. */
export const asSentence = (words: string): string => (/[.!?…]$/u.test(words.trim()) ? words.trim() : `${words.trim()}.`)

/** Bytes as people say them: `4.2 MB`. */
export function showSize(bytes: number): string {
  let value = bytes
  let step = 0
  while (value >= 1_000 && step < steps.length - 1) {
    value /= 1_000
    step++
  }
  const unit = steps[step] ?? 'byte'
  const digits = step === 0 || value >= 100 ? 0 : 1
  return once(`${unit} ${digits}`, (to) => {
    const how = {
      style: 'unit',
      unit,
      unitDisplay: step === 0 ? 'long' : 'short',
      maximumFractionDigits: digits,
    } as const
    return new Intl.NumberFormat(to, how)
  }).format(value)
}
