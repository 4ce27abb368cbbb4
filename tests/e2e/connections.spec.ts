import { expect, type Page, test } from '@playwright/test'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openSandbox, openWebHost } from './hosts.ts'
import { composer, goToPage, pickModel, send } from './journey.ts'

let work: Sandbox
let home: Sandbox
test.beforeEach(async () => {
  work = await openSandbox({ seed: 'work' })
  home = await openSandbox({ seed: 'home' })
})
test.afterEach(closeHosts)

const row = (page: Page, name: string) =>
  page
    .getByRole('list', { name: windowText('settings:connection.list') })
    .getByRole('listitem')
    .filter({ hasText: name })
const status = (page: Page) => page.getByRole('contentinfo').getByRole('button').first()
const dialog = (page: Page) => page.getByRole('dialog')

async function add(page: Page, name: string, { baseUrl, apiKey }: Sandbox): Promise<void> {
  await page.getByRole('button', { name: windowText('settings:connection.add') }).click()
  await dialog(page)
    .getByRole('textbox', { name: windowText('connect:baseUrl') })
    .fill(baseUrl)
  await dialog(page)
    .getByRole('textbox', { name: windowText('connect:name') })
    .fill(name)
  await dialog(page).getByLabel(windowText('connect:key'), { exact: true }).fill(apiKey)
  await dialog(page)
    .getByRole('button', { name: windowText('connect:connect'), exact: true })
    .click()
}

test('connections are added, switched from settings, status bar and palette, renamed and deleted [AUTH-03]', {
  tag: '@long',
}, async ({ page }) => {
  const host = await openWebHost(newDataDir(), ['--sandbox'])
  await page.goto(host.url)
  await expect(composer(page)).toBeVisible()
  await goToPage(page, windowText('settings:title'))
  await add(page, 'Work', work)
  await expect(row(page, 'Work')).toContainText(windowText('settings:connection.state.connected'))
  await add(page, 'work', home)
  await expect(dialog(page).getByText('Another connection is already named “work”.')).toBeVisible()
  await dialog(page)
    .getByRole('textbox', { name: windowText('connect:name') })
    .fill('Home')
  await dialog(page)
    .getByRole('button', { name: windowText('connect:connect'), exact: true })
    .click()
  await expect(row(page, 'Home')).toContainText(windowText('settings:connection.state.connected'))
  await expect(row(page, 'Work').getByRole('button', { name: 'Switch to Work' })).toBeVisible()
  // Each connection shows the balance of its own account.
  await expect(row(page, 'Work')).toContainText('SC left')

  // By keyboard alone, from the status bar, after the closed dialog returned the focus.
  await expect(dialog(page)).toHaveCount(0)
  await expect(page.getByRole('button', { name: windowText('settings:connection.add') })).toBeFocused()
  await status(page).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitemradio', { name: /^Home/ })).toBeChecked()
  await expectAccessible(page)
  await page.getByRole('menuitemradio', { name: /^Work/ }).focus()
  await page.keyboard.press('Enter')
  await expect(status(page)).toHaveText('Connected · Work')

  await goToPage(page, windowText('settings:chat.title'))
  await pickModel(page, 'mirror')
  await send(page, 'Said to Work')
  await expect.poll(() => work.observe.requests().filter(({ path }) => path.endsWith('/completions')).length).toBe(1)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('switch to home')
  await page.keyboard.press('Enter')
  await expect(status(page)).toHaveText('Connected · Home')
  expect(home.observe.requests().some(({ path }) => path.endsWith('/completions'))).toBe(false)
  for (const one of [work, home])
    expect(new Set(one.observe.requests().map(({ key }) => key))).toEqual(new Set(['main']))

  await goToPage(page, windowText('settings:title'))
  await page.getByRole('button', { name: 'More for Home' }).click()
  await page.getByRole('menuitem', { name: windowText('settings:connection.rename') }).click()
  await dialog(page)
    .getByRole('textbox', { name: windowText('connect:name') })
    .fill('My own')
  await dialog(page)
    .getByRole('button', { name: windowText('settings:connection.save') })
    .click()
  await expect(status(page)).toHaveText('Connected · My own')
  await page.getByRole('button', { name: 'More for My own' }).click()
  await page.getByRole('menuitem', { name: windowText('settings:connection.deleteItem') }).click()
  await dialog(page)
    .getByRole('button', { name: windowText('settings:connection.confirmDelete') })
    .click()
  await expect(status(page)).toHaveText('Not connected')
  await expect(page.getByText('No connection is active')).toBeVisible()

  // No connection replaces it automatically. One click does.
  await page.goto(`${new URL(page.url()).origin}/#/chat`)
  await expect(page.getByRole('heading', { name: windowText('shell:status.none') })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Switch to Work' }).click()
  await expect(composer(page)).toBeVisible()
  expect(await page.content()).not.toContain(work.apiKey)
})

test('the usage of an earlier address is merged into the present connection, after a question', async ({ page }) => {
  const host = await openWebHost(newDataDir())
  await page.goto(host.url)
  await expect(page.getByRole('button', { name: /Try the sandbox/ })).toBeVisible()
  await goToPage(page, windowText('settings:title'))
  await add(page, 'Work', work)
  await expect(row(page, 'Work')).toContainText('SC left')
  // The same account moves to another address, which begins a new account in Usage.
  const { baseUrl, apiKey } = home
  await page.getByRole('button', { name: windowText('settings:connection.more', { name: 'Work' }) }).click()
  await expect(page.getByRole('menuitem', { name: windowText('settings:connection.merge') })).toHaveCount(0)
  await page.getByRole('menuitem', { name: windowText('settings:connection.change') }).click()
  await dialog(page)
    .getByRole('textbox', { name: windowText('connect:baseUrl') })
    .fill(baseUrl)
  await dialog(page).getByLabel(windowText('connect:key'), { exact: true }).fill(apiKey)
  await dialog(page)
    .getByRole('button', { name: windowText('connect:connect'), exact: true })
    .click()
  await expect(dialog(page)).toBeHidden()
  await expect(row(page, 'Work')).toContainText(baseUrl)
  await expect(row(page, 'Work')).toContainText('SC left')
  await page.getByRole('button', { name: windowText('settings:connection.more', { name: 'Work' }) }).click()
  await page.getByRole('menuitem', { name: windowText('settings:connection.merge') }).click()
  await expect(dialog(page)).toContainText('a day that both reported counts once')
  await expect(dialog(page).getByRole('combobox')).toContainText(work.baseUrl)
  await expectAccessible(page)
  await takePictures(page, 'merge-usage', true)
  await dialog(page)
    .getByRole('button', { name: windowText('settings:connection.mergeConfirm'), exact: true })
    .click()
  await expect(page.getByText(/The usage of .* was added to Work\./).first()).toBeVisible()
  await page.getByRole('button', { name: windowText('settings:connection.more', { name: 'Work' }) }).click()
  await expect(page.getByRole('menuitem', { name: windowText('settings:connection.merge') })).toHaveCount(0)
})
