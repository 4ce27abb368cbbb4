import { expect, type Locator, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { allowClipboard, type ChatWorld, expectAccessible, openChatWorld, takePictures } from './chatWorld.ts'
import { askModel, composer, goToPage, lastReply, pickModel } from './journey.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())

const requests = () => world.sandbox.observe.requests().filter(({ path }) => path === '/v1/chat/completions').length
const toolbar = (page: Page): Locator => page.getByRole('toolbar', { name: windowText('textActions:actions') })
const result = (page: Page, name: string): Locator =>
  page.getByRole('dialog', { name: windowText('textActions:result', { name }) })
const translate = windowText('textActions:names.translate')
const rewrite = windowText('textActions:names.rewrite')

/** Selects a text with the mouse, from its first to its last character. */
async function selectByMouse(page: Page, text: Locator): Promise<void> {
  const box = await text.boundingBox()
  if (!box) throw new Error('The text is not on the screen.')
  await page.mouse.move(box.x + 1, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2, { steps: 4 })
  await page.mouse.up()
}

test('a selected part of a reply is copied as before, or sent once an action is chosen, with its price', {
  tag: '@long',
}, async ({ page }) => {
  await allowClipboard(page)
  await world.enter(page)
  await askModel(page, 'mirror', 'The quick brown fox')
  const before = requests()
  const words = lastReply(page).getByText('The quick brown fox').first()
  await selectByMouse(page, words)
  await expect(toolbar(page)).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'text-actions-toolbar', true)
  // The toolbar neither takes the selection nor the focus, and leaves with the first key.
  await page.keyboard.press('ControlOrMeta+C')
  await expect(toolbar(page)).toHaveCount(0)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('quick brown')
  expect(requests()).toBe(before)

  // A press on selected text would drag it.
  await composer(page).click()
  await selectByMouse(page, words)
  await toolbar(page).getByRole('button', { name: translate }).click()
  const panel = result(page, translate)
  await expect(panel).toHaveAttribute('data-text-result', 'done')
  await expect(panel).toContainText('Translate the text below into')
  await expect(panel).toContainText('quick brown')
  await expect(panel).toContainText('SC')
  expect(requests()).toBe(before + 1)
  await expectAccessible(page)
  await takePictures(page, 'text-actions-result', true)

  await panel.getByRole('button', { name: windowText('textActions:regenerate') }).click()
  await expect(panel).toHaveAttribute('data-text-result', 'done')
  expect(requests()).toBe(before + 2)
  await panel.getByRole('button', { name: windowText('textActions:insert') }).click()
  await expect(panel).toHaveCount(0)
  await expect(composer(page)).toBeFocused()
  await expect(composer(page)).toHaveValue(/quick brown/)
})

test('by keyboard alone: the shortcut opens the menu, Escape stops, Replace changes the field and can be undone', {
  tag: '@long',
}, async ({ page }) => {
  await world.enter(page)
  await pickModel(page, 'writer-large')
  await composer(page).fill('Write about lighthouses')
  await composer(page).press('ControlOrMeta+A')
  await page.keyboard.press('ControlOrMeta+Shift+A')
  await expect(page.getByRole('menu')).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'text-actions-menu')
  await page.getByRole('menuitem', { name: translate }).press('ArrowDown')
  await expect(page.getByRole('menuitem', { name: rewrite })).toBeFocused()
  await page.keyboard.press('Enter')
  const panel = result(page, rewrite)
  await expect(panel).toBeFocused()
  await expect(panel.locator('.md')).not.toBeEmpty()
  await page.keyboard.press('Escape')
  await expect(panel).toHaveAttribute('data-text-result', 'stopped')
  await expect(panel).toContainText(windowText('textActions:stopped'))
  await panel.getByRole('button', { name: windowText('textActions:replace') }).press('Enter')
  await expect(composer(page)).toBeFocused()
  await expect(composer(page)).not.toHaveValue('Write about lighthouses')
  await page.keyboard.press('ControlOrMeta+Z')
  await expect(composer(page)).toHaveValue('Write about lighthouses')

  // The palette covers the selection, and its commands still know it.
  await composer(page).press('ControlOrMeta+A')
  await page.keyboard.press('ControlOrMeta+K')
  await page.keyboard.type(windowText('textActions:command', { name: translate }))
  await page.keyboard.press('Enter')
  await expect(result(page, translate)).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(result(page, translate)).toHaveCount(0)
  await expect(composer(page)).toBeFocused()
  await composer(page).fill('')
})

