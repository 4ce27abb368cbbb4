// Amounts stay decimal strings: nothing is added or rounded in floating point.

const scale = 18

/** A decimal string as whole units of 10^-18, for exact comparison and subtraction. Invalid text counts as zero. */
export function exact(amount: string): bigint {
  const parts = /^(\d{1,15})(?:\.(\d{1,18}))?$/.exec(amount)
  return parts ? BigInt((parts[1] ?? '0') + (parts[2] ?? '').padEnd(scale, '0')) : 0n
}

function rounded(amount: string, digits: number): string {
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

/**
 * Formats an amount beside its limit. Adds digits until the rounded amount is below the limit exactly when the exact amount is.
 */
export function showSpent(amount: string, limit: string): string {
  const isBelow = exact(amount) < exact(limit)
  const looksBelow = (text: string): boolean => exact(text.replaceAll(',', '')) < exact(limit)
  const plain = showSc(amount)
  if (looksBelow(plain) === isBelow) return plain
  for (let digits = 3; digits < scale; digits += 1) {
    const text = rounded(amount, digits)
    if (looksBelow(text) === isBelow) return grouped(text)
  }
  return grouped(rounded(amount, scale))
}

function grouped(text: string): string {
  const [whole = '0', fraction] = text.split('.')
  return fraction === undefined ? group(whole) : `${group(whole)}.${fraction}`
}

/** Units of 10^-18 as a decimal string. */
function textOf(parts: bigint): string {
  if (parts < 0n) return `-${textOf(-parts)}`
  const digits = parts.toString().padStart(scale + 1, '0')
  const fraction = digits.slice(-scale).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -scale) : `${digits.slice(0, -scale)}.${fraction}`
}

/** The exact sum of decimal strings, as a decimal string. */
export const sumSc = (amounts: readonly string[]): string =>
  textOf(amounts.reduce((before, amount) => before + exact(amount), 0n))

/** The cost of tokens at a price per million tokens, both as decimal strings. */
export const costOfTokens = (perMillion: string, tokens: number): string =>
  textOf((exact(perMillion) * BigInt(tokens)) / 1_000_000n)

/** A decimal string that may be negative, as whole units of 10^-18. */
export const signed = (amount: string): bigint => (amount.startsWith('-') ? -exact(amount.slice(1)) : exact(amount))

/** An amount that may be negative: `−1.25`, with a real minus sign. */
export const showSigned = (amount: string): string =>
  signed(amount) < 0n ? `\u2212${showSc(amount.slice(1))}` : showSc(amount.replace('-', ''))

/** The sum of amounts that may be negative. */
export const sumSigned = (amounts: readonly string[]): string =>
  textOf(amounts.reduce((before, amount) => before + signed(amount), 0n))

/** The exact difference `amount - other`, as a decimal string. */
export const lessSc = (amount: string, other: string): string => textOf(signed(amount) - signed(other))

/** A share from 0 to 1, computed exactly, then rounded down to a millionth. Null when the whole is zero. */
export function shareOf(part: string, whole: string): number | null {
  const all = signed(whole)
  return all === 0n ? null : Number((signed(part) * 1_000_000n) / all) / 1_000_000
}
