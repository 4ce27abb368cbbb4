import { readFileSync } from 'node:fs'
import { expect, type Locator, type Page, test } from '@playwright/test'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, expectAccessibleInDark } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox } from './hosts.ts'
import { goToPage, pickModel, quick, replies, send, settled } from './journey.ts'

let sandbox: Sandbox

test.beforeEach(async () => {
  sandbox = await openSandbox({ paces: quick })
})
test.afterEach(closeHosts)

const section = (page: Page, name: string) =>
  page
    .getByRole('navigation', { name: windowText('usage:sections.label') })
    .getByRole('link', { name })
    .click()
const chart = (page: Page): Locator => page.getByRole('slider', { name: /by day/ })
const drawn = (page: Page) => expect(chart(page)).toHaveAttribute('data-state', 'drawn')
const figure = (page: Page, card: string): Locator =>
  page
    .getByRole('region', { name: windowText('usage:cards.label') })
    .locator('div')
    .filter({ has: page.getByRole('heading', { name: card }) })
    .last()

test('cost by app, balance, limits and reset times, online and offline [USE-01] [KEY-01] [KEY-02] [KEY-03] [KEY-04] [LIM-01] [LIM-03] [LIM-06]', async ({
  page,
}) => {
  const faults: string[] = []
  page.on('console', (line) => line.type() === 'error' && faults.push(line.text()))
  const host = await openConnectedHost(sandbox)
  await page.goto(host.url)
  // The cost and the balance are the connection's hint, which says once that they are estimates.
  const status = page.getByRole('contentinfo')
  const hint = status.getByTitle(/SC today · .* SC left/)
  const estimated = ` · ${windowText('usage:status.estimated')}`
  await expect(hint).not.toHaveAttribute('title', /est\./)
  await send(page, 'What does this cost?')
  await settled(page, 'complete')
  // The hint follows the request, and says that the service has not reported its cost yet.
  await expect.poll(async () => (await hint.getAttribute('title'))?.split(estimated).length).toBe(2)
  await expect(status).not.toContainText(' SC')
  await pickModel(page, 'writer-free')
  await send(page, 'And this?')
  await expect(replies(page)).toHaveCount(2)
  await settled(page, 'complete')

  // The overview: figures of the account beside those of this computer.
  await goToPage(page, 'Usage')
  await drawn(page)
  await page.getByRole('button', { name: windowText('usage:refresh') }).click()
  await expect(page.getByText(windowText('usage:refreshed'), { exact: true })).toBeVisible()
  await expect(figure(page, 'Balance')).toContainText('SC')
  const balance = await figure(page, 'Balance').innerText()
  const spent = await figure(page, 'Spend, 30 days').innerText()
  // The exact figure and the rest are one focus away.
  const summary = page.getByRole('region', { name: windowText('usage:cards.label') })
  await expect(summary).not.toContainText('cached')
  await summary.locator('[tabindex]').nth(2).focus()
  await expect(page.getByRole('tooltip')).toContainText(/[\d,]+ in, [\d,]+ out.* cached.* requests/)
  await page.keyboard.press('Escape')
  await expectAccessibleInDark(page, 'usage-overview')
  // A narrow window cuts no column off.
  const usual = page.viewportSize() ?? { width: 1280, height: 800 }
  await page.setViewportSize({ width: 700, height: 800 })
  const totals = page.getByRole('table', { name: windowText('usage:table.label') })
  expect(await totals.evaluate((table) => table.scrollWidth <= (table.parentElement?.clientWidth ?? 0))).toBe(true)
  await expect(totals.getByRole('columnheader', { name: windowText('usage:table.difference') })).toBeInViewport({
    ratio: 1,
  })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await page.setViewportSize(usual)

  // By keyboard: reads the bars and opens the requests of one.
  await chart(page).focus()
  await page.keyboard.press('End')
  await expect(chart(page)).toHaveAttribute('aria-valuetext', /: .*still in progress/)
  await page.keyboard.press('ArrowLeft')
  await expect(chart(page)).not.toHaveAttribute('aria-valuetext', /still in progress/)
  await page.getByRole('radio', { name: windowText('usage:table.names.feature') }).click()
  await expect(page.getByRole('radio', { name: windowText('usage:controls.sources.service') })).toBeDisabled()
  await expect(page.getByRole('rowheader', { name: /Chat/ })).toBeVisible()
  await drawn(page)
  await chart(page).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  const log = page.getByRole('grid', { name: windowText('usage:table.requests') })
  await expect(log.getByRole('row').filter({ hasText: 'Studio · chat' }).first()).toBeVisible()
  await expect(page.getByRole('combobox', { name: windowText('usage:limits.when') })).toHaveValue('between')
  await expect(page.getByRole('region', { name: windowText('usage:table.requests') })).toBeInViewport()
  await page.goBack()
  await page.getByRole('radio', { name: windowText('usage:limits.model') }).click()

  // The pointer rests on the chart while the range changes: the box about a day of the former range disappears.
  const range = page.getByRole('combobox', { name: windowText('usage:controls.range') })
  await range.selectOption({ label: 'Last 7 days' })
  await expect(chart(page)).toHaveAttribute('aria-valuemax', '6')
  const readout = page.locator('.chart-readout')
  const pointAtEnd = async (aside: number) => {
    const { width } = (await chart(page).boundingBox()) ?? { width: 0 }
    await chart(page).hover({ position: { x: width - 70 - aside, y: 60 } })
  }
  await pointAtEnd(0)
  await expect(readout).toBeVisible()
  await range.selectOption({ label: 'Last 30 days' })
  await expect(chart(page)).toHaveAttribute('aria-valuemax', '29')
  await expect(readout).toBeHidden()
  await pointAtEnd(1)
  await expect(readout).toBeVisible()
  await expect(chart(page)).toHaveAttribute('aria-valuenow', /^2[5-9]$/)

  // The core saves the table, the page saves the chart.
  const saving = async (item: string): Promise<Buffer> => {
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: windowText('usage:save'), exact: true }).click()
    await page.getByRole('menuitem', { name: item }).click()
    return readFileSync(await (await coming).path())
  }
  expect((await saving('Table as CSV')).toString().split('\n').length).toBeGreaterThan(2)
  expect((await saving('Table as Parquet')).subarray(0, 4).toString()).toBe('PAR1')
  expect((await saving('Chart as PNG')).subarray(1, 4).toString()).toBe('PNG')
  expect((await saving('Chart as SVG')).toString()).toContain('Spend by day')

  await section(page, 'This computer vs. account')
  await expect(page.getByRole('heading', { name: windowText('usage:cards.sides') })).toBeVisible()
  await expect(page.getByRole('columnheader', { name: windowText('usage:elsewhere.why') })).toBeVisible()

  // Limits are polled while the page is open, and each poll is counted.
  const asked = () => sandbox.observe.requests().filter(({ path }) => path === '/v1/rate-limit').length
  const before = asked()
  await section(page, 'Limits')
  await expect(page.getByRole('meter', { name: /^Requests this minute/ })).toBeVisible()
  await expect(page.getByRole('main').getByText(/Resets in \d+ s/)).toHaveCount(1)
  // One of the two requests used a free model. Only that one counts there.
  for (const name of ['this hour', 'today']) {
    await expect(page.getByRole('meter', { name: new RegExp(`^Free models: requests ${name}: 1 of `) })).toBeVisible()
  }
  await expect(page.getByText(windowText('usage:limits.bucket.freeRequestsDay.about'))).toHaveCount(2)
  expect(asked() - before).toBeLessThanOrEqual(1)

  await section(page, 'Corrections')
  await expect(page.getByText('No corrections in this period')).toBeVisible()

  await goToPage(page, 'Keys')
  await page
    .getByRole('button', { name: windowText('usage:refresh') })
    .first()
    .click()
  const list = page.getByRole('navigation', { name: windowText('keys:list') })
  await expect(list.getByRole('link').first()).toContainText('In use')
  await expect(list.getByRole('link').filter({ hasText: /Revoked/ })).not.toHaveCount(0)
  await drawn(page)
  await expect(page.getByRole('region', { name: windowText('keys:totals') })).toContainText('SC')
  await expect(page.getByText(windowText('keys:notOffered.title'))).toBeVisible()
  // A key without its own balance shows no figures of a balance.
  const limits = page.getByRole('region', { name: windowText('usage:sections.limits') })
  await expect(limits).toContainText('Uses the account balance')
  await expect(limits).not.toContainText('SC')
  await expectAccessibleInDark(page, 'usage-keys')
  await list.getByRole('link').first().focus()
  await page.keyboard.press('End')
  await expect(page.getByRole('main')).toContainText('Revoked')

  // The service is unreachable: the same figures with their age.
  await sandbox.close()
  await page.reload()
  await goToPage(page, 'Usage')
  // Figures fetched within the last ten seconds are reused.
  await expect(async () => {
    await page
      .getByRole('button', { name: windowText('usage:refresh') })
      .first()
      .click()
    await expect(page.getByRole('note').getByText(windowText('usage:offline.title'), { exact: true })).toBeVisible({
      timeout: 20_000,
    })
  }).toPass({ timeout: 120_000 })
  await expect(page.getByText(/^Updated (just now|\d+ min ago)/).first()).toBeVisible()
  await drawn(page)
  expect(await figure(page, 'Balance').innerText()).toBe(balance)
  expect(await figure(page, 'Spend, 30 days').innerText()).toBe(spent)
  await expectAccessibleInDark(page, 'usage-offline')
  expect(faults.filter((fault) => /Content Security Policy|unsafe/i.test(fault))).toEqual([])
})

