// Amounts stay decimal strings: nothing is added or rounded in floating point.

import { exact, grouped, showSc as plainSc, rounded, scale } from '../../../src-preload/contract/amountText.ts'
import { locale, showSc } from '../../i18n/format.ts'

/**
 * Formats an amount beside its limit. Adds digits until the rounded amount is below the limit exactly when the exact amount is.
 */
export function showSpent(amount: string, limit: string): string {
  const isBelow = exact(amount) < exact(limit)
  const looksBelow = (text: string): boolean => exact(text.replaceAll(',', '')) < exact(limit)
  if (looksBelow(plainSc(amount)) === isBelow) return showSc(amount)
  for (let digits = 3; digits < scale; digits += 1) {
    const text = rounded(amount, digits)
    if (looksBelow(text) === isBelow) return grouped(text, locale())
  }
  return grouped(rounded(amount, scale), locale())
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

/** The exact difference `amount - other`, as a decimal string. */
export const lessSc = (amount: string, other: string): string => textOf(exact(amount) - exact(other))

/** A share from 0 to 1, computed exactly, then rounded down to a millionth. Null when the whole is zero. */
export function shareOf(part: string, whole: string): number | null {
  const all = exact(whole)
  return all === 0n ? null : Number((exact(part) * 1_000_000n) / all) / 1_000_000
}
