import { expect, test } from '@playwright/test'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessibleEverywhere, expectAccessibleInDark } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox } from './hosts.ts'
import { askModel, quick } from './journey.ts'

let sandbox: Sandbox

test.beforeEach(async () => {
  sandbox = await openSandbox({ balance: 8, paces: quick })
})
test.afterEach(closeHosts)

test('a threshold raises one alert, which links to its page and is dismissed by keyboard; the browser notifies if the person wants', {
  tag: '@long',
}, async ({ page, context }) => {
  await context.grantPermissions(['notifications'])
  await page.addInitScript(() => {
    // System notifications are invisible here, so the test reads what the page requests.
    const titles: string[] = []
    const Real = Notification
    class RecordedNotification {
      static permission = 'granted'
      static requestPermission = () => Real.requestPermission()
      constructor(title: string) {
        titles.push(title)
      }
    }
    Object.assign(window, { titles, Notification: RecordedNotification })
  })
  const titles = () => page.evaluate(() => (window as unknown as { titles: string[] }).titles)
  const host = await openConnectedHost(sandbox)
  await page.goto(host.url)
  await page.getByRole('button', { name: windowText('alerts:empty') }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText(windowText('alerts:empty'))).toBeVisible()
  await page.getByRole('button', { name: windowText('alerts:setUp') }).press('Enter')

  const lines = page.getByRole('region', { name: windowText('alerts:title'), exact: true })
  const balance = lines.getByRole('textbox', { name: windowText('alerts:settings.balance') })
  await balance.fill('none')
  await expect(lines.getByText('An amount above 0')).toBeVisible()
  await lines.getByRole('switch', { name: windowText('alerts:settings.browser') }).press('Space')
  await expect(lines.getByRole('button', { name: windowText('alerts:settings.try') })).toBeVisible()
  await balance.fill('10')
  await balance.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: 'Alert: Balance below 10.00 SC' })).toBeAttached()
  expect(await titles()).toEqual(['Balance below 10.00 SC'])
  await expectAccessibleInDark(page, 'alerts-lines')

  // A new problem comes first; ended alerts need no action; all alerts survive a reload.
  await page.keyboard.press('ControlOrMeta+1')
  await askModel(page, 'fault/402', 'Hello', 'failed')
  const bell = page.getByRole('button', { name: '2 alerts' })
  await expect(bell).toBeVisible()
  expect(await titles()).toEqual(['Balance below 10.00 SC', 'Credits are used up'])
  await page.reload()
  await bell.press('Enter')
  const list = page.getByRole('list', { name: windowText('alerts:title') }).getByRole('listitem')
  await expect(list).toHaveCount(2)
  await expectAccessibleEverywhere(page, 'alerts-list')
  await list
    .first()
    .getByRole('button', { name: windowText('alerts:go.usage') })
    .press('Enter')
  await expect(page).toHaveURL(/#\/usage$/)
  await expect(list).toHaveCount(0)
  await bell.press('Enter')
  await list
    .last()
    .getByRole('button', { name: /^Dismiss: Balance/ })
    .press('Enter')
  await expect(list).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: '1 alert', exact: true })).toBeFocused()
  expect(await titles()).toEqual([])
})
