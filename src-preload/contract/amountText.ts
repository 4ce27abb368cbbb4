// Amounts of SC and counts as text, for the window, the tray menu and the command line. Amounts stay decimal strings: nothing is added or
// rounded in floating point. A negative number has a real minus sign, because a hyphen looks like a missing value.

/** Digits after the decimal point of an exact amount. */
export const scale = 18

const minus = '\u2212'

/** Replaces a hyphen before a number by a minus sign. */
export const withMinus = (text: string): string => text.replace(/^(\p{Cf}?)-/u, `$1${minus}`)

const counters = new Map<string, Intl.NumberFormat>()
/** From here on, a count is shown with its power of ten: its digits are no information, and a page has no room for 300 of them. */
const scientificFrom = 1e15

/** A count as text: `10,000`, `−3`, and `1E300` from 1E15 on. */
export function countText(value: number, language = 'en'): string {
  const isHuge = Math.abs(value) >= scientificFrom
  const key = `${language} ${isHuge}`
  const how = isHuge ? ({ notation: 'scientific', maximumFractionDigits: 2 } as const) : {}
  const format = counters.get(key) ?? new Intl.NumberFormat(language, how)
  counters.set(key, format)
  return withMinus(format.format(value))
}

/** A decimal string as whole units of 10^-18, for exact comparison and subtraction. Invalid text counts as zero. */
export function exact(amount: string): bigint {
  const parts = /^(-?)(\d{1,15})(?:\.(\d{1,18}))?$/.exec(amount)
  const size = parts ? BigInt((parts[2] ?? '0') + (parts[3] ?? '').padEnd(scale, '0')) : 0n
  return parts?.[1] === '-' ? -size : size
}

/** Rounded half up to a number of digits after the point. For amounts from 0. */
export function rounded(amount: string, digits: number): string {
  const unit = 10n ** BigInt(scale - digits)
  const whole = ((exact(amount) + unit / 2n) / unit).toString().padStart(digits + 1, '0')
  return digits === 0 ? whole : `${whole.slice(0, -digits)}.${whole.slice(-digits)}`
}

/** An amount with its significant digits: two decimals, below 0.01 two significant digits, `0` for zero, `−1.25` when negative. */
export function showSc(amount: string, language = 'en'): string {
  const parts = exact(amount)
  if (parts === 0n) return '0'
  if (parts < 0n) {
    const positive = showSc(amount.slice(1), language)
    return positive.startsWith('<') ? `> ${minus}${positive.slice(2)}` : negative(positive, language)
  }
  const small = /^0*\.(0*)/.exec(amount)
  const zeros = small ? (small[1] ?? '').length : 0
  const digits = parts < 10n ** BigInt(scale - 2) ? Math.min(zeros + 2, 9) : 2
  const text = rounded(amount, digits)
  if (exact(text) === 0n) return `< ${grouped(`0.${'0'.repeat(digits - 1)}1`, language)}`
  return grouped(text, language)
}

/** Puts the sign of a language before a number: Arabic has a mark of the direction before it. */
const negative = (text: string, language: string): string => countText(-1, language).replace(/1$/, text)

const amounts = new Map<string, Intl.NumberFormat>()

/** A decimal string with all of its digits and the separators of a language: `1,204.50`. */
export function grouped(text: string, language = 'en'): string {
  const digits = text.split('.')[1]?.length ?? 0
  const key = `${language} ${digits}`
  const how = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const format = amounts.get(key) ?? new Intl.NumberFormat(language, how)
  amounts.set(key, format)
  // A string is formatted exactly (ECMA-402, since 2023).
  return format.format(text as Intl.StringNumericLiteral)
}
