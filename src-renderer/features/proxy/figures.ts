import { group } from '../../../src-preload/contract/amountText.ts'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { showMonth } from '../../i18n/format.ts'

export { exact, showSc } from '../../../src-preload/contract/amountText.ts'
export { showCount as count, showShort as compact } from '../../i18n/format.ts'
export { showMs } from '../../shared/duration.ts'
export { showSpent } from '../../shared/money/sc.ts'

// Formats amounts, times and counts for the page. Amounts stay decimal strings: nothing is added in floating point.

/** A limit without trailing zeros. */
export function showLimit(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const rest = fraction.replace(/0+$/, '')
  return group(BigInt(whole).toString()) + (rest === '' ? '' : `.${rest}`)
}

const two = (value: number): string => (value < 10 ? `0${value}` : String(value))

/** Formats an instant in local time: `14:06:31`, or `20 Nov 14:06` on another day. Fast, because each row of the log calls it. */
export function showTime(instant: string, now: number): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return instant
  const today = new Date(now)
  const same =
    at.getDate() === today.getDate() && at.getMonth() === today.getMonth() && at.getFullYear() === today.getFullYear()
  const minute = `${two(at.getHours())}:${two(at.getMinutes())}`
  return same ? `${minute}:${two(at.getSeconds())}` : `${at.getDate()} ${showMonth(at.getMonth())} ${minute}`
}

/** The same instant in UTC, for a title. */
export const utc = (instant: string): string => `${instant.replace('T', ' ').replace('Z', '')} UTC`

/** The model that an app asked for and, where its model map replaced it, the one that was sent. Null when no model was asked for. */
export function requestedModel({ model, askedModel }: Pick<RequestRow, 'model' | 'askedModel'>): string | null {
  return askedModel === null ? model : `${askedModel} → ${model ?? '—'}`
}
