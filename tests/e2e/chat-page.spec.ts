import { expect, type Locator, type Page, test } from '@playwright/test'
import { type ChatWorld, expectAccessible, openChatWorld, takePictures, turns } from './chatWorld.ts'
import { addToMessage, composer, lastReply, openInspector, pickModel, send, settled } from './journey.ts'

let world: ChatWorld

test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(async () => {
  await world.close()
})
test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await world.enter(page)
})

const edges = (locator: Locator): Promise<{ left: number; right: number; width: number }> =>
  locator.evaluate((element) => {
    const { left, right, width } = element.getBoundingClientRect()
    return { left, right, width }
  })

/** The smallest contrast of the letter on a model's avatar, over all avatars on the page (WCAG 2, relative luminance). */
const avatarContrast = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
    const luminance = (color: string): number => {
      if (!canvas) return 0
      canvas.fillStyle = color
      canvas.fillRect(0, 0, 1, 1)
      const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => {
        const share = byte / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const contrasts = [...document.querySelectorAll('article header > [aria-hidden]')].map((avatar) => {
      const { color, backgroundColor } = getComputedStyle(avatar)
      const [dark = 0, light = 0] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b)
      return (light + 0.05) / (dark + 0.05)
    })
    return Math.min(...contrasts)
  })

test('messages of the person are bubbles at the end of the line, replies start at its beginning with the colour of their model', async ({
  page,
}) => {
  await pickModel(page, 'mirror')
  await send(page, 'A short question.')
  await settled(page, 'complete')
  const talk = await edges(page.getByRole('region', { name: 'Conversation' }))
  const bubble = await edges(turns(page).locator('[data-part="text"]'))
  const reply = await edges(lastReply(page).locator('[data-part="text"]'))
  expect(bubble.width).toBeLessThan(talk.width / 3)
  expect(bubble.right).toBeGreaterThan(reply.right - 2)
  expect(bubble.left).toBeGreaterThan(reply.left + 100)

  const avatar = lastReply(page).locator('header > [aria-hidden]')
  const color = () => avatar.evaluate((element) => getComputedStyle(element).backgroundColor)
  const first = await color()
  await pickModel(page, 'writer-small')
  await send(page, 'And another model?')
  await settled(page, 'complete')
  expect(await color()).not.toBe(first)
  await pickModel(page, 'mirror')
  await send(page, 'The first one again.')
  await settled(page, 'complete')
  expect(await color()).toBe(first)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await avatarContrast(page)).toBeGreaterThanOrEqual(4.5)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('A short question.')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Rename', exact: true })).toBeFocused()
  await expectAccessible(page)
  await takePictures(page, 'chat-layout', true)
})

test('the composer has the model beside Send, and one menu for images, prompts, role and tools', async ({ page }) => {
  await pickModel(page, 'mirror')
  const model = await edges(page.getByRole('button', { name: 'Model: mirror' }))
  const go = await edges(page.getByRole('button', { name: 'Send', exact: true }))
  expect(go.left - model.right).toBeLessThan(12)

  await page.getByRole('button', { name: 'Add to the message' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem')).toHaveText(['Attach images', 'Insert prompt', 'Message role…', 'Tools…'])
  await expect(page.getByRole('menuitem', { name: 'Attach images' })).toBeFocused()
  await expectAccessible(page)
  await takePictures(page, 'chat-add-menu')
  const files = page.waitForEvent('filechooser')
  await page.keyboard.press('Enter')
  expect((await files).isMultiple()).toBe(true)

  await addToMessage(page, 'Message role…')
  const role = page.getByRole('dialog', { name: 'Send as' })
  await role.getByText('System', { exact: true }).click()
  await page.keyboard.press('Escape')
  await expect(role).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Add to the message' })).toBeFocused()
  await page.getByRole('button', { name: 'Message role: System' }).click()
  await expect(role).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'chat-role', true)
  await role.getByText('User', { exact: true }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: /^Message role/ })).toHaveCount(0)

  await addToMessage(page, 'Tools…')
  await expect(page.getByRole('dialog', { name: 'Tools' })).toBeVisible()
  await page.keyboard.press('Escape')
  await addToMessage(page, 'Insert prompt')
  await expect(page.getByRole('dialog', { name: 'Prompts' })).toBeVisible()
})

test('the inspector opens on demand: instructions, then the usual parameters, the others folded until the person opens them', async ({
  page,
}) => {
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await expect(inspector).toHaveCount(0)
  await openInspector(page)
  const headings = inspector.getByRole('heading', { level: 2 })
  await expect(headings.first()).toHaveText('Instructions')
  await expect(headings.nth(1)).toContainText('Parameters')
  await expect(inspector.getByLabel('Temperature', { exact: true })).toBeVisible()
  await expect(inspector.getByLabel('Max tokens', { exact: true })).toBeVisible()
  await expect(inspector.getByLabel('Top p', { exact: true })).toBeHidden()
  await openInspector(page, { advanced: true })
  await inspector.getByLabel('Top p', { exact: true }).fill('0.5')
  await inspector.locator('summary', { hasText: 'Advanced' }).click()
  await expect(inspector.getByText('1 set', { exact: true })).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'chat-inspector', true)
  await inspector.locator('summary', { hasText: 'Advanced' }).click()
  await page.reload()
  await openInspector(page)
  await expect(inspector.getByLabel('Top p', { exact: true })).toHaveValue('0.5')
  await page.getByRole('button', { name: 'Reset all' }).click()
})

test('the figures of a reply are quiet until it is hovered or focused', async ({ page }) => {
  await pickModel(page, 'mirror')
  await send(page, 'Count.')
  await settled(page, 'complete')
  const figures = lastReply(page).getByRole('button', { name: /^Reply details/ })
  await page.mouse.move(5, 5)
  await composer(page).focus()
  await expect(figures.getByText(/SC/).filter({ visible: true })).toHaveText(/^about \S+ SC \(est\.\)$/)
  await expect(figures.getByText(/tok\/s|tokens/).filter({ visible: true })).toHaveCount(0)
  await figures.focus()
  await expect(figures.getByText(/tokens · .* s to first/).filter({ visible: true })).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'This reply' })).toBeVisible()
})
