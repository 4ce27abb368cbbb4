import { expect, type Locator, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, fromMenu, line, newChat, openChatWorld, takePictures } from './chatWorld.ts'
import { composer, goToPage, pickModel, send, sentRequest, settled } from './journey.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => world.enter(page))

const model = (page: Page): Locator => page.getByRole('button', { name: /^Model/ })
const instructions = (page: Page): Locator =>
  page.getByRole('textbox', { name: windowText('chat:instructions'), exact: true })
const inspector = (page: Page): Locator => page.getByRole('complementary', { name: windowText('common:inspector') })

/** Settings, Chat. */
async function openSettings(page: Page): Promise<void> {
  await page.goto(`${page.url().split('#')[0]}#/settings/chat`)
  await expect(page.getByLabel(windowText('settings:chat.titles'))).toBeVisible()
}

test('the button for a new chat leads to the message field, also while a new chat is open', { tag: '@long' }, async ({
  page,
}) => {
  await newChat(page)
  await expect(composer(page)).toBeFocused()
  await newChat(page)
  await expect(composer(page)).toBeFocused()
})

test('a new chat takes the model and instructions of its folder, else those of the settings, and says so', {
  tag: '@long',
}, async ({ page }) => {
  await pickModel(page, 'writer-small')
  await openSettings(page)
  // Chat models only. The sandbox's fault models come on request.
  const models = page.getByLabel(windowText('library:folderModel'))
  const offered = () => models.getByRole('option').allInnerTexts()
  await expect.poll(offered).toContain('mirror')
  expect((await offered()).filter((id) => /^fault\/|tts|whisper|painter/.test(id))).toEqual([])
  await models.selectOption({ label: (await offered()).at(-1) ?? '' })
  await expect.poll(offered).toContain('fault/500')
  await models.selectOption('mirror')
  await page.getByLabel(windowText('library:folderInstructions')).fill('Be brief.')
  await page.getByLabel(windowText('library:folderInstructions')).blur()
  await expectAccessible(page)
  await takePictures(page, 'settings-chats', true)

  await goToPage(page, windowText('shell:pages.chat'))
  await page
    .getByRole('main')
    .getByRole('button', { name: windowText('common:inspector') })
    .click()
  await expect(model(page)).toHaveAccessibleName('Model: mirror')
  await expect(instructions(page)).toHaveValue('Be brief.')
  await expect(inspector(page).getByText(windowText('library:fromSettings'))).toHaveCount(2)

  await page.getByRole('button', { name: windowText('library:newFolder') }).click()
  const dialog = page.getByRole('dialog', { name: windowText('library:folderTitle') })
  await dialog.getByLabel(windowText('chat:schemaName')).fill('Work')
  await dialog.getByText(windowText('chat:advanced')).click()
  await dialog.getByLabel(windowText('library:folderModel')).selectOption('writer-free')
  await dialog.getByLabel(windowText('library:folderInstructions')).fill('Answer like a colleague.')
  await takePictures(page, 'folder-dialog', true)
  await dialog.getByRole('button', { name: windowText('library:create'), exact: true }).click()
  await fromMenu(page, 'Work', 'New chat in this project')
  await expect(model(page)).toHaveAccessibleName('Model: writer-free')
  await expect(instructions(page)).toHaveValue('Answer like a colleague.')
  await expect(inspector(page).getByText('From project Work')).toHaveCount(2)
  await expect(page.getByText('New chat in Work')).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'folder-new-chat')

  await send(page, 'In the folder')
  await settled(page, 'complete')
  await expect(line(page, 'In the folder')).toHaveAttribute('aria-level', '2')
  expect(JSON.stringify(await sentRequest(page))).toContain('Answer like a colleague.')

  // Outside of the folder, the settings apply again.
  await newChat(page)
  await expect(model(page)).toHaveAccessibleName('Model: mirror')
  await expect(instructions(page)).toHaveValue('Be brief.')
  // What a person chooses for this chat stays, whatever the page.
  await pickModel(page, 'writer-small')
  await instructions(page).fill('My own.')
  await expect(inspector(page).getByText(windowText('library:fromSettings'))).toHaveCount(0)
  await page.getByRole('link', { name: windowText('shell:pages.usage'), exact: true }).click()
  await goToPage(page, windowText('shell:pages.chat'))
  await expect(model(page)).toHaveAccessibleName('Model: writer-small')
  await expect(instructions(page)).toHaveValue('My own.')

  await fromMenu(page, 'Work', 'Project settings…')
  const settings = page.getByRole('dialog', { name: 'Settings of “Work”' })
  await settings.getByText(windowText('chat:advanced')).click()
  await expect(settings.getByLabel(windowText('library:folderModel'))).toHaveValue('writer-free')
  await settings
    .getByLabel(windowText('library:folderModel'))
    .selectOption(windowText('library:folderModelNone', { model: 'mirror' }))
  await settings.getByRole('button', { name: windowText('chat:saveOnly') }).click()
  await fromMenu(page, 'Work', 'New chat in this project')
  await expect(model(page)).toHaveAccessibleName('Model: mirror')
})

test('a model of the person’s choice writes titles, and its requests are in the log', { tag: '@long' }, async ({
  page,
}) => {
  await openSettings(page)
  await page.getByLabel(windowText('settings:chat.titles')).selectOption('writer-free')
  await goToPage(page, windowText('shell:pages.chat'))
  await pickModel(page, 'mirror')
  const words = 'Which bread is baked without any yeast?'
  await send(page, words)
  await expect(line(page, words)).toBeVisible()
  await settled(page, 'complete')
  // The sandbox's model writes prose instead of a title; its first sentence becomes one.
  await expect(line(page, words)).toHaveCount(0)
  await page.getByRole('link', { name: windowText('shell:pages.proxy'), exact: true }).click()
  const sender = page.getByRole('combobox').filter({ has: page.locator('option[value="studio:titles"]') })
  await sender.selectOption('studio:titles')
  await expect(page.getByText('writer-free').filter({ visible: true }).first()).toBeVisible()
  await openSettings(page)
  await page.getByLabel(windowText('settings:chat.titles')).selectOption('')
})
