import { expect, test } from '@playwright/test'
import { databaseFile } from '../../src-main/core/store/store.ts'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { problems } from '../../src-renderer/i18n/en/problems.ts'
import { lock } from '../core/helpers/lock.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessibleInDark } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox } from './hosts.ts'
import { goToPage, quick, send, settled } from './journey.ts'

let sandbox: Sandbox
test.beforeEach(async () => {
  sandbox = await openSandbox({ paces: quick })
})
test.afterEach(closeHosts)

test('while another program locks the database, every page says that changes are not saved, and stops saying so by itself', {
  tag: '@long',
}, async ({ page }) => {
  const host = await openConnectedHost(sandbox)
  await page.goto(host.url)
  const notice = page.getByRole('alert').filter({ hasText: problems.storage.title })
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
  await expect(notice).toHaveCount(0)

  const release = lock(databaseFile(host.ready.dataDir))
  try {
    await page.getByRole('textbox', { name: 'Message' }).fill('A draft that cannot be saved')
    await expect(notice).toContainText(problems.kinds.database_locked.meaning)
    await expect(notice).toContainText(problems.storage.meaning)
    await notice.getByRole('button', { name: problems.storage.action }).click()
    await goToPage(page, windowText('shell:pages.settings'))
    await expect(notice).toBeVisible()
    await expectAccessibleInDark(page, 'storage-locked')
  } finally {
    release()
  }
  await expect(notice).toHaveCount(0)
  await goToPage(page, windowText('shell:pages.chat'))
  await send(page, 'Is this saved?')
  await settled(page, 'complete')
})
