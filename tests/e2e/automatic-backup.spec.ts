import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { temporaryFolder } from '../helpers/folders.ts'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessibleEverywhere, openChatWorld } from './chatWorld.ts'
import { goToPage } from './journey.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => world.enter(page))

const group = (page: Page) => page.getByRole('region', { name: windowText('data:backup.title') })

test('Settings backs up every day to a folder, says when it did, and why it could not', { tag: '@long' }, async ({
  page,
}) => {
  const folder = mkdtempSync(join(temporaryFolder('studio-backups-'), 'folder-'))
  await goToPage(page, windowText('data:dataName.settings'))
  await page.getByRole('link', { name: windowText('settings:data.title'), exact: true }).click()
  const daily = group(page).getByRole('switch', { name: windowText('data:automatic.switch') })
  await expect(daily).toBeDisabled()
  const field = group(page).getByLabel(windowText('data:automatic.folder'))
  await field.fill(join(folder, 'missing'))
  await daily.click()
  await expect(group(page)).toContainText('missing for backups does not exist')
  await field.fill(folder)
  await page.keyboard.press('Enter')
  await expect(group(page)).toContainText('1 backup in this folder')
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^inference-studio-.*\.tar\.zst$/)])
  await group(page)
    .getByRole('radio', { name: windowText('data:automatic.keepFor.year') })
    .click()
  await expect(group(page)).toContainText(windowText('data:automatic.keepHint.year'))
  await group(page).scrollIntoViewIfNeeded()
  await expectAccessibleEverywhere(page, 'automatic-backup')
  // The choice is there after a reload.
  await page.reload()
  await expect(daily).toBeChecked()
  await expect(field).toHaveValue(folder)
})
