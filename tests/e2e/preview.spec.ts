import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { allowClipboard, type ChatWorld, expectAccessible, newChat, openChatWorld, takePictures } from './chatWorld.ts'
import { askModel, composer, lastReply, pickModel, replies, send, settled } from './journey.ts'
import { scripted, startScripted } from './scripted.ts'

// Code blocks beside the chat, as a person uses them. preview-isolation.spec.ts tests that hostile ones reach nothing.

let world: ChatWorld
let service: Awaited<ReturnType<typeof startScripted>>
/** The reply of the scripted model, which the test writes part by part. */
const written = new PassThrough({ encoding: 'utf8' })
test.beforeAll(async () => {
  world = await openChatWorld(async ({ baseUrl }) => {
    service = await startScripted(baseUrl, () => ({ text: written }))
    return service.baseUrl
  })
})
test.afterAll(async () => {
  await world.close()
  await service.close()
})

const model = 'document-writer'
const panel = (page: Page) => page.getByRole('region', { name: windowText('preview:region') })
const open = (page: Page) => lastReply(page).getByRole('button', { name: windowText('preview:open'), exact: true })
/** The document inside the frame of the preview. */
const inside = (page: Page) => page.frameLocator('.chat-preview-frame').frameLocator('iframe:not([data-loading])')
const view = (page: Page, name: 'viewPreview' | 'viewCode' | 'viewChanges') =>
  panel(page).getByRole('radio', { name: windowText(`preview:${name}`) })

test('a page is shown while it is written', { tag: '@long' }, async ({ page }) => {
  await world.enter(page)
  await pickModel(page, scripted)
  await send(page, 'Write a page about walks.')
  written.write('```html\n<h1>Harbour walks</h1>\n<p>The pier, 2 km</p>\n')
  await open(page).click()
  await expect(panel(page).getByRole('heading', { name: 'Harbour walks' })).toBeVisible()
  await expect(inside(page).getByText('The pier, 2 km')).toBeVisible()
  for (const walk of ['The lighthouse, 5 km', 'The dunes, 8 km']) {
    await expect(inside(page).getByText(walk)).toHaveCount(0)
    written.write(`<p>${walk}</p>\n`)
    await expect(inside(page).getByText(walk)).toBeVisible()
    await expect(lastReply(page)).toHaveAttribute('data-status', 'streaming')
  }
  written.write('```\n')
  written.end()
  await settled(page, 'complete')
  await expect(inside(page).getByText('The dunes, 8 km')).toBeVisible()
})

test('the scripts of a page run in the browser when asked to, and the next reply is its second version', {
  tag: '@long',
}, async ({ page }) => {
  await world.enter(page)
  await pickModel(page, model)
  await send(page, 'Write a page about walks.')
  await settled(page, 'complete')
  await open(page).click()
  await expect(panel(page).getByRole('heading', { name: 'Harbour walks' })).toBeVisible()
  await expect(inside(page).getByRole('heading', { name: 'Harbour walks' })).toBeVisible()

  const button = inside(page).getByRole('button', { name: 'Walked' })
  await expect(button).toBeVisible()
  await button.click()
  await expect(button).toHaveText('Walked: 0')
  const run = panel(page).getByRole('button', { name: windowText('preview:runScripts') })
  await run.click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText(windowText('preview:browserAbout'))
  await takePictures(page, 'preview-run', true)
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    dialog.getByRole('button', { name: windowText('preview:browserConfirm') }).click(),
  ])
  await tab.getByRole('button', { name: 'Walked' }).click()
  await expect(tab.getByRole('button', { name: 'Walked' })).toHaveText('Walked: 1')
  await tab.close()
  await expect(composer(page)).toBeFocused()
  // In the narrow chat beside the preview, Send stays in the row of the model.
  const middle = async (one: Locator) => {
    const box = await one.boundingBox()
    return Math.round((box?.y ?? 0) + (box?.height ?? 0) / 2)
  }
  const sendButton = page.getByRole('button', { name: windowText('chat:send'), exact: true })
  expect(await middle(sendButton)).toBe(await middle(page.getByRole('button', { name: /^Model:/ })))
  await expectAccessible(page)
  await takePictures(page, 'preview-page', true)

  // The preview follows to the next version.
  await send(page, 'Make the last walk longer.')
  await expect(replies(page)).toHaveCount(2)
  await settled(page, 'complete')
  await expect(inside(page).getByText('revision 2')).toBeVisible()
  const version = panel(page).getByRole('combobox', { name: windowText('preview:version') })
  await expect(version).toHaveValue('1')
  await view(page, 'viewChanges').click()
  const changes = panel(page).getByRole('region', { name: windowText('preview:viewChanges') })
  await expect(changes.locator('ins')).toContainText(['The dunes and back, 16 km'])
  await expect(changes.locator('del')).toContainText(['The dunes, 8 km'])
  await expectAccessible(page)
  await takePictures(page, 'preview-changes', true)
  await version.selectOption('0')
  await expect(view(page, 'viewChanges')).toHaveCount(0)
  await expect(inside(page).getByText('Three walks along the water.')).toBeVisible()
  await page.reload()
  await expect(inside(page).getByText('Three walks along the water.')).toBeVisible()
  await expect(version).toHaveValue('0')
})

