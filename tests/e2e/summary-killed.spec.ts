import { expect, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, line, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openSandbox, openWebHost } from './hosts.ts'
import { composer, goToPage, openContext, pickModel, quick, send, settled } from './journey.ts'

test.afterEach(closeHosts)

test('a summary whose program is killed during its request is shown as interrupted, and only the person asks again', {
  tag: '@long',
}, async ({ page }) => {
  // One token per second: the summary is still being written when the program is killed.
  const sandbox = await openSandbox({ paces: { ...quick, 'writer-large': 1 } })
  const dataDir = newDataDir()
  const open = () => openWebHost(dataDir, ['--base-url', sandbox.baseUrl], { INFERENCE_STUDIO_API_KEY: sandbox.apiKey })
  const host = await open()
  await page.goto(host.url)
  await expect(composer(page)).toBeVisible()
  await pickModel(page, 'mirror')
  for (const word of ['alpha', 'bravo']) {
    await send(page, `Remember ${word}.`)
    await settled(page, 'complete')
  }
  await pickModel(page, 'writer-large')
  await openContext(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: windowText('context:summariseOldest') }).click()
  await dialog.getByRole('button', { name: windowText('context:start'), exact: true }).click()
  const asked = () => sandbox.observe.requests().filter(({ model }) => model === 'writer-large')
  await expect(dialog.getByRole('status')).toContainText(windowText('context:running'))
  await expect.poll(() => asked().length).toBe(1)
  await expect.poll(() => sandbox.observe.openStreams()).toBe(1)
  await host.kill()
  await expect.poll(() => sandbox.observe.openStreams()).toBe(0)

  const later = await open()
  await page.goto(later.url)
  await line(page, 'Remember alpha').click()
  const interrupted = page.getByRole('button', { name: windowText('context:summaryInterrupted') })
  await expect(interrupted).toBeVisible()
  await expectAccessible(page, '.chat-composer-frame')
  await takePictures(page, 'context-summary-killed', true)
  await interrupted.press('Enter')
  await expect(dialog).toContainText(windowText('context:interrupted'))
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'context-summary-killed-dialog', true)
  // Nothing was sent again by itself, and the chat has every message.
  expect(asked()).toHaveLength(1)
  await dialog.getByRole('button', { name: windowText('context:dismiss'), exact: true }).press('Enter')
  await expect(dialog).not.toContainText(windowText('context:interrupted'))
  await page.keyboard.press('Escape')
  await expect(interrupted).toHaveCount(0)
  for (const word of ['alpha', 'bravo'])
    await expect(page.locator('article[data-role="user"]').filter({ hasText: `Remember ${word}.` })).toBeVisible()

  // The request log, which the dialog refers to, has the request.
  await goToPage(page, windowText('shell:pages.proxy'))
  const row = page.getByRole('row').filter({ hasText: 'writer-large' })
  await expect(row).toHaveCount(1)
  // Neither its result nor its cost is known.
  await expect(row).toContainText(windowText('proxy:log.states.unknown'))
  await takePictures(page, 'request-log-after-kill')
})
