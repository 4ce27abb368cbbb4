import { readFileSync } from 'node:fs'
import { expect, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { allowClipboard, type ChatWorld, expectAccessible, newChat, openChatWorld, takePictures } from './chatWorld.ts'
import { askModel, growths, lastReply, pickModel, replies, send, settled } from './journey.ts'

// Code blocks beside the chat, as a person uses them. preview-isolation.spec.ts tests that hostile ones reach nothing.

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())

const model = 'document-writer'
const panel = (page: Page) => page.getByRole('region', { name: windowText('preview:region') })
const open = (page: Page) => lastReply(page).getByRole('button', { name: windowText('preview:open'), exact: true })
/** The document inside the frame of the preview. */
const inside = (page: Page) => page.frameLocator('.chat-preview-frame').frameLocator('iframe:not([data-loading])')
const view = (page: Page, name: 'viewPreview' | 'viewCode' | 'viewChanges') =>
  panel(page).getByRole('radio', { name: windowText(`preview:${name}`) })

/** Counts how often the frame shows a document while the last reply is streaming. Returns the function that reads the count. */
async function countUpdates(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    Reflect.set(globalThis, 'updates', 0)
    addEventListener('message', ({ data }) => {
      const last = [...document.querySelectorAll('article[data-role="assistant"]')].at(-1)
      if (data?.type === 'shown' && last?.getAttribute('data-status') === 'streaming')
        Reflect.set(globalThis, 'updates', Reflect.get(globalThis, 'updates') + 1)
    })
  })
  return () => page.evaluate(() => Number(Reflect.get(globalThis, 'updates')))
}

test('a page is shown while it is written, its scripts run when asked to, and the next reply is its second version', async ({
  page,
}) => {
  await world.enter(page)
  await pickModel(page, model)
  await send(page, 'Write a page about walks.')
  await growths(page, 5)
  await open(page).click()
  const title = panel(page).getByRole('heading', { name: 'Harbour walks' })
  const updates = await countUpdates(page)
  await settled(page, 'complete')
  expect(await updates(), 'updates while the page was written').toBeGreaterThan(1)
  await expect(title).toBeVisible()
  await expect(inside(page).getByRole('heading', { name: 'Harbour walks' })).toBeVisible()

  const button = inside(page).getByRole('button', { name: 'Walked' })
  await expect(button).toBeVisible()
  await button.click()
  await expect(button).toHaveText('Walked: 0')
  await panel(page)
    .getByRole('button', { name: windowText('preview:runScripts') })
    .click()
  await expect(inside(page).getByText('Ready.')).toBeVisible()
  await button.click()
  await expect(button).toHaveText('Walked: 1')
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

test('the preview works by keyboard alone, beside the chat and over it', async ({ page }) => {
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

test('a block is copied and saved under its title, and opened in the browser after a confirmation', async ({
  page,
}) => {
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

test('images, tables, trees, diagrams and texts have views of their own', async ({ page }) => {
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
