import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { sectionNames } from '../../src-renderer/features/settings/sections.ts'
import { settings as words } from '../../src-renderer/i18n/en/settings.ts'
import { slowness } from '../helpers/longestTurn.ts'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, openChatWorld, takePictures } from './chatWorld.ts'
import { newDataDir, openSandbox, openWebHost } from './hosts.ts'
import { composer, goToPage, lastReply, pickModel, settled } from './journey.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())

const list = (page: Page) => page.getByRole('navigation', { name: words.parts })
const open = async (page: Page, title: string): Promise<void> => {
  await list(page).getByRole('link', { name: title }).click()
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
}
test('each section is a page with its own address, and the list marks the open one', { tag: '@long' }, async ({
  page,
}) => {
  await world.enter(page)
  await goToPage(page, words.title)
  for (const name of sectionNames) {
    const { title } = words[name]
    await open(page, title)
    await expect(page).toHaveURL(new RegExp(`#/settings/${name}$`))
    await expect(page.getByRole('main').getByRole('region', { name: title, exact: true })).toBeFocused()
    // The list marks this section and no other one.
    await expect(list(page).locator('[aria-current="page"]')).toHaveText(title)
    await expectAccessible(page)
    await takePictures(page, `settings-${name}`, true)
  }
  await page.goBack()
  await expect(list(page).locator('[aria-current="page"]')).toHaveText(words.shortcuts.title)
})

test('font size, density and theme apply at once and after a reload', { tag: '@long' }, async ({ page }) => {
  await world.enter(page)
  await goToPage(page, words.title)
  await open(page, words.appearance.title)
  const height = () =>
    list(page)
      .getByRole('link')
      .first()
      .evaluate((link) => link.getBoundingClientRect().height)
  const normal = await height()
  await page.getByRole('radio', { name: words.appearance.sizes.largest }).click()
  await expect.poll(height).toBeGreaterThan(normal * 1.2)
  await expectAccessible(page)
  await page.getByRole('radio', { name: words.appearance.sizes.normal }).click()
  await page.getByRole('radio', { name: words.appearance.densities.compact }).click()
  await expect.poll(height).toBeLessThan(normal)
  const compact = await height()
  await page.reload()
  await expect.poll(height).toBe(compact)
  await page.getByRole('radio', { name: words.appearance.densities.comfortable }).click()
  await expect.poll(height).toBe(normal)
})

test('Enter starts a new line where Ctrl+Enter was chosen to send', { tag: '@long' }, async ({ page }) => {
  await world.enter(page)
  await goToPage(page, words.title)
  await open(page, words.chat.title)
  await page.getByRole('radio', { name: 'Ctrl+Enter' }).click()
  await goToPage(page, windowText('settings:chat.title'))
  await pickModel(page, 'mirror')
  await expect(page.getByText('Ctrl+Enter to send, Enter for a new line')).toBeVisible()
  await composer(page).fill('One')
  await composer(page).press('Enter')
  await composer(page).pressSequentially('two')
  await expect(composer(page)).toHaveValue('One\ntwo')
  await composer(page).press('Control+Enter')
  await settled(page, 'complete')
  await expect(lastReply(page)).toContainText('two')
  await goToPage(page, words.title)
  await open(page, words.chat.title)
  await page.getByRole('radio', { name: 'Enter', exact: true }).click()
})

test('the language follows the system until one is chosen, which changes the document at once', {
  tag: '@long',
}, async ({ page }) => {
  await world.enter(page)
  await goToPage(page, words.title)
  await open(page, words.language.title)
  // Its label is translated, too.
  const choice = page.getByRole('main').getByRole('combobox')
  const [first, ...others] = await choice.getByRole('option').allTextContents()
  expect(first).toBe('System (English)')
  expect(others).toContain('English')
  await expect(choice).toHaveValue('system')
  for (const name of others.filter((one) => one !== 'English')) {
    await choice.selectOption({ label: name })
    await expect(page.locator('html')).not.toHaveAttribute('lang', 'en')
    await choice.selectOption({ label: 'English' })
  }
  await choice.selectOption('en')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  await expect(page.locator('html')).toHaveAttribute('dir', 'ltr')
})

