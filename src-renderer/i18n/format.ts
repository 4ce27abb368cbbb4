import { countText, showSc as scText, withMinus } from '../../src-preload/contract/amountText.ts'
import type { Sentence } from '../../src-preload/contract/note.ts'
import { i18n } from './index.ts'
import { type AreaTexts, directionOf, localeOf } from './language.ts'
import { noteText } from './noteText.ts'

/** The window's language as a locale for `Intl`. */
export const locale = (): string => localeOf(i18n.language || 'en')

const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>()

/** Caches each formatter per language: creating one takes about 50 µs, using one less than 1 µs. */
function once<T extends Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>(
  name: string,
  make: (language: string) => T,
): T {
  const key = `${locale()} ${name}`
  // Each name is used by one function below, and therefore has one type.
  const known = made.get(key) as T | undefined
  if (known) return known
  const fresh = make(locale())
  made.set(key, fresh)
  return fresh
}

/** Formats a count: `10,000`, `−3`, `1E300`. */
export const showCount = (value: number): string => countText(value, locale())

/** Formats an amount of SC (a decimal string) with its significant digits: `1,204.50`, `0.0012`. */
export const showSc = (amount: string): string => scText(amount, locale())

/** An amount that is formatted already, with the unit: `1.20 SC`. */
export const inSc = (amount: string): string => i18n.t('common:cost.plain', { amount })

/** Formats a count for little space: in full up to 99,999, then `124K`, `1.2M`. */
export function showShort(value: number): string {
  if (Math.abs(value) < 100_000 || Math.abs(value) >= 1e15) return showCount(value)
  const how = { notation: 'compact', maximumFractionDigits: 1 } as const
  return withMinus(once('short', (to) => new Intl.NumberFormat(to, how)).format(value))
}

/** Formats a value of an axis without floating-point noise: `0.3`, `12K`. */
export const showAxis = (value: number): string =>
  value >= 1_000
    ? showShort(value)
    : once('axis', (to) => new Intl.NumberFormat(to, { maximumSignificantDigits: 6 })).format(value)

