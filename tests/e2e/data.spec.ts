import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, type Page, test } from '@playwright/test'
import { createMedia } from '../../src-main/core/features/media/media.ts'
import { openStore } from '../../src-main/core/store/store.ts'
import { partBytes } from '../../src-preload/contract/transfers.ts'
import { behead, filledFolder, moreRequests } from '../core/data/fill.ts'
import { png } from '../core/features/media/pictures.ts'
import { imageRow, recordingRow } from '../core/features/media/rows.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openWebHost, tellingBrowser } from './hosts.ts'
import { goToPage } from './journey.ts'

// A long journey with three axe runs, possibly on a busy machine.
test.setTimeout(120_000)
test.afterEach(closeHosts)

const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()

/** A data folder with old and new images, a favourite, a deleted image and a recording. */
async function usedFolder(): Promise<string> {
  const dataDir = newDataDir()
  const store = openStore(dataDir)
  const none = { take: () => ({ path: '', name: '' }), done: async () => undefined }
  const media = createMedia({ dataDir, store, uploads: none })
  const named: ((database: DatabaseSync) => void)[] = []
  const picture = async (days: number, more: { favourite?: boolean; removedAt?: string } = {}) => {
    const { id: mediaId } = await media.addPicture({ bytes: png(300, 200, days) }, { name: null })
    named.push((database) =>
      imageRow(database, { id: randomUUID(), drawingId: randomUUID(), mediaId, createdAt: ago(days), ...more }),
    )
  }
  for (const days of [400, 200, 100, 2, 1]) await picture(days)
  await picture(300, { favourite: true })
  await picture(50, { removedAt: ago(3) })
  const { id: mediaId } = await media.addSound({ bytes: Buffer.alloc(700_000, 'RIFF') }, { mime: '', name: null })
  named.push((database) => recordingRow(database, { id: randomUUID(), mediaId, createdAt: ago(120), bytes: 700_000 }))
  await media.swept
  store.close()
  const database = new DatabaseSync(join(dataDir, 'studio.sqlite'))
  for (const name of named) name(database)
  database.close()
  return dataDir
}

const section = (page: Page) => page.getByRole('region', { name: windowText('data:age.types'), exact: true })

