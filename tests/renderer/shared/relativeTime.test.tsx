import { renderToStaticMarkup } from 'react-dom/server'
import { I18nextProvider } from 'react-i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import { en } from '../../../src-renderer/i18n/en.ts'
import { showAgo, showFull } from '../../../src-renderer/i18n/format.ts'
import { i18n } from '../../../src-renderer/i18n/index.ts'
import { RelativeTime } from '../../../src-renderer/shared/ui/RelativeTime.tsx'
import { TooltipProvider } from '../../../src-renderer/shared/ui/Tooltip.tsx'

beforeAll(() => i18n.init({ lng: 'en', resources: { en }, initAsync: false }))

const now = Date.parse('2026-11-23T08:00:00Z')
const back = (minutes: number): string => new Date(now - minutes * 60_000).toISOString()

describe('a relative time', () => {
  it.each([
    [0, 'just now'],
    [0.99, 'just now'],
    // The clock of the service is ahead.
    [-3, 'just now'],
    [1, '1 min ago'],
    [5.9, '5 min ago'],
    [59.9, '59 min ago'],
    [60, '1 hr ago'],
    [24 * 60 - 1, '23 hr ago'],
    [24 * 60, 'yesterday'],
    [3 * 24 * 60, '3 days ago'],
  ])('of %s minutes before reads %s', (minutes, words) => {
    expect(showAgo(back(minutes), now)).toBe(words)
  })

  it('follows the language of the window', async () => {
    await i18n.changeLanguage('de')
    expect(showAgo(back(5), now)).toBe('vor 5 Min.')
    await i18n.changeLanguage('en')
  })

  it('shows text of the service that is no time unchanged', () => {
    expect(showAgo('soon', now)).toBe('soon')
  })

  it('carries the instant for machines, takes the focus, and has the exact local time for screen readers', () => {
    const at = new Date(Date.now() - 300_000).toISOString()
    const markup = renderToStaticMarkup(
      <I18nextProvider i18n={i18n}>
        <TooltipProvider>
          <RelativeTime at={at} did="updated" />
        </TooltipProvider>
      </I18nextProvider>,
    )
    expect(markup).toContain(`dateTime="${at}"`)
    expect(markup).toContain('tabindex="0"')
    expect(markup.replace(/<[^>]*>/g, '')).toBe(`Updated 5 min ago (${showFull(at)})`)
  })
})