test('a key file in place of the keychain is named where a key is stored', async ({ page }) => {
  const keyFile = join(newDataDir(), 'keys.json')
  const sandbox = await openSandbox()
  const host = await openWebHost(newDataDir(), [], { INFERENCE_STUDIO_KEY_FILE: keyFile })
  await page.goto(host.url)
  await page.getByRole('button', { name: 'Connect', exact: true }).first().click()
  await page.getByRole('textbox', { name: windowText('connect:baseUrl') }).fill(sandbox.baseUrl)
  await page.getByLabel('API key', { exact: true }).fill(sandbox.apiKey)
  await page.getByRole('radio', { name: windowText('connect:saveInKeyFile') }).check()
  await expect(page.getByText(`Saved in ${keyFile} for next time.`)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Connect', exact: true }).last().click()
  await expect(composer(page)).toBeVisible({ timeout: 30_000 })
  await goToPage(page, words.title)
  await open(page, words.connection.title)
  await expect(page.getByText('Key: in the key file')).toBeVisible()
  await open(page, words.data.title)
  await expect(page.getByText(`${keyFile}, not encrypted`)).toBeVisible()
  await expect(page.getByRole('main').getByText(/keychain/i)).toHaveCount(0)
  await expectAccessible(page)
  await takePictures(page, 'settings-key-file', true)
})

/** Names of the files of texts that the page has read so far, such as `de` and `de-proxy`. */
const textFiles = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .flatMap(({ name }) => /texts-(.+)-[\w-]{8}\.js$/.exec(new URL(name).pathname)?.[1] ?? []),
  )

test('a change of the language reads what the page shows first, then the rest, and takes at most 50 ms', {
  tag: '@long',
}, async ({ page }) => {
  // The browser keeps 250 entries by default.
  await page.addInitScript(() => performance.setResourceTimingBufferSize(10_000))
  await world.enter(page)
  await goToPage(page, words.title)
  await open(page, words.language.title)
  await expect.poll(async () => (await textFiles(page)).length).toBe(5)
  expect((await textFiles(page))[0]).toBe('en')
  const devTools = await page.context().newCDPSession(page)
  // Processor time, which other programs do not change.
  await devTools.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' })
  await devTools.send('Performance.enable')
  /** The page's own work, ms: without the driver of the test, which uses the same thread. */
  const workMs = async (): Promise<number> => {
    const { metrics } = await devTools.send('Performance.getMetrics')
    const own = metrics.filter(({ name }) => /^(Script|RecalcStyle|Layout|V8Compile)Duration$/.test(name))
    return own.reduce((sum, { value }) => sum + 1000 * value, 0)
  }
  const choice = page.getByRole('main').getByRole('combobox')
  const change = async (language: string): Promise<number> => {
    const before = await workMs()
    await choice.selectOption(language)
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    return (await workMs()) - before
  }
  const took: Record<string, number> = {}
  for (const language of ['de', 'es', 'fr', 'ar', 'ja']) {
    took[language] = await change(language)
    const own = async () => (await textFiles(page)).filter((name) => name.split('-')[0] === language)
    await expect.poll(async () => (await own()).length).toBe(5)
    // What the page shows is read first, the rest when it is shown.
    expect((await own()).slice(0, 2).toSorted()).toEqual([language, `${language}-settings`])
  }
  // The first change to a script also reads the system's font for it, which is no matter of the texts: the second does not.
  for (const language of ['ar', 'ja', 'en']) took[language] = await change(language)
  test.info().annotations.push({ type: 'ms', description: JSON.stringify(took) })
  // The least of several: what else the window did at that moment is no matter of the texts either.
  const least = (languages: string[]): number => Math.min(...languages.map((one) => took[one] ?? Number.NaN))
  expect(least(['de', 'es', 'fr'])).toBeLessThan(50 * slowness())
  expect(least(['ar', 'ja'])).toBeLessThan(50 * slowness())
})

test('a page whose texts can not be loaded says so, shows no keys, and loads them when asked again', {
  tag: '@long',
}, async ({ page }) => {
  let isRefused = true
  await page.route('**/texts-en-proxy-*.js', (route) => (isRefused ? route.abort() : route.continue()))
  await world.enter(page)
  await page.evaluate(() => {
    location.hash = '#/proxy'
  })
  const notice = page
    .getByRole('alert')
    .filter({ hasText: windowText('common:pageTexts.failed') })
    .last()
  await expect(notice).toBeVisible()
  await expect(page.getByRole('main').getByRole('heading')).toHaveCount(0)
  isRefused = false
  await notice.getByRole('button', { name: windowText('common:pageTexts.retry') }).click()
  await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toHaveText(windowText('proxy:title'))
})
