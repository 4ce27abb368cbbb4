import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, openChatWorld, takePictures } from './chatWorld.ts'
import { askModel, composer, pickModel, send, settled } from './journey.ts'

const picker = (page: Page): Locator => page.getByRole('button', { name: /^Model/ })
const search = (page: Page): Locator => page.getByRole('combobox', { name: windowText('chat:searchModels') })
const list = (page: Page): Locator => page.getByRole('listbox', { name: windowText('chat:pickModel') })
const option = (page: Page, model: string): Locator =>
  list(page)
    .getByRole('option')
    .filter({ has: page.getByText(model, { exact: true }) })
const reached = (page: Page): Locator => list(page).locator('[data-at="true"]')

test.describe('the models of the sandbox', () => {
  let world: ChatWorld
  test.beforeAll(async () => {
    world = await openChatWorld()
  })
  test.afterAll(() => world.close())
  test.beforeEach(({ page }) => world.enter(page))

  test('a favourite and recent models are found first, by keyboard alone, and stay after a reload', {
    tag: '@long',
  }, async ({ page }) => {
    await askModel(page, 'mirror', 'Hello')
    await picker(page).focus()
    await page.keyboard.press('Enter')
    await expect(search(page)).toBeFocused()
    await expect(list(page).getByText('Recent', { exact: true })).toBeVisible()
    await expect(reached(page)).toContainText('mirror')
    await search(page).fill('writer-sm')
    await page.keyboard.press('Control+d')
    await expect(option(page, 'writer-small')).toContainText('favourite')
    await page.keyboard.press('Escape')
    await expect(composer(page)).toBeFocused()
    await page.reload()
    await picker(page).click()
    await expect(list(page).getByText(windowText('models:favourites'), { exact: true })).toBeVisible()
    await page.keyboard.press('ArrowDown')
    await expect(reached(page)).toContainText('writer-small')
    await expectAccessible(page)
    await takePictures(page, 'models')
    await page.keyboard.press('Enter')
    await expect(picker(page)).toHaveAccessibleName('Model: writer-small')
    // The button below the list does the same as the key.
    await picker(page).click()
    await search(page).fill('writer-sm')
    await page.getByRole('button', { name: `${windowText('models:removeFavourite')} writer-small` }).click()
    await expect(option(page, 'writer-small')).not.toContainText('favourite')
  })

  test('models for speech and transcription are left out of the list until a person shows them', {
    tag: '@long',
  }, async ({ page }) => {
    await picker(page).click()
    await expect(option(page, 'guide').first()).toBeVisible()
    await search(page).fill('whisper')
    await expect(page.getByText(/3 models that are not for chats match/)).toBeVisible()
    await page.getByRole('button', { name: /Show models not for chats/ }).click()
    await expect(option(page, 'whisper-large-v3')).toContainText('Transcription')
    await search(page).fill('tts-1')
    await expect(option(page, 'tts-1')).toContainText('Speech')
    await page.getByRole('button', { name: windowText('models:showChat') }).click()
    await expect(option(page, 'tts-1')).toHaveCount(0)
  })

  test('prices come from the account’s usage, and abilities from replies', { tag: '@long' }, async ({ page }) => {
    await pickModel(page, 'vision')
    await picker(page).click()
    await search(page).fill('vision')
    await expect(option(page, 'vision')).not.toContainText('images')
    await page.keyboard.press('Escape')
    const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 20, height: 20 } })
    const file = { name: 'corner.png', mimeType: 'image/png', buffer: picture }
    await page.locator('.chat-composer input[type="file"]').setInputFiles(file)
    await expect(page.locator('.composer-picture[data-state="ready"]')).toHaveCount(1)
    await send(page, 'What is this?')
    await settled(page, 'complete')
    // On a narrow window the whole list is visible too.
    await page.setViewportSize({ width: 420, height: 800 })
    await picker(page).click()
    await search(page).fill('vision')
    await expect(option(page, 'vision')).toContainText('Reads images')
    await search(page).fill('writer-large')
    await expect(option(page, 'writer-large')).toContainText(/SC in, .* SC out per 1M tokens, est\./)
    await search(page).fill('')
    await expect(page.getByRole('dialog', { name: windowText('chat:pickModel') })).toBeInViewport({ ratio: 1 })
    await takePictures(page, 'models-420')
  })
})

test('500 models: the wanted one is two letters and an arrow key away', { tag: '@long' }, async ({ page }) => {
  const data = Array.from({ length: 500 }, (_, at) => ({ id: `vendor-${at % 20}/model-${at}` }))
  const service = createServer((request, reply) => {
    reply.setHeader('content-type', 'application/json')
    reply.statusCode = request.url === '/v1/models' ? 200 : 404
    reply.end(JSON.stringify(request.url === '/v1/models' ? { object: 'list', data } : {}))
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const world = await openChatWorld(async () => `http://127.0.0.1:${(service.address() as AddressInfo).port}`)
  try {
    await world.enter(page)
    await picker(page).click()
    await expect(search(page)).toBeFocused()
    // Only what can be seen is drawn.
    await expect(option(page, 'vendor-0/model-0')).toBeVisible()
    expect(await list(page).getByRole('option').count()).toBeLessThan(40)
    for (let times = 0; times < 80; times += 1) await page.keyboard.press('PageDown')
    await expect(reached(page)).toContainText('vendor-19/model-499')
    await expect(reached(page)).toBeInViewport()
    await search(page).fill('model-42')
    await expect(reached(page)).toContainText('vendor-2/model-42')
    await page.keyboard.press('ArrowDown')
    await expect(reached(page)).toContainText('model-420')
    await page.keyboard.press('Enter')
    await expect(picker(page)).toHaveAccessibleName('Model: vendor-0/model-420')
    await expect(composer(page)).toBeVisible()
  } finally {
    await world.close()
    service.closeAllConnections()
    service.close()
  }
})
