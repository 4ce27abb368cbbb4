import { Decimal } from 'decimal.js'
import { StudioError } from '../errors.ts'

/** An amount of SC in billionths: exact, and cheap to add. */
export type Nano = bigint

const digits = 9

/**
 * Converts decimal text to billionths of an SC.
 * @throws StudioError `bad_input` for anything but digits with at most nine after the point
 */
export function toNano(text: string): Nano {
  const parts = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text.trim())
  if (!parts)
    throw new StudioError('bad_input', 'An amount of SC is a number with at most nine digits behind the point.')
  const [, sign, whole = '0', fraction = ''] = parts
  const amount = BigInt(whole + fraction.padEnd(digits, '0'))
  return sign === '-' ? -amount : amount
}

/** Billionths as decimal text without trailing zeros: `1500000000n` is `1.5`. */
export function fromNano(amount: Nano): string {
  const sign = amount < 0n ? '-' : ''
  const text = (amount < 0n ? -amount : amount).toString().padStart(digits + 1, '0')
  const fraction = text.slice(-digits).replace(/0+$/, '')
  return sign + text.slice(0, -digits) + (fraction === '' ? '' : `.${fraction}`)
}

/** An amount of SC in units of 1e-18: every digit that the contract carries. */
export type Atto = bigint

const fineDigits = 18
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
/** The contract allows 15 digits before the point. */
const mostAtto: Atto = 10n ** 33n - 1n

/**
 * Converts decimal text of the service, in any notation, to units of 1e-18 SC. Finer digits are rounded half to even. Null when the text is
 * not a number, or its absolute value is 1e15 or more.
 */
export function toAtto(given: string | null | undefined): Atto | null {
  // Longer text is no amount and would be slow to parse. The library would also accept hexadecimal and other notations.
  if (given === null || given === undefined || given.length > 60 || !decimal.test(given)) return null
  try {
    const amount = new Decimal(given)
    if (!amount.isFinite() || amount.abs().gte(1e15)) return null
    return BigInt(amount.toFixed(fineDigits, Decimal.ROUND_HALF_EVEN).replace('.', ''))
  } catch {
    // The text is not a number.
    return null
  }
}

/** Units of 1e-18 SC as decimal text without trailing zeros. Amounts beyond the contract's range are written as its largest amount. */
export function fromAtto(amount: Atto): string {
  if (amount === 0n) return '0'
  const sign = amount < 0n ? '-' : ''
  const size = amount < 0n ? -amount : amount
  const text = (size > mostAtto ? mostAtto : size).toString().padStart(fineDigits + 1, '0')
  const fraction = text.slice(-fineDigits).replace(/0+$/, '')
  return sign + text.slice(0, -fineDigits) + (fraction === '' ? '' : `.${fraction}`)
}

export const nanoToAtto = (amount: Nano): Atto => amount * 1_000_000_000n