test('a day of a custom period is typed key by key: no half-typed year is applied, and an invalid day gives way to the last valid one', {
  tag: '@long',
}, async ({ page }) => {
  const host = await openConnectedHost(sandbox)
  await page.goto(host.url)
  await goToPage(page, 'Usage')
  await page.getByLabel(windowText('usage:controls.range'), { exact: true }).selectOption('own')
  const from = page.getByLabel(windowText('usage:controls.from'), { exact: true })
  const applied = (): Promise<string> =>
    page.evaluate(() => (JSON.parse(localStorage.getItem('usage.choice') ?? '{}') as { from?: string }).from ?? '')
  const start = await from.inputValue()
  await from.focus()
  const days = new Set<string>()
  for (const key of '10012025') {
    await page.keyboard.press(key)
    days.add(await applied())
  }
  await expect(from).toHaveValue('2025-10-01')
  await expect.poll(applied).toBe('2025-10-01')
  for (const day of days) expect(day).toMatch(/^20[2-9]\d-/)
  expect(days.has(start) || days.has(start.replace(/-..-..$/, '-10-01'))).toBe(true)
  // The picker's own limits.
  await expect(from).toHaveAttribute('min', '2000-01-01')

  for (const keys of ['10010006', 'Backspace']) {
    await from.focus()
    if (keys === 'Backspace') await page.keyboard.press(keys)
    else for (const key of keys) await page.keyboard.press(key)
    await expect(from).not.toHaveValue('2025-10-01')
    await from.blur()
    await expect(from).toHaveValue('2025-10-01')
    expect(await applied()).toBe('2025-10-01')
    await expect(page.getByText('Enter a day from 2000 to 2099. Using Oct 1, 2025.')).toBeVisible()
  }
  await expectAccessibleInDark(page, 'usage-day-restored')
  // The next valid day removes the note.
  await from.fill('2025-10-02')
  await expect(page.getByText(/^Enter a day from/)).toHaveCount(0)
  await from.fill('2025-10-01')
  await page.reload()
  await expect(from).toHaveValue('2025-10-01')
  await expectAccessible(page)
})
