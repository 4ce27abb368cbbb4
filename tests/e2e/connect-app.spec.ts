import { expect, type Page, test } from '@playwright/test'
import OpenAI from 'openai'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, takePictures } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox, type WebHost } from './hosts.ts'
import { connectApp, goToPage, quick } from './journey.ts'

let sandbox: Sandbox
let host: WebHost

test.beforeEach(async ({ page }) => {
  sandbox = await openSandbox({ paces: quick })
  host = await openConnectedHost(sandbox)
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.goto(host.url)
  await goToPage(page, windowText('shell:pages.proxy'))
})
test.afterEach(closeHosts)

const v1 = () => host.ready.proxy?.baseUrl ?? ''
const sdk = (apiKey: string) => new OpenAI({ baseURL: v1(), apiKey, maxRetries: 0 })
const ask = (client: OpenAI, model = 'mirror') =>
  client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Good morning' }] })
const wizard = (page: Page) => page.getByRole('dialog', { name: 'Connect an app' })
const card = (page: Page, name: string) => page.getByRole('article', { name })
const step = (page: Page) => page.locator('[aria-current="step"]')

test('an app is connected by keyboard alone, and its first request is reported', async ({ page }) => {
  await page.getByRole('button', { name: 'Connect an app' }).first().press('Enter')
  const search = wizard(page).getByRole('searchbox')
  await expect(search).toBeFocused()
  await search.fill('opencode')
  await search.press('Enter')
  await expect(wizard(page).getByRole('textbox', { name: windowText('connect:name') })).toHaveValue('opencode')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'connect-1-app', true)
  await wizard(page)
    .getByRole('textbox', { name: windowText('connect:name') })
    .press('Enter')
  await expect(step(page)).toHaveText('2. Limits')

  // Back keeps what was typed.
  await wizard(page).getByLabel(windowText('proxy:form.budgetDay')).fill('nothing')
  await wizard(page)
    .getByRole('button', { name: windowText('shell:welcome.connect.back') })
    .press('Enter')
  await expect(step(page)).toHaveText('1. App')
  await wizard(page)
    .getByRole('textbox', { name: windowText('connect:name') })
    .press('Enter')
  await expect(wizard(page).getByLabel(windowText('proxy:form.budgetDay'))).toHaveValue('nothing')
  await wizard(page).getByLabel(windowText('proxy:form.budgetDay')).press('Enter')
  await expect(wizard(page).getByLabel(windowText('proxy:form.budgetDay'))).toBeFocused()
  await expect(wizard(page)).toContainText('Enter an amount')
  await wizard(page).getByLabel(windowText('proxy:form.budgetDay')).fill('2')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'connect-2-limits', true)
  await wizard(page).getByLabel(windowText('proxy:form.budgetDay')).press('Enter')

  await expect(step(page)).toHaveText('3. Key and instructions')
  const key = await wizard(page)
    .getByRole('textbox', { name: windowText('proxy:connect.key') })
    .inputValue()
  expect(key).toMatch(/^isk_/)
  // The change of the file hides the key; the lines to paste have it.
  await wizard(page)
    .getByRole('button', { name: windowText('programs:panel.showLines') })
    .press('Enter')
  await expect(wizard(page).getByRole('region', { name: 'opencode' })).toContainText(key)
  await expect(wizard(page).getByRole('region', { name: 'opencode' })).toContainText(v1())
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'connect-3-key', true)
  await wizard(page)
    .getByRole('button', { name: windowText('proxy:connect.test') })
    .press('Enter')

  await expect(wizard(page).getByRole('status')).toContainText('Waiting for the first request of opencode')
  await takePictures(page, 'connect-4-waiting', true)
  // A wrong key is the usual reason why nothing arrives.
  await expect(ask(sdk(`${key.slice(0, -3)}AAA`))).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
  await expect(wizard(page)).toContainText('A request was refused: a program with an unknown key')
  await ask(sdk(key))
  await expect(wizard(page).getByRole('status')).toContainText('opencode works.')
  await expect(wizard(page).getByRole('definition').filter({ hasText: 'mirror' })).toBeVisible()
  await expect(wizard(page)).not.toContainText('unknown key')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'connect-5-works', true)
  await wizard(page).getByRole('button', { name: 'Done' }).press('Enter')
  await expect(wizard(page)).toHaveCount(0)
  await expect(card(page, 'opencode')).toContainText('of 2 SC per day')
  expect(await page.content()).not.toContain(key)
})

