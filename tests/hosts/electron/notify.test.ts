// @module-tag chromium
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { connectTo, goToPage } from '../../e2e/journey.ts'
import { type Desktop, launchDesktop } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { newDataDir, tidy } from './fixtures.ts'

const canary = 'sk-desktop-notify'
let sandbox: Sandbox
let desktop: Desktop

beforeAll(async () => {
  sandbox = await startSandbox({ apiKey: canary, balance: 8 })
  desktop = await launchDesktop(newDataDir())
  // Records notifications in a list instead of showing them, also on a real desktop.
  await desktop.evaluate(({ Notification }) => {
    const shown: Electron.Notification[] = []
    Object.assign(globalThis, { shown })
    Notification.prototype.show = function () {
      shown.push(this)
    }
  })
  await connectTo(desktop.page, sandbox.baseUrl, canary)
})
afterAll(async () => {
  await tidy()
  await sandbox.close()
})

type Held = typeof globalThis & { shown: Electron.Notification[] }
const shown = () =>
  desktop.evaluate(() => (globalThis as Held).shown.map(({ title, body, silent }) => ({ title, body, silent })))
const click = () => desktop.evaluate(() => void (globalThis as Held).shown.at(-1)?.emit('click'))
const lines = () => desktop.page.getByRole('region', { name: 'Alerts', exact: true })

test('an alert shows a silent system notification, and its click opens the page in the existing window', async () => {
  const { page } = desktop
  await page.evaluate(() => Object.assign(window, { sameDocument: true }))
  await page.getByRole('button', { name: 'No alerts' }).click()
  await page.getByRole('button', { name: windowText('alerts:setUp') }).click()
  await lines()
    .getByRole('textbox', { name: windowText('alerts:settings.balance') })
    .fill('10')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: '1 alert', exact: true }).waitFor()
  await expect
    .poll(shown)
    .toEqual([{ title: 'Balance below 10.00 SC', body: 'The account has 8.00 SC left.', silent: true }])
  await click()
  await page.waitForFunction(() => location.hash === '#/usage')
  await page
    .getByRole('link', { name: windowText('shell:pages.usage'), exact: true })
    .and(page.locator('[aria-current=page]'))
    .waitFor()
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true)
  expect(JSON.stringify(await shown())).not.toContain(canary)
})

test('notifications can be tested and switched off', { tags: 'long' }, async () => {
  const { page } = desktop
  await page.getByRole('button', { name: '1 alert', exact: true }).click()
  await page.getByRole('button', { name: windowText('alerts:setUp') }).click()
  await lines()
    .getByRole('button', { name: windowText('alerts:settings.try') })
    .click()
  await expect.poll(async () => (await shown()).map(({ title }) => title)).toContain('Inference Studio')
  await lines()
    .getByRole('switch', { name: windowText('alerts:settings.notify') })
    .click()
  await lines()
    .getByRole('textbox', { name: windowText('alerts:settings.spend') })
    .fill('0.000001')
  await page.keyboard.press('Enter')
  await goToPage(page, windowText('shell:pages.chat'))
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: '2 alerts' }).waitFor()
  expect(await shown()).toHaveLength(2)
})
