import { writeFileSync } from 'node:fs'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, openChatWorld, takePictures } from './chatWorld.ts'
import { askModel, composer, goToPage } from './journey.ts'

// Files are dragged over the window as the operating system does it: the browser itself makes the events, and would open the file.

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())

/** Drags a file over the middle of an element, and drops it there after `before`. */
async function drop(page: Page, target: Locator, path: string, before: () => Promise<void> = async () => undefined) {
  const box = await target.boundingBox()
  if (!box) throw new Error('The target is not visible.')
  const at = { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 200) }
  const devTools = await page.context().newCDPSession(page)
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  await devTools.send('Input.dispatchDragEvent', { type: 'dragEnter', ...at, data })
  // As long as a person holds the file there, the browser repeats the event.
  await expect(async () => {
    await devTools.send('Input.dispatchDragEvent', { type: 'dragOver', ...at, data })
    await before()
  }).toPass()
  await devTools.send('Input.dispatchDragEvent', { type: 'drop', ...at, data })
  await devTools.detach()
}

const attached = (page: Page) => page.locator('.chat-document, .composer-picture')
const overlay = (page: Page) => page.locator('.composer-over')
const list = (page: Page) => page.getByRole('navigation', { name: windowText('library:list') })
const question = (page: Page) => page.getByRole('dialog', { name: windowText('composer:importOrAttach') })

function fileNamed(name: string, text: string): string {
  const path = test.info().outputPath(name)
  writeFileSync(path, text)
  return path
}

test('a file dropped anywhere on the page of chats is attached, and the whole page says so', async ({ page }) => {
  await world.enter(page)
  await askModel(page, 'mirror', 'Where do files go?')
  const address = page.url()
  const places = {
    messages: page.locator('article').first(),
    title: page.locator('.chat-bar'),
    rail: page.getByRole('navigation', { name: windowText('shell:pages.label') }),
    list: list(page),
    status: page.getByRole('contentinfo'),
  }
  let count = 0
  for (const [name, place] of Object.entries(places)) {
    await drop(page, place, fileNamed(`${name}.txt`, `About ${name}.`), async () => {
      const words = name === 'list' ? 'composer:dropOnList' : 'composer:dropHere'
      await expect(overlay(page)).toHaveText(windowText(words), { timeout: 1_000 })
      if (name === 'title') await takePictures(page, 'drop-page')
    })
    count += 1
    await expect(overlay(page)).toHaveCount(0)
    await expect(page.locator('.chat-composer')).toContainText(`${name}.txt`)
    await expect(page.locator('.chat-composer').getByText(/\.txt/)).toHaveCount(count)
  }
  await expect(composer(page)).toBeFocused()
  expect(page.url()).toBe(address)
})

test('an archive that is dropped on the list asks whether to import or attach it', async ({ page }) => {
  await world.enter(page)
  const archive = fileNamed('chats.json', '{}')
  await drop(page, list(page), archive)
  await expect(question(page)).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'drop-archive', true)
  await question(page)
    .getByRole('button', { name: windowText('composer:attachFile') })
    .click()
  await expect(page.locator('.chat-composer')).toContainText('chats.json')
  await drop(page, list(page), archive)
  await question(page)
    .getByRole('button', { name: windowText('composer:importFile') })
    .click()
  await expect(page.getByRole('dialog', { name: windowText('library:importTitle') })).toBeVisible()
  const imported = page.getByRole('dialog', { name: windowText('library:importTitle') })
  await imported
    .getByRole('button', { name: windowText('library:close') })
    .last()
    .click()
  await expect(imported).toHaveCount(0)
  // Elsewhere an archive is a file like others.
  await drop(page, page.locator('.chat-welcome'), fileNamed('other.json', '{}'))
  await expect(page.locator('.chat-composer')).toContainText('other.json')
  await expect(question(page)).toHaveCount(0)
})

test('a file that is dropped where nothing takes it does not replace the window', { tag: '@long' }, async ({
  page,
}) => {
  await world.enter(page)
  const file = fileNamed('page.html', '<title>Elsewhere</title>')
  await goToPage(page, 'Usage')
  const address = page.url()
  await drop(page, page.locator('main'), file)
  await page.waitForTimeout(300)
  expect(page.url()).toBe(address)
  await expect(page.getByRole('navigation', { name: windowText('shell:pages.label') })).toBeVisible()
  // Nor behind a dialog of the page of chats.
  await goToPage(page, 'Chat')
  await page.getByRole('button', { name: windowText('library:listMenu') }).click()
  await page.getByRole('menuitem', { name: windowText('library:promptsMenu') }).click()
  const dialog = page.getByRole('dialog')
  await drop(page, dialog, file)
  await page.waitForTimeout(300)
  await expect(dialog).toBeVisible()
  await expect(attached(page)).toHaveCount(0)
})

test('a dragged text or chat is not taken for a file', { tag: '@long' }, async ({ page }) => {
  await world.enter(page)
  await askModel(page, 'mirror', 'A chat that is dragged')
  const row = list(page).getByRole('row').filter({ hasText: 'A chat that is dragged' })
  await row.hover()
  await page.mouse.down()
  await page.mouse.move(600, 300, { steps: 5 })
  await expect(overlay(page)).toHaveCount(0)
  await page.mouse.up()
  await page.locator('article p').first().selectText()
  const words = await page.locator('article p').first().boundingBox()
  if (!words) throw new Error('There are no words.')
  await page.mouse.move(words.x + 10, words.y + words.height / 2)
  await page.mouse.down()
  await page.mouse.move(words.x + 40, words.y + 120, { steps: 5 })
  await expect(overlay(page)).toHaveCount(0)
  const field = await composer(page).boundingBox()
  await page.mouse.move((field?.x ?? 0) + 40, (field?.y ?? 0) + 10, { steps: 5 })
  await page.mouse.up()
  await expect(composer(page)).toHaveValue(/\S/)
  await expect(attached(page)).toHaveCount(0)
})