test('storage is listed by feature; a clean-up shows a preview and deletes exactly that', { tag: '@long' }, async ({
  page,
}) => {
  const dataDir = await usedFolder()
  const files = (): number => readdirSync(join(dataDir, 'media')).length
  const host = await openWebHost(dataDir, ['--sandbox'])
  await page.goto(host.url)
  await goToPage(page, windowText('data:dataName.settings'))
  // The list of sections leads there by keyboard, and the focus follows.
  const parts = page.getByRole('navigation', { name: windowText('settings:parts') })
  await parts.getByRole('link', { name: windowText('data:age.types') }).press('Enter')
  const data = section(page)
  await expect(data).toBeFocused()
  await expect(parts.getByRole('link', { name: windowText('data:age.types') })).toHaveAttribute('aria-current', 'page')
  const row = (kind: string) => data.locator(`tr[data-amount="${kind}"]`)
  await expect(row('images')).toContainText('Images7')
  await expect(row('recordings')).toContainText('700 kB')
  await expect(row('chat')).toContainText('0')
  await expect(data).toContainText(join(dataDir, 'media'))
  await expect(data).toContainText(/free on this disk/)
  await takePictures(page, 'settings-data', true)

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 700, height: 900 })
    await expect(row('images')).toBeVisible()
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    expect(wide).toBe(false)
    await expectAccessible(page)
  }

  // Deletion by age: three images and the recording. A favourite of 300 days and everything not selected remain.
  const age = page.getByRole('region', { name: windowText('data:age.title') })
  for (const name of ['Logged request bodies', 'Request log and bodies']) await age.getByLabel(name).uncheck()
  for (const name of ['Images', 'Recordings and transcripts']) await age.getByLabel(name).check()
  await age.getByRole('button', { name: windowText('data:preview') }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Delete everything older than 90 days permanently?')
  await expect(dialog.getByRole('row', { name: /^Images 3 / })).toBeVisible()
  await expect(dialog.getByRole('row', { name: /^Recordings and transcripts 1 700 kB/ })).toBeVisible()
  await takePictures(page, 'settings-data-ask')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  expect(files()).toBe(8)

  // By keyboard alone: deselects recordings, then deletes.
  await age.getByLabel(windowText('data:age.kind.recordings')).focus()
  await page.keyboard.press('Space')
  await age.getByRole('button', { name: windowText('data:preview') }).focus()
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('row', { name: /^Images 3 / })).toBeVisible()
  await dialog.getByRole('button', { name: windowText('data:age.confirm') }).focus()
  await page.keyboard.press('Enter')
  await expect(age.getByText('3 items deleted permanently.')).toBeVisible()
  await expect(row('images')).toContainText('Images4')
  await expect.poll(files).toBe(5)
  await age.getByRole('button', { name: windowText('data:preview') }).click()
  await expect(age.getByText(windowText('data:age.nothing'))).toBeVisible()

  // An automatic rule is off by default, and switching it on shows what it deletes now.
  const rule = age.getByLabel(windowText('data:age.rule'))
  await expect(rule).toHaveValue('off')
  await rule.selectOption('30')
  await expect(dialog).toContainText('Delete log entries after 30 days from now on?')
  await expect(rule).toHaveValue('off')
  await dialog.getByRole('button', { name: windowText('data:age.ruleConfirm') }).click()
  await expect(rule).toHaveValue('30')

  // By size: the rest is far below a gigabyte.
  await data
    .getByRole('region', { name: windowText('data:freeUp') })
    .getByRole('button', { name: windowText('data:preview') })
    .click()
  await expect(data.getByText(windowText('data:nothing'))).toBeVisible()
  expect(files()).toBe(5)

  // A backup of everything, and what restoring it would replace.
  const saved = page.waitForEvent('download')
  await data.getByRole('button', { name: windowText('data:backup.save') }).click()
  const tar = await (await saved).path()
  await expect(page.getByText(/Backup created \(/).first()).toBeVisible()
  // A problem shows the meaning of its kind and, once, the message of this case.
  const wrong = { name: 'wrong.tar', mimeType: 'application/x-tar', buffer: Buffer.from('no tar '.repeat(500)) }
  await data.getByLabel(windowText('data:restore.file')).setInputFiles(wrong)
  const alert = data.getByRole('alert')
  await expect(alert).toContainText('A value is missing or not valid.')
  await expect(alert.getByRole('paragraph')).toHaveText(/^This file is not a complete backup of Inference Studio\./)
  await data.getByLabel(windowText('data:restore.file')).setInputFiles(tar)
  await expect(dialog).toContainText('Replace all data with this backup?')
  await expect(dialog.getByRole('row', { name: /^Images (\d+) \1$/ })).toBeVisible()
  await takePictures(page, 'settings-data-restore')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: windowText('data:restore.confirm') }).click()
  await expect(data.getByText(windowText('data:restore.waitingTitle'))).toBeVisible()
  await takePictures(page, 'settings-data-waiting', true)
  await data.getByRole('button', { name: windowText('data:restore.drop') }).click()
  await expect(data.getByText(windowText('data:restore.waitingTitle'))).toHaveCount(0)

  // Deleted items remain for 30 days or are deleted permanently now.
  await expect(data).toContainText(/1 item, .* Deleted permanently after 30 days/)
  await data.getByRole('button', { name: windowText('data:deleteNow') }).click()
  await expect(dialog).toContainText('Delete 1 item permanently?')
  await dialog.getByRole('button', { name: windowText('data:age.confirm') }).click()
  await expect(data).toContainText(windowText('data:recentlyDeletedNone'))
  await expect.poll(files).toBe(4)
})

