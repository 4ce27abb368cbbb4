import { StudioError } from '../errors.ts'

/** A day of the calendar, counted since 1970. It has no time zone. */
export type DayNumber = number

/** A day of 24 hours, ms. */
export const dayMs = 86_400_000

/** `2026-11-21`, followed by anything but another digit. */
const dated = /^\s*(\d{4})-(\d{2})-(\d{2})(?!\d)/

/** The day that a date or date-time names as written; null when it names none. */
export function dayOfDate(given: string | null | undefined): DayNumber | null {
  const parts = dated.exec(given ?? '')
  if (!parts) return null
  const [year, month, date] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const ms = Date.UTC(year, month - 1, date)
  const read = new Date(ms)
  // Date.UTC would turn `2026-02-30` into a day of March, and a year below 100 into one of the 20th century.
  const same = read.getUTCFullYear() === year && read.getUTCMonth() === month - 1 && read.getUTCDate() === date
  return same ? ms / dayMs : null
}

/** Parses a day such as `2026-11-21`. @throws StudioError `bad_input` */
export function dayOfInput(text: string): DayNumber {
  const day = dayOfDate(text)
  if (day === null) throw new StudioError('bad_input', `${text} is not a day of the calendar.`)
  return day
}

/** A cache, because a view of ten years writes each of its days twice, and so does the next view. */
const texts = new Map<DayNumber, string>()
const mostTexts = 40_000

/** `2026-11-21` */
export function dayText(day: DayNumber): string {
  const known = texts.get(day)
  if (known !== undefined) return known
  if (texts.size >= mostTexts) texts.clear()
  const text = new Date(day * dayMs).toISOString().slice(0, 10)
  texts.set(day, text)
  return text
}

/** The day (UTC) that contains an instant, ms since 1970. */
export const dayOfMs = (ms: number): DayNumber => Math.floor(ms / dayMs)

/** The first instant after a day (UTC), ms since 1970. */
export const endOfDay = (day: DayNumber): number => (day + 1) * dayMs

export interface DayBucket {
  from: DayNumber
  to: DayNumber
}

/** Whole days, weeks (from Monday) or months between two days. The first and the last bucket are cut to the range. */
export function bucketsOf(from: DayNumber, to: DayNumber, grain: 'day' | 'week' | 'month'): DayBucket[] {
  const buckets: DayBucket[] = []
  for (let start = from; start <= to; ) {
    const end = Math.min(to, lastOf(start, grain))
    buckets.push({ from: start, to: end })
    start = end + 1
  }
  return buckets
}

function lastOf(day: DayNumber, grain: 'day' | 'week' | 'month'): DayNumber {
  if (grain === 'day') return day
  // 1970-01-01 was a Thursday: three days after its Monday.
  if (grain === 'week') return day + 6 - ((((day + 3) % 7) + 7) % 7)
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0) / dayMs
}