test('a dialog that is closed before "Create key" leaves nothing behind', { tag: '@long' }, async ({ page }) => {
  await page.getByRole('button', { name: 'Connect an app' }).first().click()
  await wizard(page)
    .getByRole('textbox', { name: windowText('connect:name') })
    .fill('Never')
  await wizard(page).getByRole('button', { name: 'Next' }).click()
  await page.keyboard.press('Escape')
  await expect(wizard(page)).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('heading', { name: windowText('proxy:apps.emptyTitle') })).toBeVisible()
  await page.getByRole('button', { name: 'Connect an app' }).first().click()
  await expect(wizard(page).getByRole('textbox', { name: windowText('connect:name') })).not.toHaveValue('Never')
})

test('the test of an app says why its request was refused, and can be cancelled and repeated', {
  tag: '@long',
}, async ({ page }) => {
  const client = sdk(
    await connectApp(page, 'narrow', async (dialog) => {
      await dialog.getByRole('radio', { name: 'Only these' }).first().click()
      await dialog.getByRole('checkbox', { name: 'mirror', exact: true }).check()
    }),
  )
  await page.getByRole('button', { name: 'More for narrow' }).click()
  await page.getByRole('menuitem', { name: windowText('proxy:apps.menu.setUp') }).click()
  const dialog = page.getByRole('dialog', { name: 'Setup instructions for narrow' })
  await expect(dialog).toContainText('YOUR_APP_KEY')
  await dialog.getByRole('button', { name: windowText('proxy:connect.test') }).click()
  await dialog.getByRole('button', { name: windowText('proxy:test.cancel') }).click()
  await expect(dialog.getByRole('status')).toContainText('The test was cancelled.')
  await dialog.getByRole('button', { name: windowText('settings:connection.test') }).click()
  await expect(dialog.getByRole('status')).toContainText('Waiting')
  await expect(ask(client, 'writer-small')).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError)
  await expect(dialog.getByRole('status')).toContainText('The request of narrow failed.')
  await expect(dialog.getByRole('status')).toContainText('may not use the model writer-small')
  await takePictures(page, 'connect-6-refused', true)
  await dialog.getByRole('button', { name: 'Show in log' }).click()
  await expect(page.getByRole('region', { name: windowText('proxy:detail.label') })).toContainText('writer-small')
})

test('the test goes on after the dialog is closed', { tag: '@long' }, async ({ page }) => {
  const client = sdk(await connectApp(page, 'later'))
  await page.getByRole('button', { name: 'More for later' }).click()
  await page.getByRole('menuitem', { name: windowText('proxy:apps.menu.setUp') }).click()
  const dialog = page.getByRole('dialog', { name: 'Setup instructions for later' })
  await dialog.getByRole('button', { name: windowText('proxy:connect.test') }).click()
  await expect(dialog.getByRole('status')).toContainText('Waiting')
  await page.keyboard.press('Escape')
  await goToPage(page, windowText('settings:chat.title'))
  await ask(client)
  await expect(page.getByText('The first request of later has arrived.', { exact: true })).toBeVisible()
})

test('a key is replaced: the previous one works for the chosen time, the app and its log stay one', {
  tag: '@long',
}, async ({ page }) => {
  const first = await connectApp(page, 'editor')
  await ask(sdk(first))
  const replace = async (grace: string) => {
    await page.getByRole('button', { name: 'More for editor' }).click()
    await page.getByRole('menuitem', { name: 'Replace key…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replace the key of editor' })
    await dialog.getByRole('radio', { name: grace }).check()
    await expectAccessible(page, 'dialog[open]')
    await takePictures(page, `rotate-${grace}`, true)
    await dialog.getByRole('button', { name: windowText('proxy:connect.createKey') }).click()
    const key = await dialog.getByRole('textbox', { name: windowText('proxy:connect.key') }).inputValue()
    await dialog.getByRole('button', { name: windowText('proxy:connect.test') }).click()
    await ask(sdk(key))
    await expect(dialog.getByRole('status')).toContainText('editor works.')
    await dialog.getByRole('button', { name: 'Done' }).click()
    return key
  }
  const second = await replace('In 1 hour')
  await ask(sdk(first))
  await expect(card(page, 'editor')).toContainText('previous key works until')
  await replace('Now')
  for (const old of [first, second]) await expect(ask(sdk(old))).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
  await expect(card(page, 'editor')).not.toContainText('previous key')
  await expect(card(page, 'editor')).toContainText('4 requests today')
})