/** A studio with one recording of `bytes`. */
async function largeFolder(bytes: number): Promise<string> {
  const dataDir = newDataDir()
  const store = openStore(dataDir)
  const media = createMedia({
    dataDir,
    store,
    uploads: { take: () => ({ path: '', name: '' }), done: async () => undefined },
  })
  const { id: mediaId } = await media.addSound({ bytes: randomBytes(bytes) }, { mime: 'audio/wav', name: null })
  await media.swept
  store.close()
  const database = new DatabaseSync(join(dataDir, 'studio.sqlite'))
  recordingRow(database, { id: randomUUID(), mediaId, createdAt: ago(1), bytes })
  database.close()
  return dataDir
}

test('a large backup passes the page by: it is saved by its address, and read back in parts', { tag: '@long' }, async ({
  page,
}) => {
  // The browser's network log, which the test reads, costs the page's thread up to 1 s a part on a busy machine.
  const bytes = 12_000_000
  let overSocket = 0
  const count = ({ payload }: { payload: string | Buffer }): void => {
    overSocket += payload.length
  }
  page.on('websocket', (socket) => socket.on('framereceived', count).on('framesent', count))
  const parts: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PUT') parts.push(request.postDataBuffer()?.length ?? 0)
  })
  const host = await openWebHost(await largeFolder(bytes), ['--sandbox'])
  await page.goto(host.url)
  await goToPage(page, windowText('data:dataName.settings'))
  await page
    .getByRole('complementary', { name: windowText('shell:list') })
    .getByRole('link', { name: windowText('data:age.types') })
    .click()
  const data = section(page)
  const saved = page.waitForEvent('download')
  await data.getByRole('button', { name: windowText('data:backup.save') }).click()
  const tar = await (await saved).path()
  const { size } = statSync(tar)
  expect(size).toBeGreaterThan(bytes)
  await data.getByLabel(windowText('data:restore.file')).setInputFiles(tar)
  await expect(page.getByRole('dialog')).toContainText('Replace all data with this backup?')
  expect([Math.max(...parts), parts.reduce((sum, part) => sum + part, 0)]).toEqual([partBytes, size])
  // The socket has the procedures and their replies alone.
  expect(overSocket).toBeLessThan(1_000_000)
})

test('while a damaged log is repaired the address shows a page with progress, then the studio', {
  tag: '@long',
}, async ({ page }) => {
  const dataDir = filledFolder()
  moreRequests(dataDir, 150_000)
  behead(join(dataDir, 'ledger.sqlite'))
  const opener = tellingBrowser()
  const starting = openWebHost(dataDir, ['--sandbox', '--open'], opener.env)
  // Polls until the repair ends: a paused repair reports its last row count again.
  let repairing: { status: number; body: string } | null = null
  let isHeld = true
  await page.route('**/rpc', async (route) => {
    if (repairing && isHeld) return route.fulfill(repairing)
    const reply = await route.fetch()
    const body = await reply.text()
    if (reply.status() === 503 && /"rows":[1-9]/.test(body)) repairing = { status: 503, body }
    await route.fulfill({ response: reply, body })
  })
  await page.goto(await opener.address())
  await expect(page.getByRole('status')).toHaveText('Repairing the request log…')
  await expect(page.getByText(/^\d{1,3},000 rows recovered so far$/)).toBeVisible()
  // The URL no longer contains the token, and the page still has access.
  expect(new URL(page.url()).hash).toBe('')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await takePictures(page, 'opening', true)
  await expectAccessible(page)
  isHeld = false
  await starting
  await expect(page.getByRole('navigation', { name: windowText('shell:pages.label') })).toBeVisible({ timeout: 20_000 })
  await expect(page.getByText('was damaged').first()).toBeVisible()
  rmSync(dataDir, { recursive: true })
})
