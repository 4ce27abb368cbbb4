import { grouped } from '../../../src-preload/contract/amountText.ts'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { locale } from '../../i18n/format.ts'

export { exact } from '../../../src-preload/contract/amountText.ts'
export { showCount as count, showMs, showSc, showShort as compact, showTime } from '../../i18n/format.ts'
export { showSpent } from '../../shared/money/sc.ts'

// Formats amounts, times and counts for the page. Amounts stay decimal strings: nothing is added in floating point.

/** A limit without trailing zeros. */
export function showLimit(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const rest = fraction.replace(/0+$/, '')
  return grouped(rest === '' ? whole : `${whole}.${rest}`, locale())
}

/** The same instant in UTC, for a title. */
export const utc = (instant: string): string => `${instant.replace('T', ' ').replace('Z', '')} UTC`

/** The model that an app asked for and, where its model map replaced it, the one that was sent. Null when no model was asked for. */
export function requestedModel({ model, askedModel }: Pick<RequestRow, 'model' | 'askedModel'>): string | null {
  return askedModel === null ? model : `${askedModel} → ${model ?? '—'}`
}
