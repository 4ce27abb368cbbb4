import { renderToStaticMarkup } from 'react-dom/server'
import { I18nextProvider, initReactI18next } from 'react-i18next'
import { expect, it } from 'vitest'
import type { RequestRow } from '../../../../src-preload/contract/requests.ts'
import { useRowTexts } from '../../../../src-renderer/features/proxy/rowMessages.ts'
import { en } from '../../../../src-renderer/i18n/en.ts'
import { i18n } from '../../../../src-renderer/i18n/index.ts'
import { row } from './rows.ts'

await i18n.use(initReactI18next).init({ lng: 'en', resources: { en }, interpolation: { escapeValue: false } })

/** Text of the Result column: the pill, then the reason for the result. */
function resultOf(change: Partial<RequestRow>): string {
  function Result() {
    const { status, reason } = useRowTexts()
    const shown = row(1, change)
    return [status(shown).words, reason(shown) ?? ''].join(' | ')
  }
  return renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <Result />
    </I18nextProvider>,
  )
}

it.each([
  [{ status: 200 }, '200 | '],
  [{ status: 400 }, '400 | The service rejected this request'],
  [{ status: 404 }, '404 | Model or address not found'],
  [{ status: 429, retriedAfter: [429, 429] }, '429 ×3 | Too many requests'],
  [{ status: 200, retriedAfter: [429, 429, 503] }, '429 ×2 → 503 → 200 | '],
  [{ status: 503 }, '503 | The service is unavailable'],
  [{ status: 418 }, '418 | The service refused this request'],
  [{ state: 'cut' as const, status: 200 }, 'interrupted | The service ended the reply before it was complete.'],
  [
    { state: 'refused' as const, status: 402, problem: { kind: 'budget_used_up', message: 'The budget is used up.' } },
    '402 refused | The budget is used up.',
  ],
])('the Result column of %j says %s', (change, shown) => {
  expect(resultOf(change)).toBe(shown)
})
