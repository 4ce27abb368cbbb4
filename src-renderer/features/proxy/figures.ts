import { group } from '../../../src-preload/contract/amountText.ts'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { showMonth } from '../../i18n/format.ts'

export { exact, showSc } from '../../../src-preload/contract/amountText.ts'
export { showCount as count, showShort as compact } from '../../i18n/format.ts'
export { showSpent } from '../../shared/money/sc.ts'

// Formats amounts, times and counts for the page. Amounts stay decimal strings: nothing is added in floating point.

/** A limit without trailing zeros. */
export function showLimit(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const rest = fraction.replace(/0+$/, '')
  return group(BigInt(whole).toString()) + (rest === '' ? '' : `.${rest}`)
}

/** Formats a duration in ms: `0.2 ms`, `41 ms`, `2.41 s`, `12.4 s`, `2 min 05 s`. */
export function showMs(ms: number): string {
  if (ms < 0.05) return '< 0.1 ms'
  if (ms < 1) return `${ms.toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
  return `${Math.floor(whole / 3_600)} h ${String(Math.floor((whole % 3_600) / 60)).padStart(2, '0')} min`
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
