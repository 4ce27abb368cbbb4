import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { temporaryFolder } from '../helpers/folders.ts'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, openChatWorld, takePictures } from './chatWorld.ts'
import { goToPage } from './journey.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => world.enter(page))

const group = (page: Page) => page.getByRole('region', { name: windowText('data:sync.title') })

test('Settings writes the file of this computer by keyboard, and names a file that is incomplete', {
  tag: '@long',
}, async ({ page }) => {
  const folder = mkdtempSync(join(temporaryFolder('studio-shared-'), 'folder-'))
  await goToPage(page, windowText('data:dataName.settings'))
  await page.getByRole('link', { name: windowText('settings:data.title'), exact: true }).click()
  const field = group(page).getByLabel(windowText('data:sync.folder'))
  await field.fill(join(folder, 'missing'))
  await page.keyboard.press('Enter')
  await expect(group(page)).toContainText('no such file or folder')
  await field.fill(folder)
  await page.keyboard.press('Enter')
  await expect(group(page).getByRole('status')).toContainText(windowText('data:sync.alone'))
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^inference-studio-[\da-f-]{36}\.zip$/)])
  writeFileSync(join(folder, 'inference-studio-other (conflicted copy).zip'), 'PK\u0003\u0004 half')
  await group(page)
    .getByRole('button', { name: windowText('data:sync.run') })
    .click()
  await expect(group(page).getByRole('status')).toContainText(
    'inference-studio-other (conflicted copy).zip was not merged: The file is damaged or cut off.',
  )
  // The result is there after a reload, and says when it was.
  await page.reload()
  await expect(group(page)).toContainText('The file is damaged or cut off.')
  await expect(group(page)).toContainText('Synced')
  await expect(field).toHaveValue(folder)
  // Automatically: at once, and with an interval.
  const automatic = group(page).getByRole('switch', { name: windowText('data:sync.automatic') })
  const before = readdirSync(folder).length
  writeFileSync(join(folder, 'inference-studio-third.zip'), 'PK\u0003\u0004 half')
  await automatic.press('Space')
  await expect(group(page)).toContainText('inference-studio-third.zip was not merged')
  expect(readdirSync(folder)).toHaveLength(before + 1)
  await group(page).getByRole('radio', { name: '60 min' }).click()
  await expect(group(page).getByRole('radio', { name: '60 min' })).toBeChecked()
  await group(page).scrollIntoViewIfNeeded()
  await expectAccessible(page)
  await takePictures(page, 'settings-sync', true)
})
