import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { data as words } from '../../src-renderer/i18n/en/data.ts'
import { settings } from '../../src-renderer/i18n/en/settings.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, line, newChat, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openSandbox, openWebHost } from './hosts.ts'
import { askModel, composer, connectTo, goToPage, quick, replies, send, settled } from './journey.ts'

let sandbox: Sandbox
test.beforeEach(async () => {
  sandbox = await openSandbox({ paces: quick })
})
test.afterEach(closeHosts)

async function openWithChat(page: Page, text: string) {
  const dataDir = newDataDir()
  const host = await openWebHost(dataDir)
  await page.goto(host.url)
  await connectTo(page, sandbox.baseUrl, sandbox.apiKey)
  await say(page, text)
  return { dataDir, host }
}
async function say(page: Page, text: string): Promise<void> {
  await newChat(page)
  await askModel(page, 'mirror', text)
}
async function openData(page: Page): Promise<void> {
  await goToPage(page, settings.title)
  await page.getByRole('navigation', { name: settings.parts }).getByRole('link', { name: settings.data.title }).click()
}

test('everything is deleted after a word was typed, and the program starts as new on the same page', {
  tag: '@long',
}, async ({ page }) => {
  const { dataDir, host } = await openWithChat(page, 'A secret about lighthouses')
  await openData(page)
  await page.getByRole('button', { name: words.eraseAll.open }).click()
  const dialog = page.getByRole('alertdialog')
  const confirm = dialog.getByRole('button', { name: words.eraseAll.confirm })
  await expect(confirm).toBeDisabled()
  await dialog.getByRole('textbox').fill('no')
  await expect(confirm).toBeDisabled()
  await expectAccessible(page)
  await takePictures(page, 'settings-erase-all', true)
  await dialog.getByRole('textbox').fill(words.eraseAll.word)
  await confirm.click()
  await expect(page.getByRole('heading', { name: windowText('shell:welcome.title') })).toBeVisible()
  await expect(page.getByText('lighthouses')).toHaveCount(0)
  expect(await page.evaluate(() => JSON.stringify(Object.entries(localStorage)))).not.toContain('lighthouses')
  await expect.poll(() => existsSync(join(dataDir, 'studio.erase.json'))).toBe(false)

  // The folder is still usable, and no file contains what was said.
  await connectTo(page, sandbox.baseUrl, sandbox.apiKey)
  expect(await host.stop()).toBe(0)
  for (const name of readdirSync(dataDir).filter((one) => one.endsWith('.sqlite')))
    expect(readFileSync(join(dataDir, name), 'latin1')).not.toContain('lighthouses')
})

test('a chosen backup is restored by one button, on the same page', { tag: '@long' }, async ({ page }) => {
  await openWithChat(page, 'Before the backup')
  await openData(page)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: words.backup.save }).click()
  const tar = await (await saved).path()
  await goToPage(page, windowText('shell:pages.chat'))
  await say(page, 'After the backup')
  await openData(page)
  await page.getByLabel(words.restore.file).setInputFiles(tar)
  const dialog = page.getByRole('dialog', { name: words.restore.askTitle })
  await expectAccessible(page)
  await dialog.getByRole('button', { name: words.restore.restart }).click()
  await expect(
    composer(page)
      .or(page.getByRole('heading', { name: /Welcome|Not connected/ }))
      .first(),
  ).toBeVisible()
  await expect(line(page, 'Before the backup')).toBeVisible()
  await expect(line(page, 'After the backup')).toHaveCount(0)
  // The key was stored for one session only.
  const notice = page.getByRole('status').filter({ hasText: words.restored.title })
  await expect(notice).toContainText('enter the API key of')
  await expectAccessible(page)
  await takePictures(page, 'restored-key', true)
  await notice.getByRole('button', { name: settings.connection.enterKey }).click()
  const form = page.getByRole('dialog', { name: /^Enter the key of / })
  await takePictures(page, 'restored-key-dialog', true)
  const key = form.getByLabel(windowText('connect:key'), { exact: true })
  await expect(key).toBeFocused()
  await key.fill(sandbox.apiKey)
  await form.getByRole('button', { name: windowText('connect:connect'), exact: true }).click()
  await expect(form).toHaveCount(0)
  await expect(notice).not.toContainText('API key')
  await line(page, 'Before the backup').click()
  // Until the chat is on the stage, the composer is that of the new chat.
  await expect(replies(page)).toHaveCount(1)
  await send(page, 'After the restore')
  await settled(page, 'complete')
  await openData(page)
  await expect(page.getByText(words.restored.title)).toBeVisible()
})
