// @module-tag chromium
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ForbiddenListeners, openForbiddenListeners, play } from '../../e2e/forbiddenListeners.ts'
import { askModel, composer, lastReply } from '../../e2e/journey.ts'
import type { Desktop } from '../../helpers/electron/launch.ts'
import { hostilePages, hostileReplies } from '../../helpers/hostile.ts'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, openedOutside, tidy, watchOutside } from './fixtures.ts'

// The desktop shows previews below its own scheme, with other handlers of navigation, windows and permissions than the web host.
// pageWindows.test.ts runs their scripts.

let listeners: ForbiddenListeners
let desktop: Desktop
let address = ''

beforeAll(async () => {
  listeners = await openForbiddenListeners()
  desktop = (await launchConnected({ paces: { 'document-writer': 4_000 } })).desktop
  await watchOutside(desktop)
  const { page } = desktop
  await askModel(page, 'document-writer', 'Write a page.')
  await lastReply(page)
    .getByRole('button', { name: windowText('preview:open'), exact: true })
    .click()
  await page.frameLocator('.chat-preview-frame').frameLocator('iframe:not([data-loading])').locator('body').waitFor()
  address = page.url()
  await page.evaluate(() => Object.assign(globalThis, { stays: true }))
})
afterAll(async () => {
  await tidy()
  listeners.close()
})

/** Everything that a document may have caused outside of its frame. */
async function effects(): Promise<unknown[]> {
  const { page, evaluate } = desktop
  const windows = await evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
  const stays = await page.evaluate(() => 'stays' in globalThis && document.title !== 'owned')
  return [
    ...listeners.reached(),
    ...(await openedOutside(desktop)),
    ...(windows === 1 ? [] : [`${windows} windows`]),
    ...(page.url() === address ? [] : [`navigation ${page.url()}`]),
    ...(stays ? [] : ['another page']),
  ]
}

test('a document in the preview runs no script below the scheme of the desktop', async () => {
  const { page } = desktop
  await play(page, '<p>here</p><script>document.title = "ran"</script>')
  const document = page.frameLocator('.chat-preview-frame').locator('iframe:not([data-loading])')
  expect(await document.getAttribute('sandbox')).toBe('')
  const frame = await (await document.elementHandle())?.contentFrame()
  expect(await frame?.locator('p').textContent()).toBe('here')
  expect(await frame?.title()).toBe('')
  expect(await effects()).toEqual([])
})

test('hostile pages in the preview reach nothing, open nothing outside, and the window stays', async () => {
  const { page } = desktop
  const pages = hostilePages()
  expect(pages.length).toBeGreaterThan(20)
  await composer(page).focus()
  for (const { name, text } of pages) {
    await page.keyboard.press('x')
    await play(page, listeners.withAddresses(text))
    expect(await effects(), name).toEqual([])
  }
  expect(await composer(page).inputValue(), 'every key').toBe('x'.repeat(pages.length))
})

test('the corpus of hostile replies reaches nothing as documents either', { tags: 'long' }, async () => {
  const corpus = hostileReplies().filter((_, at) => process.env.HOSTILE === 'all' || at % 9 === 0)
  for (const { name, text } of corpus) {
    await play(desktop.page, text)
    expect(await effects(), name).toEqual([])
  }
})
