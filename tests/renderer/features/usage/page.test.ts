// @long Every state of a page in a real browser, over the harness's core. tests/e2e shows the same pages over the real core.
// @module-tag chromium

import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { wholePage } from '../../../helpers/effort.ts'
import { windowText } from '../../../helpers/windowText.ts'
import { type Look, openWindow, type WindowHarness } from '../../harness/page.ts'

// A browser on two shared cores: generous, never used for timing.
vi.setConfig({ testTimeout: wholePage })
let harness: WindowHarness
beforeAll(async () => {
  harness = await openWindow()
})
afterAll(() => harness.close())

const drawn = (page: Page) => page.locator('.chart[data-state=drawn]').waitFor()
const says = (text: string) => (page: Page) => page.getByText(text).first().waitFor()

/** Every state of the pages: the core's data, the address, and when the page is ready. */
const states: [name: string, query: string, hash: string, ready: (page: Page) => Promise<unknown>][] = [
  ['figures of a month', 'usage=some', '#/usage', drawn],
  ['days never fetched', 'usage=gaps', '#/usage', drawn],
  ['nothing used yet', 'usage=empty', '#/usage', says('Start a chat')],
  ['no account', 'usage=none', '#/usage', says('to see its usage')],
  ['a service without read-outs', 'usage=plain', '#/usage', says('This service does not report usage')],
  ['two accounts', 'usage=two', '#/usage', drawn],
  ['this computer and account', 'usage=some', '#/usage/elsewhere', says('other computers or apps used this account')],
  ['corrections', 'usage=gaps', '#/usage/corrections', says('reasoner')],
  ['limits', 'usage=some', '#/usage/limits', says('Free models: tokens today')],
  [
    'limits that the service is being asked for',
    'usage=asking',
    '#/usage/limits',
    (page) => page.locator('.usage-buckets .animate-breathe').first().waitFor(),
  ],
  ['a ban', 'usage=banned', '#/usage/limits', says('The service blocks requests')],
  ['limits that are not reported', 'usage=plain', '#/usage/limits', says('does not report its limits')],
  ['a revoked key', 'usage=gaps', '#/keys/5f0c1a2e-0000-4000-8000-000000000004', drawn],
  ['keys that are not listed', 'usage=plain', '#/keys', says('does not list its keys')],
]

async function shown(query: string, hash: string, look: Look = {}) {
  return harness.open({ ...look, query, hash })
}

