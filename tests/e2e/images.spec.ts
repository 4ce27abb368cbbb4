import { readFileSync } from 'node:fs'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { unzipSync } from 'fflate'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { allowClipboard, expectAccessible, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openSandbox, openWebHost } from './hosts.ts'
import { askModel, connectTo, goToPage, lastReply, quick } from './journey.ts'

// Long journeys with several axe runs, possibly on a busy machine.
// Independent tests: any free worker takes the next one.
test.describe.configure({ mode: 'parallel', timeout: 90_000 })
let sandbox: Sandbox

test.beforeEach(async ({ page }) => {
  sandbox = await openSandbox({ paces: quick })
  const host = await openWebHost(newDataDir())
  await allowClipboard(page)
  await page.goto(host.url)
  await connectTo(page, sandbox.baseUrl, sandbox.apiKey)
  await goToPage(page, windowText('images:title'))
})
test.afterEach(closeHosts)

const prompt = (page: Page): Locator =>
  page.getByRole('textbox', { name: windowText('images:details.prompt'), exact: true })
const gallery = (page: Page): Locator => page.getByRole('listbox', { name: windowText('images:gallery.label') })
const pictures = (page: Page): Locator => gallery(page).getByRole('option')
const inspector = (page: Page): Locator => page.getByRole('complementary', { name: windowText('common:inspector') })
const light = (page: Page): Locator => page.locator('dialog.lightbox')
const strip = (page: Page, words: string): Locator => page.getByRole('article').filter({ hasText: words })

async function draw(page: Page, words: string, n = 1): Promise<void> {
  await page.getByRole('radio', { name: String(n), exact: true }).click()
  await prompt(page).fill(words)
  await prompt(page).press('Enter')
}

/** The inspector is closed at first. */
async function openInspector(page: Page): Promise<void> {
  if ((await inspector(page).count()) > 0) return
  await page.getByRole('button', { name: windowText('common:inspector'), exact: true }).click()
  await expect(inspector(page)).toBeVisible()
}

/** A field of the next request in the inspector. */
async function option(page: Page, name: string): Promise<Locator> {
  await openInspector(page)
  return inspector(page).getByRole('textbox', { name, exact: true })
}

/** The model's name selects the sandbox's fault. */
async function sendModel(page: Page, model: string): Promise<void> {
  await (await option(page, windowText('images:advanced.model'))).fill(model)
}

/** Natural size of the image once it is painted. */
const painted = (image: Locator) =>
  expect.poll(() => image.evaluate((one: HTMLImageElement) => (one.complete ? one.naturalWidth : 0))).toBeGreaterThan(0)

async function clean(page: Page, name: string): Promise<void> {
  await takePictures(page, `images-${name}`, true)
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    for (const width of [1200, 700]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    }
    await page.setViewportSize({ width: 1200, height: 800 })
    await expectAccessible(page)
  }
}

test('images from URLs and base64 are stored as they arrive and show their cost [IMG-01] [IMG-02] [IMG-03]', async ({
  page,
}) => {
  await expect(page.getByRole('heading', { name: windowText('images:empty.title') })).toBeVisible()
  await expect(
    page.getByRole('radiogroup', { name: windowText('images:composer.number') }).getByRole('radio'),
  ).toHaveCount(4)
  // Model and size are in the inspector, which says that the service ignores them.
  await expect(page.getByRole('textbox')).toHaveCount(2)
  await (await option(page, windowText('images:advanced.size'))).fill('640x480')
  await expect(inspector(page)).toContainText(windowText('images:advanced.ignoredAbout'))
  await draw(page, 'A lighthouse at dusk', 3)
  await expect(pictures(page)).toHaveCount(3)
  await expect(page.getByRole('article', { name: /lighthouse/ })).toHaveCount(0)

  await (await option(page, windowText('images:advanced.format'))).fill('b64_json')
  await (await option(page, windowText('images:advanced.size'))).fill('')
  await draw(page, 'An old map of an island')
  await expect(pictures(page)).toHaveCount(4)
  await expect(gallery(page).locator('.images-group-title')).toHaveText([
    'An old map of an island',
    'A lighthouse at dusk',
  ])
  const asked = sandbox.observe.requests().filter(({ path }) => path === '/v1/images/generations')
  expect(asked).toHaveLength(2)
  expect(
    sandbox.observe.requests().filter(({ path }) => path.startsWith('/v1/images/') && path.endsWith('.png')),
  ).toHaveLength(3)

  // Each image gets one thumbnail, created by the window and stored by the core.
  await expect(gallery(page).locator('img')).toHaveCount(4)
  const small = await gallery(page)
    .locator('img')
    .evaluateAll((all) =>
      Promise.all(
        all.map(async (one) => {
          const reply = await fetch((one as HTMLImageElement).src)
          const bitmap = await createImageBitmap(await reply.blob())
          return { type: reply.headers.get('content-type'), side: Math.max(bitmap.width, bitmap.height) }
        }),
      ),
    )
  for (const { type, side } of small) {
    expect(type).toBe('image/webp')
    expect(side).toBeLessThanOrEqual(512)
  }

  await gallery(page).focus()
  await page.keyboard.press('End')
  await openInspector(page)
  await expect(inspector(page)).toContainText('A lighthouse at dusk')
  await expect(inspector(page)).toContainText('“640x480” was sent but not used')
  await expect(inspector(page)).toContainText(/0\.12 SC (measured|est\.)/)
  const real = /(\d+) × (\d+)/.exec(
    await inspector(page)
      .getByText(/\d+ × \d+/)
      .innerText(),
  )
  expect(Number(real?.[1])).toBeGreaterThan(100)
  await clean(page, 'gallery')
  await inspector(page)
    .getByRole('button', { name: /^Show request \d+ in the log/ })
    .first()
    .click()
  await expect(page.getByRole('region', { name: windowText('proxy:detail.label') })).toContainText(
    '/v1/images/generations',
  )
})

