import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { settings as words } from '../../src-renderer/i18n/en/settings.ts'
import { windowText } from '../helpers/windowText.ts'
import { allowClipboard, type ChatWorld, expectAccessible, openChatWorld, takePictures } from './chatWorld.ts'
import { newDataDir } from './hosts.ts'
import { goToPage } from './journey.ts'

// “Check this installation” with the real check of this build. In its process, and only there, SQLite has no full-text search, so that a check
// fails and others are skipped. It prints three results, and the others when a test lets it.

let world: ChatWorld
/** Once this file exists, the check prints all. */
let go: string
test.beforeEach(async () => {
  const folder = newDataDir()
  go = join(folder, 'go')
  const script = join(folder, 'broken.mjs')
  writeFileSync(
    script,
    `import { existsSync } from 'node:fs'
    import { DatabaseSync } from 'node:sqlite'
    if (process.argv.includes('self-check')) {
      const { exec } = DatabaseSync.prototype
      DatabaseSync.prototype.exec = function (sql) {
        if (sql.includes('USING fts5')) throw new Error('no such module: fts5')
        return exec.call(this, sql)
      }
      const { write } = process.stdout
      let lines = 0
      process.stdout.write = function (bytes, done) {
        lines += 1
        if (lines <= 3) return write.call(this, bytes, done)
        const timer = setInterval(() => {
          if (!existsSync(${JSON.stringify(go)})) return
          clearInterval(timer)
          write.call(this, bytes, done)
        }, 20)
        return true
      }
    }`,
  )
  world = await openChatWorld(undefined, { NODE_OPTIONS: `--import=${script}` })
})
test.afterEach(async () => {
  // In order, so that a check that still runs removes its folder.
  await world.host.stop()
  await world.close()
})

const { about } = words
const group = (page: Page) => page.getByRole('region', { name: about.check })
const start = (page: Page) => group(page).getByRole('button', { name: about.startCheck })
const lines = (page: Page) => group(page).getByRole('list', { name: about.checkResults }).getByRole('listitem')
/** Where libsecret is missing, the keychain fails too. */
const someFailed = /\d checks? failed\./
const progress = (page: Page) => group(page).getByRole('status')

async function openAbout(page: Page): Promise<void> {
  await goToPage(page, words.title)
  await page.getByRole('link', { name: about.title }).click()
}

test('a check lists each result as it comes, with its reason and what to do, and all can be copied', async ({
  page,
}) => {
  await allowClipboard(page)
  await world.enter(page)
  await openAbout(page)
  await start(page).click()
  await expect(lines(page)).toHaveCount(3)
  await expect(progress(page).filter({ hasText: about.checking })).toBeVisible()
  await expect(group(page).getByRole('button', { name: about.copyCheck })).toHaveCount(0)
  await takePictures(page, 'installation-running', true)
  writeFileSync(go, '')
  await expect(progress(page).filter({ hasText: someFailed })).toBeVisible({ timeout: 90_000 })

  const all = await lines(page).allInnerTexts()
  expect(all).toHaveLength(19)
  const of = (label: string) => lines(page).filter({ hasText: label }).first()
  await expect(of('Full-text search of SQLite')).toContainText(/^Failed.*no such module: fts5.*Start Inference Studio/s)
  await expect(of('Data folder, local API and sandbox')).toContainText(/^Skipped.*Solve “Full-text search/s)
  await expect(of('Process for schemas')).toContainText(/^OK.*accepts valid arguments, and refuses others/s)
  // The window has no such option.
  await expect(group(page)).not.toContainText('--wait')
  await expectAccessible(page)
  await takePictures(page, 'installation', true)

  await group(page).getByRole('button', { name: about.copyCheck }).click()
  const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\n')
  expect(copied).toHaveLength(19)
  expect(copied).toContainEqual(
    expect.stringMatching(
      /^Full-text search of SQLite \(FTS5\) \(failed\): no such module: fts5\. Start Inference Studio/,
    ),
  )
  expect(copied).toContain('Process for schemas (ok): accepts valid arguments, and refuses others')
  await group(page).getByRole('button', { name: about.checkAgain }).click()
  await expect(lines(page)).toHaveCount(19, { timeout: 90_000 })
})

test('a second check at the same time is refused in words, and works after the first', { tag: '@long' }, async ({
  page,
  context,
}) => {
  await world.enter(page)
  await openAbout(page)
  await start(page).click()
  await expect(lines(page)).toHaveCount(3)
  const other = await context.newPage()
  await other.goto(page.url())
  await start(other).click()
  const refusal = group(other).getByRole('alert')
  await expect(refusal).toContainText(windowText('problems:kinds.busy.title'))
  await expect(refusal).toContainText('A check of this installation is running, perhaps in another window.')
  await expect(lines(other)).toHaveCount(0)
  await takePictures(other, 'installation-busy', true)
  // Leaving the page ends the check.
  await page.getByRole('link', { name: words.shortcuts.title }).click()
  writeFileSync(go, '')
  // Its process may need a moment to end.
  await expect(async () => {
    if (await refusal.isVisible())
      await refusal.getByRole('button', { name: windowText('problems:kinds.busy.action') }).click()
    await expect(lines(other)).toHaveCount(19, { timeout: 10_000 })
  }).toPass({ timeout: 120_000 })
  await expect(refusal).toHaveCount(0)
})

test('the keyboard alone finds the check in the command palette, starts it and copies the results', {
  tag: '@long',
}, async ({ page }) => {
  await allowClipboard(page)
  await world.enter(page)
  writeFileSync(go, '')
  await page.keyboard.press('Control+k')
  await page.keyboard.type(about.check)
  await expect(page.getByRole('option', { name: about.check })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(start(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(progress(page).filter({ hasText: someFailed })).toBeVisible({ timeout: 90_000 })
  await expect(group(page).getByRole('button', { name: about.checkAgain })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('no such module: fts5')
})

test('its address opens the section and starts the check once', { tag: '@long' }, async ({ page }) => {
  await world.enter(page)
  await page.evaluate(() => {
    location.hash = '#/settings/check'
  })
  await expect(lines(page)).toHaveCount(3)
  await expect(page).toHaveURL(/#\/settings\/about$/)
  await page.reload()
  await expect(start(page)).toBeEnabled()
  await expect(lines(page)).toHaveCount(0)
})