test('the preview works by keyboard alone, beside the chat and over it', { tag: '@long' }, async ({ page }) => {
  await world.enter(page)
  await askModel(page, model, 'Write a page about walks.')
  await open(page).focus()
  await page.keyboard.press('Enter')
  await expect(panel(page).getByRole('heading', { name: 'Harbour walks' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(panel(page).getByRole('button', { name: windowText('preview:copy') })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel(page)).toHaveCount(0)
  await expect(open(page)).toBeFocused()

  await page.keyboard.press('Enter')
  const divider = page.getByRole('separator', { name: windowText('preview:resize') })
  const before = Number(await divider.getAttribute('aria-valuenow'))
  await divider.press('ArrowRight')
  await expect(divider).toHaveAttribute('aria-valuenow', String(before - 24))

  await page.setViewportSize({ width: 700, height: 800 })
  await expect(divider).toHaveCount(0)
  expect(await page.locator('.chat-split-chat').evaluate((chat) => (chat as HTMLElement).inert)).toBe(true)
  const box = await panel(page).boundingBox()
  const stage = await page.getByRole('main').boundingBox()
  expect(box?.width).toBeCloseTo(stage?.width ?? 0, 0)
  await panel(page).getByRole('heading', { name: 'Harbour walks' }).focus()
  await page.keyboard.press('Escape')
  await expect(open(page)).toBeFocused()
})

test('a block is copied and saved under its title, and opened in the browser after a confirmation', {
  tag: '@long',
}, async ({ page }) => {
  await allowClipboard(page)
  await world.enter(page)
  await askModel(page, model, 'Write a page about walks.')
  await lastReply(page)
    .getByRole('button', { name: windowText('preview:offer') })
    .click()
  await panel(page)
    .getByRole('button', { name: windowText('preview:copy') })
    .click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^<!doctype html>[\s\S]*<\/html>$/)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel(page)
      .getByRole('button', { name: windowText('preview:save', { name: 'harbour-walks.html' }) })
      .click(),
  ])
  expect(download.suggestedFilename()).toBe('harbour-walks.html')
  expect(readFileSync(await download.path(), 'utf8')).toContain('<title>Harbour walks</title>')

  await panel(page)
    .getByRole('button', { name: windowText('preview:openInBrowser') })
    .click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText('internet')
  await expectAccessible(page)
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    dialog.getByRole('button', { name: windowText('preview:browserConfirm') }).click(),
  ])
  await expect(tab.getByText('Ready.')).toBeVisible()
  const reach = await tab.evaluate(async (host) => {
    const tried = (act: () => unknown): string => {
      try {
        act()
        return 'reached'
      } catch {
        return 'refused'
      }
    }
    const calls = await Promise.all(
      ['/rpc', '/metrics', '/media/x'].map((path) =>
        fetch(new URL(path, host), { credentials: 'include' }).then(
          () => 'reached',
          () => 'refused',
        ),
      ),
    )
    return [origin, opener, tried(() => localStorage.length), tried(() => document.cookie), ...calls]
  }, world.host.url)
  expect(reach).toEqual(['null', null, 'refused', 'refused', 'refused', 'refused', 'refused'])
  const status = await tab.reload()
  expect(status?.status(), 'the address works once').toBe(404)
  await tab.close()
})

test('images, tables, trees, diagrams and texts have views of their own', { tag: '@long' }, async ({ page }) => {
  await world.enter(page)
  await askModel(page, model, 'Write csv.')
  await open(page).click()
  const table = panel(page).getByRole('table')
  await expect(table.getByRole('row')).toHaveCount(4)
  const first = () => table.getByRole('row').nth(1)
  const km = table.getByRole('button', { name: 'km' })
  await km.click()
  await km.click()
  await expect(table.getByRole('columnheader', { name: 'km' })).toHaveAttribute('aria-sort', 'descending')
  await expect(first()).toContainText('The dunes')
  await expectAccessible(page)
  await takePictures(page, 'preview-table')

  await newChat(page)
  await expect(panel(page)).toHaveCount(0)
  await askModel(page, model, 'Write json.')
  await open(page).click()
  const walks = panel(page).locator('summary').filter({ hasText: 'walks' })
  await expect(panel(page).locator('summary').filter({ hasText: '1:' })).toBeVisible()
  await walks.press('Enter')
  await expect(panel(page).locator('summary').filter({ hasText: '1:' })).toHaveCount(0)
  await expectAccessible(page)

  await newChat(page)
  await askModel(page, model, 'Write markdown.')
  await open(page).click()
  await expect(panel(page).getByRole('heading', { name: 'Packing list' }).last()).toBeVisible()
  await expect(panel(page).getByRole('table')).toBeVisible()
  await takePictures(page, 'preview-markdown')

  await newChat(page)
  await askModel(page, model, 'Write svg.')
  await open(page).click()
  await expect(panel(page).getByRole('heading', { name: 'Lighthouse' })).toBeVisible()
  await expect
    .poll(() =>
      page
        .frameLocator('.chat-preview-frame')
        .locator('img')
        .evaluate((img) => (img as HTMLImageElement).naturalWidth),
    )
    .toBeGreaterThan(0)
  await takePictures(page, 'preview-svg')

  await newChat(page)
  await askModel(page, model, 'Write mermaid.')
  await open(page).click()
  await expect(page.frameLocator('.chat-preview-frame').locator('svg').getByText('Lighthouse')).toBeVisible()
  await expect(panel(page).locator('.chat-preview-document')).toHaveAttribute('aria-busy', 'false')
  await takePictures(page, 'preview-diagram')
})