test('a foreign URL is refused and shown, a failure says why, a cancelled request ends at once [GEN-01]', async ({
  page,
}) => {
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(request.url()))
  await sendModel(page, 'fault/foreign-url')
  await draw(page, 'A harbour elsewhere', 2)
  const foreign = strip(page, 'A harbour elsewhere')
  await expect(foreign).toContainText('Blocked address')
  await expect(foreign.locator('code').first()).toContainText('http://images.example/v1/images/')
  await expect(foreign.locator('code')).toHaveCount(2)
  await expect(foreign.getByRole('note')).toHaveCount(1)
  await expect(foreign.getByRole('link')).toHaveCount(0)
  await foreign
    .getByRole('button', { name: windowText('images:under.copyAddress') })
    .first()
    .click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^http:\/\/images\.example\/v1\/images\//)
  expect(fetched.filter((address) => address.includes('images.example'))).toEqual([])

  await sendModel(page, 'fault/402')
  await draw(page, 'A tower of gold')
  await expect(strip(page, 'A tower of gold').getByRole('alert')).toContainText(/credit/i)
  await clean(page, 'troubles')
  await strip(page, 'A tower of gold')
    .getByRole('button', { name: windowText('images:under.dismiss') })
    .click()
  await expect(strip(page, 'A tower of gold')).toHaveCount(0)

  const generations = () => sandbox.observe.requests().filter(({ path }) => path === '/v1/images/generations')
  const before = generations().length
  await sendModel(page, 'fault/slow-headers')
  await draw(page, 'A slow train', 4)
  const slow = strip(page, 'A slow train')
  // The images have their places, which they will fill.
  await expect(page.locator('.images-card-place')).toHaveCount(4)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await takePictures(page, 'images-running', true)
  await expect(slow).toContainText(/\d\.\d s/)
  await expect(slow).toContainText(windowText('images:under.waiting'))
  await expect.poll(() => generations().length).toBe(before + 1)
  const record = generations().at(-1)
  await page.keyboard.press('Escape')
  await expect(slow).toHaveAttribute('data-state', 'cancelled')
  expect((await sandbox.observe.whenClosed(record?.id ?? '')).closedByClient).toBe(true)
  await expect(slow.getByRole('button', { name: windowText('images:under.again') })).toBeVisible()

  // A reload shows the images that arrived. The earlier failure is in the list.
  await sendModel(page, '')
  await draw(page, 'A calm sea')
  await expect(pictures(page)).toHaveCount(1)
  await expect(page.getByRole('article')).toHaveCount(0)
  await page
    .getByRole('navigation', { name: windowText('images:list.label') })
    .getByRole('button', { name: /^A harbour/ })
    .click()
  await expect(foreign).toContainText('Blocked address')
})

