import { StudioError } from './errors.ts'

/** An amount of SC in whole billionths: exact, and cheap to add. */
export type Nano = bigint

const digits = 9

/**
 * Decimal text as billionths of an SC. @throws StudioError `bad_input` for anything but digits with at most nine behind the point
 */
export function toNano(text: string): Nano {
  const parts = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text.trim())
  if (!parts)
    throw new StudioError('bad_input', 'An amount of SC is a number with at most nine digits behind the point.')
  const [, sign, whole = '0', fraction = ''] = parts
  const amount = BigInt(whole + fraction.padEnd(digits, '0'))
  return sign === '-' ? -amount : amount
}

/** Billionths as decimal text without needless zeros: `1500000000n` is `1.5`. */
export function fromNano(amount: Nano): string {
  const sign = amount < 0n ? '-' : ''
  const text = (amount < 0n ? -amount : amount).toString().padStart(digits + 1, '0')
  const fraction = text.slice(-digits).replace(/0+$/, '')
  return sign + text.slice(0, -digits) + (fraction === '' ? '' : `.${fraction}`)
}
