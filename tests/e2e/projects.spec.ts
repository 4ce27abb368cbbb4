import { expect, type Locator, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, line, openChatWorld, takePictures, turns } from './chatWorld.ts'
import { composer, openContext, sentRequest, settled } from './journey.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => world.enter(page))

const filler = (topic: string): string => `A paragraph about ${topic}, which goes on for a while. `.repeat(30)
const handbook = [
  filler('anchors'),
  'The ferry to Lüneburg leaves at 06:40 from pier seven.',
  filler('ropes'),
  filler('sails'),
].join('\n\n')
const files = [
  { name: 'handbook.md', mimeType: 'text/markdown', buffer: Buffer.from(handbook) },
  { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('The harbour master is called Ada.') },
]

const fromMenu = async (page: Page, name: string, action: string): Promise<void> => {
  await page.getByRole('row').filter({ hasText: name }).first().hover()
  await page.getByRole('button', { name: `More for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const listed = (within: Page | Locator) =>
  within.getByRole('region', { name: windowText('projects:files') }).getByRole('listitem')
const texts = (page: Page) => dialog(page).locator('.project-passage-text')
const removedNote = (page: Page) => page.locator('.project-tray .project-removed')
const tray = (page: Page) => page.getByRole('list', { name: windowText('projects:next') })

test('a double click on the button that creates a project creates one project', { tag: '@long' }, async ({ page }) => {
  await page.getByRole('button', { name: windowText('library:newFolder') }).click()
  await page.getByLabel(windowText('library:name')).fill('Lighthouse')
  await page.getByRole('button', { name: windowText('library:create'), exact: true }).dblclick()
  await expect(heading(page, 'Lighthouse')).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
  await expect(page.getByRole('row').filter({ hasText: 'Lighthouse' })).toHaveCount(1)
})

test('a chat of a project starts with its settings and files; passages are shown, removed and sent', {
  tag: '@long',
}, async ({ page }) => {
  await page.getByRole('button', { name: windowText('library:newFolder') }).click()
  await page.getByLabel(windowText('library:name')).fill('Harbour')
  await page.getByLabel(windowText('library:folderInstructions')).fill('Be brief.')
  // One form. Two files: one is larger than what is sent whole.
  await page.locator('input[data-pinned]').setInputFiles(files)
  await expect(listed(page)).toHaveCount(2)
  await takePictures(page, 'project-new', true)
  await dialog(page).getByText(windowText('chat:advanced')).click()
  await page.getByLabel(windowText('library:folderModel')).selectOption('citer')
  await page.getByLabel(windowText('chat:paramTemperature')).fill('0.2')
  await page.getByLabel(windowText('projects:wholeTokens')).fill('100')
  await expectAccessible(page, 'dialog[open]')
  // An invalid number in the closed part opens it, instead of a button that does nothing.
  await page.getByLabel(windowText('chat:paramTopP'), { exact: true }).fill('a lot')
  await dialog(page).getByText(windowText('chat:advanced')).click()
  await expect(page.getByLabel(windowText('chat:paramTopP'), { exact: true })).toBeHidden()
  await page.getByRole('button', { name: windowText('library:create'), exact: true }).press('Enter')
  await expect(page.getByLabel(windowText('chat:paramTopP'), { exact: true })).toBeFocused()
  await page.getByLabel(windowText('chat:paramTopP'), { exact: true }).fill('')
  await page.getByRole('button', { name: windowText('library:create'), exact: true }).press('Enter')

  // The new project opens as a page.
  await expect(dialog(page)).toHaveCount(0)
  await expect(heading(page, 'Harbour')).toBeVisible()
  await expect(page.getByRole('region', { name: windowText('projects:instructions') })).toContainText('Be brief.')
  await expect(page.getByRole('region', { name: windowText('projects:chats') })).toContainText(
    windowText('projects:noChats'),
  )
  await expect(page.getByRole('region', { name: windowText('projects:cost') })).toContainText(
    windowText('projects:noCost'),
  )
  await expectAccessible(page, 'main')
  await expect(listed(page).filter({ hasText: 'handbook.md' })).toContainText(windowText('projects:searched'))
  await fromMenu(page, 'Harbour', windowText('library:folderSettings'))
  await expect(listed(dialog(page)).filter({ hasText: 'handbook.md' })).toContainText(windowText('projects:searched'))
  await expect(listed(dialog(page)).filter({ hasText: 'note.txt' })).toContainText(windowText('projects:whole'))
  await takePictures(page, 'project-settings', true)
  await page.keyboard.press('Escape')

  // The next message shows what the project adds.
  await page.getByRole('button', { name: windowText('library:newChatHere'), exact: true }).click()
  await composer(page).fill('When does the ferry to LUNEBURG leave, and are there sails?')
  await expect(tray(page)).toContainText('note.txt')
  // After a reload the text is still a message of the project.
  await page.reload()
  await expect(composer(page)).toHaveValue('When does the ferry to LUNEBURG leave, and are there sails?')
  await expect(tray(page)).toContainText('note.txt')
  await expect(tray(page)).toContainText(/\d passages? from 1 file/)
  await takePictures(page, 'project-draft', true)
  await tray(page)
    .getByRole('button', { name: /from 1 file/ })
    .press('Enter')
  const before = await texts(page).allInnerTexts()
  expect(before.join('\n')).toContain('06:40')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'project-passages')
  // A passage that is removed with the keyboard is not sent, and the meter follows. The focus goes to the next one.
  // The size of a short context is shown where its maximum is known.
  await page.keyboard.press('Escape')
  await openContext(page)
  await page.getByRole('textbox', { name: windowText('context:lengthLabel') }).fill('100000')
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toContainText('You set 100,000 tokens.')
  await page.keyboard.press('Escape')
  await tray(page)
    .getByRole('button', { name: /from 1 file/ })
    .press('Enter')
  const meter = page.locator('.context-open')
  const tokens = async (): Promise<number> =>
    Number((await meter.innerText()).replace(/ of .*/s, '').replaceAll(/\D/g, ''))
  await expect.poll(tokens).toBeGreaterThan(before.join('').length / 8)
  const full = await tokens()
  const remove = (number: number) =>
    dialog(page).getByRole('button', { name: windowText('projects:removePassage', { number }) })
  const gone = before.findIndex((text) => !text.includes('06:40')) + 1
  await remove(gone).focus()
  await page.keyboard.press('Enter')
  await expect(texts(page)).toHaveCount(before.length - 1)
  await expect(dialog(page).getByRole('status')).toHaveText('1 passage was removed from this message.')
  await expect(remove(Math.min(gone, before.length - 1))).toBeFocused()
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'project-passage-removed', true)
  const shown = await texts(page).allInnerTexts()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
  await expect.poll(tokens).toBeLessThan(full)
  await expect(tray(page)).toContainText(`${shown.length} passage`)
  // It stays removed while the message changes, until it is restored.
  await composer(page).press('End')
  await composer(page).pressSequentially(' Please')
  const restore = removedNote(page).getByRole('button', { name: windowText('projects:restorePassages') })
  await expect(removedNote(page)).toContainText('1 passage was removed')
  await restore.click()
  await expect(tray(page)).toContainText(`${before.length} passage`)
  await expect(restore).toHaveCount(0)
  await tray(page)
    .getByRole('button', { name: /from 1 file/ })
    .press('Enter')
  await remove(gone).press('Enter')
  await expect(texts(page)).toHaveCount(shown.length)
  await page.keyboard.press('Escape')
  await expect(tray(page)).toContainText(`${shown.length} passage`)
  await composer(page).press('Enter')
  await settled(page, 'complete')

  // The header names the project, and leads to its page, which has the chat and its cost.
  const title = 'When does the ferry to LUNEBURG leave, and are there sails? Please'
  await expect(page.locator('.chat-bar')).toContainText(/Harbour\s*\/\s*When does the ferry/)
  await takePictures(page, 'project-chat', true)
  await page.getByRole('link', { name: 'Harbour', exact: true }).click()
  await expect(page).toHaveURL(/#\/chat\/project/)
  await expect(page.getByRole('region', { name: windowText('projects:cost') })).toContainText(/1 request$/)
  await expectAccessible(page, 'main')
  await takePictures(page, 'project-page', true)
  await page.reload()
  await page
    .getByRole('region', { name: windowText('projects:chats') })
    .getByRole('button', { name: title.slice(0, 40) })
    .click()
  await expect(turns(page)).toHaveCount(1)

  // What was shown is what is sent.
  const request = await sentRequest(page)
  expect(request).toMatchObject({ model: 'citer', temperature: 0.2 })
  const [system, user] = (request as { messages: { role: string; content: string }[] }).messages
  expect(system?.content).toMatch(/^Be brief\.\n\nMessages can contain passages/)
  expect(user?.content).toContain('<document name="note.txt">\nThe harbour master is called Ada.')
  const sent = [...(user?.content ?? '').matchAll(/<passage number="\d+"[^>]*>\n([\s\S]*?)\n<\/passage>/g)]
  const spaces = (text: string | undefined) => text?.replaceAll(/\s+/g, ' ').trim()
  expect(sent.map(([, text]) => spaces(text))).toEqual(shown.map(spaces))
})

// Continues in the chat of the first test.
test('a citation opens its passage by keyboard alone; a removed passage stays removed after a reload', {
  tag: '@long',
}, async ({ page }) => {
  await line(page, 'When does the ferry').click()
  const reply = page.locator('article[data-role="assistant"]').last()
  const citation = reply.getByRole('button', { name: /^Source \[\d+\]: handbook\.md$/ }).first()
  await expect(reply).toContainText('The ferry to Lüneburg leaves at 06:40')
  await expect(turns(page).last()).toContainText(/passages? from 1 file/)
  await expectAccessible(page, 'article[data-role="assistant"]')
  await takePictures(page, 'project-cited', true)
  await citation.focus()
  await page.keyboard.press('Enter')
  const text = page.getByRole('region', { name: windowText('projects:text') })
  await expect(text.locator('mark')).toContainText('06:40')
  await expect(text.locator('mark')).toBeInViewport()
  await expect(text).toContainText('about anchors')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'project-citation', true)
  await page.keyboard.press('Escape')
  await expect(composer(page)).toBeFocused()

  // A second message does not send the whole file again; a removed file still shows its passage.
  await composer(page).fill('And what about ropes?')
  await tray(page)
    .getByRole('button', { name: /from 1 file/ })
    .press('Enter')
  const all = await texts(page).count()
  await dialog(page)
    .getByRole('button', { name: /^Remove passage/ })
    .first()
    .press('Enter')
  await expect(texts(page)).toHaveCount(all - 1)
  if (all > 1) await page.keyboard.press('Escape')
  await expect(removedNote(page)).toContainText('1 passage was removed')
  // After a reload it is still removed.
  await page.reload()
  await expect(composer(page)).toHaveValue('And what about ropes?')
  await expect(removedNote(page)).toContainText('1 passage was removed')
  await composer(page).press('Enter')
  await expect(page.locator('article[data-role="assistant"]')).toHaveCount(2)
  await settled(page, 'complete')
  await expect(turns(page).last().locator('.chat-document')).toHaveCount(all > 1 ? 1 : 0)
  await expect(removedNote(page)).toHaveCount(0)
  await expect(turns(page).last()).not.toContainText('note.txt')
  await fromMenu(page, 'Harbour', windowText('library:folderSettings'))
  await page.getByRole('button', { name: windowText('projects:remove', { name: 'handbook.md' }) }).press('Enter')
  await expect(listed(page)).toHaveCount(1)
  await page.keyboard.press('Escape')
  await citation.click()
  await expect(dialog(page)).toContainText(windowText('projects:sourceGone'))
  await expect(text.locator('mark')).toContainText('06:40')
})