test('the gallery by keyboard alone: navigate, zoom, select, save, search, delete and restore', {
  tag: '@long',
}, async ({ page }) => {
  await draw(page, 'A fox in an orchard', 4)
  await expect(pictures(page)).toHaveCount(4)
  await draw(page, 'A glass tower at noon', 2)
  await expect(pictures(page)).toHaveCount(6)
  await gallery(page).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(gallery(page).locator('[data-current="true"]')).toHaveCount(1)
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')

  // The lightbox: zoom, next image, slideshow, Esc.
  await expect(light(page)).toBeVisible()
  await expect(light(page)).toContainText('1 of 6')
  await painted(light(page).locator('.lightbox-view img'))
  const width = () =>
    light(page)
      .locator('.lightbox-view img')
      .evaluate((image) => image.getBoundingClientRect().width)
  const fitted = await width()
  for (const _ of [1, 2, 3]) await page.keyboard.press('+')
  expect(await width()).toBeGreaterThan(fitted * 1.8)
  await page.keyboard.press('0')
  expect(await width()).toBeCloseTo(fitted, 0)
  await light(page).locator('.lightbox-view').hover()
  await page.mouse.wheel(0, -400)
  await expect.poll(width).toBeGreaterThan(fitted * 1.5)
  await page.keyboard.press('ArrowRight')
  await expect(light(page)).toContainText('2 of 6')
  // Dark in both themes, with three labelled actions and the rest in a menu.
  const bar = light(page).getByRole('banner').or(light(page).locator('header')).getByRole('button')
  await expect(bar).toHaveText(['Download', 'Use in chat', 'Delete', '', ''])
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(light(page)).toHaveCSS('background-color', 'rgb(22, 22, 24)')
  }
  await page.keyboard.press('f')
  await light(page)
    .getByRole('button', { name: windowText('lightbox:more') })
    .press('Enter')
  await expect(light(page).getByRole('menuitem', { name: windowText('images:actions.unfavourite') })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(light(page).getByRole('menu')).toHaveCount(0)
  await expect(light(page).getByRole('button', { name: windowText('lightbox:more') })).toBeFocused()
  await page.keyboard.press('i')
  await expect(light(page).getByRole('region', { name: windowText('images:details.label') })).toContainText(
    'A glass tower at noon',
  )
  await clean(page, 'light')
  // On the button of the menu, the space bar would open the menu.
  await light(page).focus()
  await page.keyboard.press('Space')
  await expect(light(page)).toContainText('3 of 6')

  // The next image takes the place of a deleted one, which can be restored.
  await page.keyboard.press('Space')
  await page.keyboard.press('Home')
  await page.keyboard.press('Delete')
  await expect(light(page)).toContainText('1 of 5')
  await light(page)
    .getByRole('button', { name: windowText('images:undo') })
    .click()
  await expect(light(page)).toContainText('1 of 6')
  await expect(page.getByText(/not there any more|no longer exists/)).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(light(page)).toBeHidden()
  await expect(gallery(page)).toBeFocused()

  // Several images are saved as a zip file.
  await page.keyboard.press('Home')
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+End')
  await expect(page.getByRole('toolbar', { name: windowText('images:picked.label') })).toContainText('6 selected')
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('toolbar')
      .getByRole('button', { name: windowText('images:actions.download') })
      .click(),
  ])
  const files = Object.entries(unzipSync(readFileSync(await zip.path()))).filter(([name]) => name.endsWith('.png'))
  expect(files).toHaveLength(6)
  for (const [, bytes] of files) expect(Buffer.from(bytes.subarray(1, 4)).toString()).toBe('PNG')

  // Deletes in several steps and undoes them in reverse order.
  const prompts = page.getByRole('navigation', { name: windowText('images:list.label') })
  await gallery(page).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Delete')
  await expect(pictures(page)).toHaveCount(5)
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await expect(pictures(page)).toHaveCount(0)
  await expect(prompts.getByRole('button', { name: /^A fox in an orchard Deleted/ })).toBeVisible()
  await page.keyboard.press('Control+z')
  await expect(pictures(page)).toHaveCount(5)
  await page.getByRole('button', { name: windowText('images:undo') }).click()
  await expect(pictures(page)).toHaveCount(6)
  await expect(prompts.getByRole('button', { name: /^A fox in an orchard 4 images/ })).toBeVisible()

  const search = page.getByRole('textbox', { name: windowText('images:search') })
  await gallery(page).focus()
  await page.keyboard.press('Control+f')
  await expect(search).toBeFocused()
  await search.fill('fox')
  await expect(pictures(page)).toHaveCount(4)
  // The same search for the prompts of the list.
  await expect(prompts.getByRole('button', { name: /^A fox/ })).toBeVisible()
  await expect(prompts.getByRole('button', { name: /^A glass tower/ })).toHaveCount(0)
  await search.fill('zebra')
  await expect(page.getByRole('heading', { name: windowText('images:nothing.title') })).toBeVisible()
  await page.getByRole('button', { name: windowText('images:nothing.action') }).focus()
  await page.keyboard.press('Control+f')
  await expect(search).toBeFocused()
  await page
    .getByRole('main')
    .getByRole('button', { name: windowText('images:nothing.action') })
    .click()
  await prompts.getByRole('button', { name: /^A glass tower/ }).click()
  await expect(pictures(page)).toHaveCount(6)
  await expect(gallery(page).locator('[data-current="true"]')).toHaveAttribute('aria-label', /^A glass tower/)
  await page.getByRole('button', { name: windowText('images:favouritesOnly') }).click()
  await expect(pictures(page)).toHaveCount(1)
})