/** Formats a number with a fixed number of digits after the point: `2.10`. */
export const showNumber = (value: number, digits = 0): string =>
  once(`number ${digits}`, (to) => {
    return new Intl.NumberFormat(to, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  }).format(value)

/** Formats a duration: `0.4 s`, `12.3 s`, `2 min 05 s`, `1 h 05 min`. `digits`: those of seconds after the point, below 100 s. */
export function showSpan(seconds: number, digits = 1): string {
  const whole = Math.round(seconds)
  if (seconds < 100 - 0.5 / 10 ** digits && digits > 0) {
    return i18n.t('common:span.seconds', { seconds: showNumber(seconds, digits) })
  }
  if (whole < 60) return i18n.t('common:span.seconds', { seconds: showNumber(whole) })
  const [minutes, rest] = whole < 3_600 ? [whole / 60, whole % 60] : [whole / 3_600, (whole % 3_600) / 60]
  return i18n.t(whole < 3_600 ? 'common:span.minutes' : 'common:span.hours', {
    whole: showNumber(Math.floor(minutes)),
    part: twoDigits(Math.floor(rest)),
  })
}

/** Formats a duration in ms: `0.2 ms`, `41 ms`, `2.41 s`, `12.4 s`, `2 min 05 s`. */
export function showMs(ms: number): string {
  if (ms < 0.05) return i18n.t('common:span.under', { ms: showNumber(0.1, 1) })
  if (ms < 999.5) return i18n.t('common:span.milliseconds', { ms: showNumber(ms, ms < 1 ? 1 : 0) })
  return showSpan(ms / 1_000, ms < 9_995 ? 2 : 1)
}

/** A number below 100 with two digits, as in a clock: `05`. */
const twoDigits = (value: number): string =>
  once('two digits', (to) => new Intl.NumberFormat(to, { minimumIntegerDigits: 2 })).format(value)

/** Formats an instant as local time with seconds: `14:06:31`. On another day than `now` (Unix ms), as `showInstant`. */
export const showTime = (instant: string, now: number): string =>
  shown(instant, (at) =>
    at.toDateString() === new Date(now).toDateString()
      ? once('seconds', (to) => new Intl.DateTimeFormat(to, { ...clock, second: '2-digit' })).format(at)
      : showInstant(instant),
  )

/** Formats an instant as local time: `14:02`. This and the following functions return an invalid instant unchanged. */
export const showClock = (instant: string): string =>
  shown(instant, (at) => once('time', (to) => new Intl.DateTimeFormat(to, clock)).format(at))

/** Formats an instant as local day and time: `21 Nov, 14:02`. */
export const showInstant = (instant: string): string =>
  shown(instant, (at) => once('instant', (to) => new Intl.DateTimeFormat(to, { ...dayOfYear, ...clock })).format(at))

/** Formats an instant with the year, for a fact or a title: `21 Nov 2026, 14:02`. */
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

/** Formats the age of an instant: `5 min ago`, `yesterday`. Below a minute, and for an instant after `now` (Unix ms), `just now`. */
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

/** Formats a calendar day without converting it between time zones. */
function showCalendar(day: string, name: string, how: Intl.DateTimeFormatOptions): string {
  const at = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(at.getTime())) return day
  return once(`calendar ${name}`, (to) => new Intl.DateTimeFormat(to, { ...how, timeZone: 'UTC' })).format(at)
}
/** Formats a calendar day: `20 Nov`. */
export const showCalendarDay = (day: string): string => showCalendar(day, 'day', dayOfYear)
/** Formats a calendar day: `20 Nov 2026`. */
export const showCalendarDate = (day: string): string => showCalendar(day, 'date', { ...dayOfYear, year: 'numeric' })
/** Formats a calendar day: `Fri, 20 Nov 2026`. */
export const showCalendarLong = (day: string): string =>
  showCalendar(day, 'long', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
/** Formats the month of a calendar day: `Nov 2026`. */
export const showCalendarMonth = (day: string): string =>
  showCalendar(day, 'month', { month: 'short', year: 'numeric' })

/** Formats a share (1 is 100%): `62%`. Below 1%, with one decimal, and `<0.1%` for less than that. */
export function showShare(share: number): string {
  const digits = share !== 0 && Math.abs(share) < 0.01 ? 1 : 0
  const isTiny = share > 0 && share < 0.0005
  const words = once(
    `share ${digits}`,
    (to) => new Intl.NumberFormat(to, { style: 'percent', maximumFractionDigits: digits }),
  ).format(isTiny ? 0.001 : share)
  if (!isTiny) return words
  // From right to left the sign would point to the other side.
  return directionOf(i18n.language ?? 'en') === 'rtl' ? `\u2066<${words}\u2069` : `<${words}`
}

function shown(instant: string, show: (at: Date) => string): string {
  const at = new Date(instant)
  return Number.isNaN(at.getTime()) ? instant : show(at)
}

/** Formats an instant as briefly as possible: `14:02` today, `3 Nov` this year, otherwise `3 Nov 2025`. */
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
const steps = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Joins items: `one, two, and three`. */
export const showList = (words: readonly string[]): string => new Intl.ListFormat(locale()).format(words)

/** Joins names without “and”: `one, two, three`. */
export const showNames = (words: readonly string[]): string =>
  new Intl.ListFormat(locale(), { style: 'narrow' }).format(words)

/** What `&&` and `??` leave of an absent part. */
type Part = string | false | null | undefined

const present = (parts: readonly Part[]): string[] =>
  parts.filter((part) => typeof part === 'string' && part !== '') as string[]

/** Right to left, each text keeps its own direction, so that numbers and names do not swap and a full stop stays at its end. */
const isolated = (texts: readonly string[]): string[] =>
  directionOf(i18n.language ?? 'en') === 'rtl' ? texts.map((text) => `\u2068${text}\u2069`) : [...texts]

/** Joins facts of one line: `12 kB · 3 pages`. */
export const joinFacts = (parts: readonly Part[]): string => isolated(present(parts)).join(' · ')

/** Joins whole sentences. Japanese and Chinese have no space between them. */
export const joinSentences = (parts: readonly Part[]): string =>
  isolated(present(parts)).join(/^(ja|zh)\b/.test(i18n.language ?? 'en') ? '' : ' ')

/** A note, or a text as it is. In English until the texts are loaded. */
export function showNote(one: Sentence): string {
  if (typeof one === 'string') return one
  const texts = (namespace: string): AreaTexts | undefined => i18n.getResourceBundle(i18n.language, namespace)
  return noteText(one, { texts, locale: locale(), prepare: (value) => isolated([value])[0] ?? value })
}

/** A value after its name: `Failed: no connection`. */
export const showNamed = (name: string, value: string): string => i18n.t('common:named', { name, value })

/** Adds a full stop to a text without end punctuation, so that another sentence can follow. */
export function asSentence(words: string): string {
  const text = words.trim()
  if (/[.!?…。！？؟]$/u.test(text)) return text
  return `${text}${/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(text) ? '。' : '.'}`
}

/** Formats a number of bytes in steps of 1,000: `512 bytes`, `4.2 MB`, `124 MB`. */
export function showSize(bytes: number): string {
  let value = bytes
  let step = 0
  // Rounded, 999.6 kB would be 1,000 kB.
  while (value >= 999.5 && step < steps.length - 1) {
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