describe('the Usage pages', () => {
  for (const [name, query, hash, ready] of states) {
    it(`${name}: no axe violations and no errors, in light and dark, wide and narrow`, async () => {
      for (const look of [
        { theme: 'light', width: 1200 },
        { theme: 'dark', width: 700 },
      ] as const) {
        const { page, context, faults } = await shown(query, hash, look)
        await ready(page)
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
        expect(faults).toEqual([])
        await context.close()
      }
    })
  }

  it('show without a connection since when, with the same figures [USE-01]', async () => {
    const [online, offline] = await Promise.all(
      ['usage=gaps', 'state=refused&usage=gaps'].map((query) => shown(query, '#/usage')),
    )
    if (!online || !offline) throw new Error('Two windows.')
    await Promise.all([drawn(online.page), drawn(offline.page)])
    await offline.page.getByText(windowText('usage:offline.title'), { exact: true }).waitFor()
    expect(await online.page.getByText(windowText('usage:offline.title'), { exact: true }).count()).toBe(0)
    const cards = (page: Page) => page.getByRole('region', { name: windowText('usage:cards.label') }).innerText()
    expect(await cards(offline.page)).toBe(await cards(online.page))
    await Promise.all([online.context.close(), offline.context.close()])
  })

  it('say which balance the service reported and which is an estimate, and why', async () => {
    const { page, context } = await shown('usage=gaps', '#/usage')
    await drawn(page)
    const card = page.getByRole('region', { name: windowText('usage:cards.label') })
    expect(await card.innerText()).toMatch(/88\.07\sSC\nReported .*\n88\.02 SC est\. after newer requests/)
    // The status bar says the same on hover.
    const left = await page
      .getByRole('contentinfo')
      .getByTitle(/88\.02 SC left/)
      .getAttribute('title')
    expect(left).toMatch(/88\.02 SC left.*est\./)
    expect(left).toMatch(/requests of this computer/)
    expect(left).toContain(windowText('common:sc'))
    await context.close()
    const { page: same, context: other } = await shown('usage=some', '#/usage')
    await drawn(same)
    expect(await same.getByText('after newer requests').count()).toBe(0)
    await other.close()
  })

  it('print without the frame, with account, days and date, also from the dark theme', async () => {
    const { page, context } = await shown('usage=gaps', '#/usage', { theme: 'dark' })
    await drawn(page)
    const inks = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    await page.emulateMedia({ media: 'print' })
    const head = page.locator('.usage-print-head')
    expect(await head.innerText()).toMatch(
      /^Usage\n+main account · https:\/\/.*\n+.* to .* · reported by the service · Updated /,
    )
    expect(await inks()).toBe('light')
    expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0)
    expect(await page.getByRole('button', { name: windowText('usage:save'), exact: true }).isVisible()).toBe(false)
    expect(await page.locator('.chart-canvas').isVisible()).toBe(true)
    // A page that scrolls would be cut after its first sheet when printed.
    expect(await page.locator('.usage-scroll').evaluate((box) => box.scrollHeight <= box.clientHeight)).toBe(true)
    await page.emulateMedia({ media: 'screen' })
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    expect(await head.isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: windowText('usage:save'), exact: true }).isVisible()).toBe(true)
    await context.close()
  })

  it('show the days as the service wrote them in every time zone, also across a daylight-saving change', async () => {
    const own = { range: 'own', from: '2026-10-24', to: '2026-11-04', grain: 'day', by: 'model', source: 'service' }
    const choice = JSON.stringify({ ...own, measure: 'spend', before: false, table: true })
    const days = async (timezoneId: string): Promise<string[]> => {
      const { page, context } = await harness.open({ query: 'usage=gaps', hash: '#/chat', timezoneId })
      await page.evaluate((kept) => {
        localStorage.setItem('usage.choice', kept)
        location.hash = '#/usage'
      }, choice)
      await page.getByRole('table').first().waitFor()
      const rows = await page.getByRole('table').first().getByRole('rowheader').allInnerTexts()
      await context.close()
      return rows
    }
    const utc = await days('UTC')
    expect(utc).toHaveLength(12)
    expect([utc[0], utc.at(-1)]).toEqual([expect.stringContaining('Nov 4'), expect.stringContaining('Oct 24')])
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Niue', 'America/New_York']) expect(await days(zone)).toEqual(utc)
  })

  it('read out each bar by keyboard, and lead from a bar to its requests', async () => {
    const { page, context } = await shown('usage=gaps', '#/usage')
    await drawn(page)
    const chart = page.getByRole('slider', { name: /^Spend by day/ })
    await chart.focus()
    await page.keyboard.press('End')
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/SC.*still in progress/)
    for (let step = 0; step < 9; step++) await page.keyboard.press('ArrowLeft')
    expect(await chart.getAttribute('aria-valuetext')).toContain('no data: never updated')
    expect(await page.locator('.chart-readout').innerText()).toContain('no data')
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowUp')
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/: writer-large [\d.]+ SC\. still in progress\.$/)
    await page.keyboard.press('Enter')
    await page
      .getByRole('grid', { name: windowText('usage:table.requests') })
      .or(page.getByText(windowText('proxy:log.noMatchTitle')))
      .first()
      .waitFor()
    expect(await page.getByRole('combobox', { name: windowText('usage:limits.model') }).inputValue()).toBe(
      'writer-large',
    )
    expect(await page.getByRole('combobox', { name: windowText('usage:limits.when') }).inputValue()).toBe('between')
    await context.close()
  })

  it('draw a chart once per change, and lead from a segment to its requests by mouse', async () => {
    const { page, context } = await shown('usage=some', '#/usage')
    await drawn(page)
    // All bars are one drawing.
    await page.evaluate(() => {
      const { drawImage } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.drawImage = function (...given: unknown[]) {
        document.body.dataset.drawn = String(Number(document.body.dataset.drawn ?? 0) + 1)
        Reflect.apply(drawImage, this, given)
      }
    })
    const drawings = () =>
      page.evaluate(async () => {
        for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame)
        return Number(document.body.dataset.drawn ?? 0)
      })
    await page.evaluate(() => {
      location.hash = '#/usage/limits'
    })
    await page.locator('.chart').waitFor({ state: 'detached' })
    await page.evaluate(() => {
      location.hash = '#/usage'
    })
    await drawn(page)
    expect(await drawings()).toBe(1)
    await page.getByRole('combobox', { name: windowText('usage:controls.measure') }).selectOption('Requests')
    await page.getByRole('slider', { name: /^Requests/ }).waitFor()
    expect(await drawings()).toBe(2)
    const box = await page.locator('.chart').boundingBox()
    if (!box) throw new Error('It is drawn.')
    // The most expensive model is at the bottom of the bars.
    await page.mouse.click(box.x + box.width * 0.3, box.y + box.height - 34)
    await page.getByRole('combobox', { name: windowText('usage:limits.when') }).waitFor()
    expect(await page.getByRole('combobox', { name: windowText('usage:limits.model') }).inputValue()).toBe(
      'writer-large',
    )
    await context.close()
  })

  it('restore the choice after a reload', async () => {
    const { page, context } = await shown('usage=some', '#/usage')
    await drawn(page)
    await page.getByRole('radio', { name: windowText('usage:limits.who') }).click()
    await page.getByRole('combobox', { name: windowText('usage:controls.measure') }).selectOption('Requests')
    await page.getByText(windowText('usage:chart.title.requests.day')).waitFor()
    await page.reload()
    await page.getByRole('slider', { name: /^Requests by day/ }).waitFor()
    expect(await page.getByRole('radio', { name: windowText('usage:limits.who') }).getAttribute('data-state')).toBe(
      'checked',
    )
    await context.close()
  })
})