test('an image is varied with its lineage, copied, dragged and used in chat; everything stays available offline', {
  tag: '@long',
}, async ({ page }) => {
  await draw(page, 'A fox in an orchard')
  await expect(pictures(page)).toHaveCount(1)
  await gallery(page).focus()
  await openInspector(page)
  await inspector(page)
    .getByRole('button', { name: windowText('images:actions.vary') })
    .click()
  await expect(prompt(page)).toHaveValue('A fox in an orchard')
  await expect(page.getByText(windowText('images:composer.varies'))).toBeVisible()
  await draw(page, 'A fox in an orchard, in snow')
  await expect(pictures(page)).toHaveCount(2)
  await gallery(page).focus()
  await page.keyboard.press('Home')
  const tree = inspector(page).getByRole('tree', { name: windowText('images:lineage.title') })
  await expect(tree.getByRole('treeitem')).toHaveCount(2)
  await expect(tree.locator('[aria-current="true"]')).toContainText('in snow')
  await tree.locator('[aria-current="true"]').focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await expect(tree.locator('[aria-current="true"]')).not.toContainText('in snow')

  await inspector(page)
    .getByRole('button', { name: windowText('images:commands.copy') })
    .click()
  await expect(page.getByText(windowText('images:actions.copied')).first()).toBeVisible()
  const types = await page.evaluate(async () => (await navigator.clipboard.read()).flatMap((item) => item.types))
  expect(types).toContain('image/png')
  const dragged = await pictures(page)
    .first()
    .evaluate((card) => {
      const data = new DataTransfer()
      card.dispatchEvent(new DragEvent('dragstart', { dataTransfer: data, bubbles: true, cancelable: true }))
      return data.getData('DownloadURL')
    })
  expect(dragged).toMatch(/^image\/png:A fox in an orchard, in snow\.png:http:\/\/127\.0\.0\.1:\d+\/media\//)

  const pixels = /(\d+) × (\d+)/.exec(
    await inspector(page)
      .getByText(/\d+ × \d+/)
      .innerText(),
  )
  await inspector(page)
    .getByRole('button', { name: windowText('images:actions.chat') })
    .click()
  await expect(page.locator('.composer-picture[data-state="ready"]')).toHaveCount(1)
  await askModel(page, 'vision', 'What do you see?')
  await expect(lastReply(page)).toContainText(new RegExp(`${pixels?.[1]}.{1,3}${pixels?.[2]}`))

  // The service is unreachable: images and thumbnails remain, and a new request says why it fails.
  await page.goto(`${new URL(page.url()).origin}/#/images`)
  await expect(gallery(page).locator('img')).toHaveCount(2)
  const shownAs = () =>
    gallery(page)
      .locator('img')
      .evaluateAll((all) => all.map((one) => one.getAttribute('src')))
  const made = await shownAs()
  await sandbox.close()
  await page.goto(`${new URL(page.url()).origin}/#/images`)
  await page.reload()
  await expect(pictures(page)).toHaveCount(2)
  for (const image of await gallery(page).locator('img').all()) await painted(image)
  expect(await shownAs()).toEqual(made)
  await gallery(page).focus()
  await page.keyboard.press('Enter')
  await painted(light(page).locator('.lightbox-view img'))
  await page.keyboard.press('Escape')
  await draw(page, 'A wish without a service')
  await expect(strip(page, 'A wish without a service').getByRole('alert')).toBeVisible({ timeout: 30_000 })
  await expect(pictures(page)).toHaveCount(2)
})
