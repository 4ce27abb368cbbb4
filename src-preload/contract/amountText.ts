// Amounts of SC as text, for the window and the tray menu. Amounts stay decimal strings: nothing is added or rounded in floating point.

/** Digits after the decimal point of an exact amount. */
export const scale = 18

/** A decimal string as whole units of 10^-18, for exact comparison and subtraction. Invalid text counts as zero. */
export function exact(amount: string): bigint {
  const parts = /^(\d{1,15})(?:\.(\d{1,18}))?$/.exec(amount)
  return parts ? BigInt((parts[1] ?? '0') + (parts[2] ?? '').padEnd(scale, '0')) : 0n
}

/** Rounded half up to a number of digits after the point. */
export function rounded(amount: string, digits: number): string {
  const unit = 10n ** BigInt(scale - digits)
  const whole = ((exact(amount) + unit / 2n) / unit).toString().padStart(digits + 1, '0')
  return digits === 0 ? whole : `${whole.slice(0, -digits)}.${whole.slice(-digits)}`
}

/** Adds thousands separators. */
export const group = (whole: string): string => whole.replace(/\B(?=(\d{3})+$)/g, ',')

/** An amount with its significant digits: two decimals, below 0.01 two significant digits, `0` for zero. */
export function showSc(amount: string): string {
  const parts = exact(amount)
  if (parts === 0n) return '0'
  const small = /^0*\.(0*)/.exec(amount)
  const zeros = small ? (small[1] ?? '').length : 0
  const digits = parts < 10n ** BigInt(scale - 2) ? Math.min(zeros + 2, 9) : 2
  const text = rounded(amount, digits)
  if (exact(text) === 0n) return `< 0.${'0'.repeat(digits - 1)}1`
  return grouped(text)
}

/** With thousands separators before the point. */
export function grouped(text: string): string {
  const [whole = '0', fraction] = text.split('.')
  return fraction === undefined ? group(whole) : `${group(whole)}.${fraction}`
}