test('a prompt is edited, an own action is added, and both are reset in Settings', { tag: '@long' }, async ({
  page,
}) => {
  await world.enter(page)
  await pickModel(page, 'mirror')
  await page.evaluate(() => location.assign('#/settings/chat'))
  const group = page.getByRole('region', { name: windowText('textActions:settings.title') })
  await group.getByRole('button', { name: windowText('textActions:settings.edit', { name: translate }) }).click()
  const prompt = page.getByRole('textbox', { name: windowText('textActions:settings.prompt') })
  await prompt.fill('Say in Welsh: {{selection}}')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'text-actions-edit', true)
  await page.getByRole('button', { name: windowText('textActions:settings.save') }).click()
  await group.getByRole('button', { name: windowText('textActions:settings.add') }).click()
  await page.getByRole('textbox', { name: windowText('textActions:settings.name') }).fill('Shout')
  await prompt.fill('In capitals')
  await prompt.press('ControlOrMeta+A')
  // The shortcut works in a dialog, too, and the result is inside of it.
  await page.keyboard.press('ControlOrMeta+Shift+A')
  await page.getByRole('menuitem', { name: translate }).press('Enter')
  await expect(result(page, translate)).toContainText('Say in Welsh: In capitals')
  await expect(result(page, translate)).toHaveAttribute('data-text-result', 'done')
  await page.keyboard.press('Escape')
  await expect(result(page, translate)).toHaveCount(0)
  await page.getByRole('button', { name: windowText('textActions:settings.save') }).click()
  await expect(group.getByText('Shout')).toBeVisible()
  await expectAccessible(page, '[data-settings]')
  await group.scrollIntoViewIfNeeded()
  await takePictures(page, 'text-actions-settings', true)
  await group.getByRole('button', { name: windowText('textActions:settings.reset') }).click()
  await page.getByRole('button', { name: windowText('textActions:settings.resetConfirm') }).click()
  await expect(group.getByText('Shout')).toHaveCount(0)
  await expect(group.getByText('Say in Welsh')).toHaveCount(0)
})

test('the text of a document and of a transcript have the actions, too', { tag: '@long' }, async ({ page }) => {
  await world.enter(page)
  await pickModel(page, 'mirror')
  await page
    .locator('.chat-composer input[type="file"]')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The harbour opens at six.') })
  await page
    .getByRole('button', { name: /^notes\.txt/ })
    .last()
    .click()
  const text = page.getByRole('region', { name: windowText('documents:textToSend') })
  await expect(text).toContainText('The harbour opens at six.')
  await selectByMouse(page, text.getByText('The harbour opens at six.'))
  await toolbar(page).getByRole('button', { name: translate }).click()
  // The result is inside of the dialog, which makes the page behind it inert.
  const inDialog = page
    .locator('dialog[open]')
    .getByRole('dialog', { name: windowText('textActions:result', { name: translate }) })
  await expect(inDialog).toContainText('The harbour opens at six.')
  // Before its end, Escape would stop it.
  await expect(inDialog).toHaveAttribute('data-text-result', 'done')
  await page.keyboard.press('Escape')
  await expect(inDialog).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.locator('dialog[open]')).toHaveCount(0)

  const body = {
    model: 'tts-1',
    voice: 'nova',
    response_format: 'mp3',
    input: 'The ferry leaves the harbour at seven.',
  }
  const spoken = await fetch(`${world.sandbox.baseUrl}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-chat-world', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await goToPage(page, windowText('transcribe:title'))
  const chooser = page.waitForEvent('filechooser')
  await page
    .getByRole('button', { name: windowText('transcribe:addFiles') })
    .first()
    .click()
  await (await chooser).setFiles({
    name: 'ferry.mp3',
    mimeType: 'audio/mpeg',
    buffer: Buffer.from(await spoken.arrayBuffer()),
  })
  const line = page
    .getByRole('list', { name: windowText('transcribe:cues') })
    .getByText('ferry')
    .first()
  await expect(line).toBeVisible({ timeout: 30_000 })
  await line.selectText()
  await page.keyboard.press('ControlOrMeta+Shift+A')
  await page.getByRole('menuitem', { name: translate }).press('Enter')
  await expect(result(page, translate)).toContainText('ferry')
  await expect(result(page, translate)).toHaveAttribute('data-text-result', 'done')
  await page.keyboard.press('Escape')
})

test('the quick prompt runs an action on the clipboard', { tag: '@long' }, async ({ page }) => {
  await allowClipboard(page)
  await world.enter(page)
  await pickModel(page, 'mirror')
  await page.setViewportSize({ width: 640, height: 400 })
  await page.goto(new URL('/app/quick/index.html', world.host.url).href)
  const prompt = page.getByRole('textbox', { name: windowText('quick:prompt') })
  await expect(prompt).toBeFocused()
  await page.evaluate(() => navigator.clipboard.writeText('Guten Morgen'))
  const before = requests()
  await page.keyboard.press('ControlOrMeta+Shift+A')
  await expect(page.getByRole('menu')).toBeVisible()
  expect(requests()).toBe(before)
  await page.getByRole('menuitem', { name: translate }).press('Enter')
  const panel = page.getByRole('region', { name: windowText('textActions:result', { name: translate }) })
  await expect(panel).toContainText('Guten Morgen')
  await expectAccessible(page)
  await takePictures(page, 'text-actions-quick')
  expect(requests()).toBe(before + 1)
  await page.getByRole('button', { name: windowText('textActions:insertPrompt') }).click()
  await expect(prompt).toHaveValue(/Guten Morgen/)
  await expect(prompt).toBeFocused()
})
