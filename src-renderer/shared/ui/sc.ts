// Amounts stay decimal text: nothing is added or rounded in floating point.

const scale = 18

/** Decimal text as whole 10^-18 parts, to compare and subtract exactly. Text that is no amount counts as nothing. */
export function exact(amount: string): bigint {
  const parts = /^(\d{1,15})(?:\.(\d{1,18}))?$/.exec(amount)
  return parts ? BigInt((parts[1] ?? '0') + (parts[2] ?? '').padEnd(scale, '0')) : 0n
}

function rounded(amount: string, digits: number): string {
  const unit = 10n ** BigInt(scale - digits)
  const whole = ((exact(amount) + unit / 2n) / unit).toString().padStart(digits + 1, '0')
  return digits === 0 ? whole : `${whole.slice(0, -digits)}.${whole.slice(-digits)}`
}

/** Thousands set apart. */
export const group = (whole: string): string => whole.replace(/\B(?=(\d{3})+$)/g, ',')

/** An amount with as many digits as matter: two behind the point, below 0.01 two that count; `0` for nothing. */
export function showSc(amount: string): string {
  const parts = exact(amount)
  if (parts === 0n) return '0'
  const small = /^0*\.(0*)/.exec(amount)
  const zeros = small ? (small[1] ?? '').length : 0
  const digits = parts < 10n ** BigInt(scale - 2) ? Math.min(zeros + 2, 9) : 2
  const text = rounded(amount, digits)
  if (exact(text) === 0n) return `< 0.${'0'.repeat(digits - 1)}1`
  const [whole = '0', fraction] = text.split('.')
  return fraction === undefined ? group(whole) : `${group(whole)}.${fraction}`
}

/** Whole 10^-18 parts as decimal text. */
function textOf(parts: bigint): string {
  if (parts < 0n) return `-${textOf(-parts)}`
  const digits = parts.toString().padStart(scale + 1, '0')
  const fraction = digits.slice(-scale).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -scale) : `${digits.slice(0, -scale)}.${fraction}`
}

/** The sum of decimal texts, exactly, as decimal text. */
export const sumSc = (amounts: readonly string[]): string =>
  textOf(amounts.reduce((before, amount) => before + exact(amount), 0n))

/** Decimal text that may be below nothing, as whole 10^-18 parts. */
export const signed = (amount: string): bigint => (amount.startsWith('-') ? -exact(amount.slice(1)) : exact(amount))

/** An amount that may be below nothing: `−1.25`, with a true minus. */
export const showSigned = (amount: string): string =>
  signed(amount) < 0n ? `\u2212${showSc(amount.slice(1))}` : showSc(amount.replace('-', ''))

/** The sum of amounts that may be below nothing. */
export const sumSigned = (amounts: readonly string[]): string =>
  textOf(amounts.reduce((before, amount) => before + signed(amount), 0n))

/** One less the other, exactly. */
export const lessSc = (amount: string, other: string): string => textOf(signed(amount) - signed(other))

/** A part of a whole from 0 to 1, worked out exactly and then rounded to a thousandth; null of nothing. */
export function shareOf(part: string, whole: string): number | null {
  const all = signed(whole)
  return all === 0n ? null : Number((signed(part) * 1_000n) / all) / 1_000
}
