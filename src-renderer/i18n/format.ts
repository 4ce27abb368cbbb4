import { i18n } from './index.ts'

/** For `Intl`: the window's language. The made-up ones are English with other letters. */
export function locale(): string {
  const { language } = i18n
  return language === 'en-XA' || language === 'ar-XB' ? 'en' : language || 'en'
}

const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>()

/** Making a formatter costs some 50 µs, using one less than 1: each is made once a language. */
function once<T extends Intl.DateTimeFormat | Intl.NumberFormat>(name: string, make: (language: string) => T): T {
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

/** A day as short as it is still clear: `14:02` today, `3 Nov` this year, `3 Nov 2025` else. */
export function showDay(instant: string, now = new Date()): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return instant
  if (at.toDateString() === now.toDateString()) {
    return once('time', (to) => new Intl.DateTimeFormat(to, clock)).format(at)
  }
  if (at.getFullYear() === now.getFullYear()) {
    return once('day', (to) => new Intl.DateTimeFormat(to, { day: 'numeric', month: 'short' })).format(at)
  }
  const parts = { day: 'numeric', month: 'short', year: 'numeric' } as const
  return once('date', (to) => new Intl.DateTimeFormat(to, parts)).format(at)
}

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const steps = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

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
