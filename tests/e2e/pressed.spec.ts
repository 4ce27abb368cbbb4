import { expect, type Locator, type Page, test } from '@playwright/test'
import OpenAI from 'openai'
import { windowText } from '../helpers/windowText.ts'
import { allowClipboard, type ChatWorld, line, newChat, openChatWorld } from './chatWorld.ts'
import { openConnectedHost, openSandbox } from './hosts.ts'
import { connectApp, goToPage, lastReply, pickModel, send, settled } from './journey.ts'
import { scripted, startScripted } from './scripted.ts'

// What the pointer presses is clicked when it is released, whatever arrives in between.

let world: ChatWorld
let service: Awaited<ReturnType<typeof startScripted>>
/** Ends the running reply. */
let finish = Promise.withResolvers<void>()
let parts: [string, string] = ['Well, ', 'that is it.']

async function* answer(): AsyncIterable<string> {
  const { promise } = finish
  yield parts[0]
  await promise
  yield parts[1]
}
function endReply(): void {
  const ended = finish
  finish = Promise.withResolvers()
  ended.resolve()
}

test.beforeAll(async () => {
  world = await openChatWorld(async ({ baseUrl }) => {
    service = await startScripted(baseUrl, () => ({ text: answer() }))
    return service.baseUrl
  })
})
test.afterAll(async () => {
  endReply()
  await world.close()
  await service.close()
})
test.beforeEach(async ({ page }) => {
  parts = ['Well, ', 'that is it.']
  await world.enter(page)
})

/** Presses an element, releases after `meanwhile`. */
async function press(page: Page, element: Locator, meanwhile: () => Promise<unknown>): Promise<void> {
  await element.hover()
  await page.mouse.down()
  expect(await element.evaluate((one) => one.matches(':active')), 'it is pressed').toBe(true)
  await meanwhile()
  await page.mouse.up()
}

async function startReply(page: Page, text: string): Promise<void> {
  await pickModel(page, scripted)
  await send(page, text)
  await expect(lastReply(page)).toContainText(parts[0].slice(0, 4))
}

async function endAndDraw(page: Page): Promise<void> {
  endReply()
  await settled(page, 'complete')
  await expect(lastReply(page)).toContainText('the end.')
}

test('a link or button of a reply that is pressed while the reply ends is clicked, and nothing of it is drawn anew', async ({
  page,
}) => {
  await allowClipboard(page)
  const table = '| a | b |\n| - | - |\n| 1 | 2 |\n\n'
  const code = '```js\nlet a = 1\n```\n\n'
  parts = [`Well, ${'a line.\n\n'.repeat(30)}${table}${code}See [the page](https://example.com/a) for `, 'the end.']
  await startReply(page, 'Go on.')
  const link = lastReply(page).getByRole('link', { name: 'the page' })
  await expect(link).toBeVisible()
  await lastReply(page).evaluate((article) => {
    Object.assign(globalThis, { drawn: [...article.querySelectorAll('.md, .md *:is(button, [role], td, pre, p)')] })
  })
  await press(page, link, () => endAndDraw(page))
  await expect(page.getByRole('alertdialog')).toContainText('https://example.com/a')
  await page.keyboard.press('Escape')
  const gone = await page.evaluate(() => {
    const { drawn } = globalThis as unknown as { drawn: Element[] }
    return [drawn.length > 40, drawn.filter((one) => !one.isConnected).map((one) => one.outerHTML)]
  })
  expect(gone).toEqual([true, []])
  await send(page, 'Once more.')
  await expect(lastReply(page)).toHaveAttribute('data-status', 'streaming')
  const copy = lastReply(page).getByRole('button', { name: windowText('markdown:copyCode') })
  await expect(copy).toBeVisible()
  await press(page, copy, () => endAndDraw(page))
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('let a = 1')
})

test('the chat that is pressed in the list opens, although another one moves above it', async ({ page }) => {
  await startReply(page, 'Oldest chat.')
  for (const title of ['Middle chat.', 'Newest chat.']) {
    await newChat(page)
    await pickModel(page, 'mirror')
    await send(page, title)
    await settled(page, 'complete')
  }
  const titles = page.getByRole('navigation', { name: windowText('library:list') }).getByRole('row')
  await expect(titles.filter({ hasText: /chat/ }).first()).toContainText('Newest')
  await press(page, line(page, 'Middle chat'), async () => {
    endReply()
    await page.waitForTimeout(1_000)
  })
  await expect(page.getByRole('heading', { level: 1, name: 'Middle chat' })).toBeVisible()
  await expect(titles.filter({ hasText: /chat/ }).first()).toContainText('Oldest')
})

test('the request that is pressed in the log opens, although newer ones appear above it', async ({ page }) => {
  await goToPage(page, windowText('proxy:title'))
  const apiKey = await connectApp(page, 'editor')
  const client = new OpenAI({ baseURL: world.host.ready.proxy?.baseUrl ?? '', apiKey, maxRetries: 0 })
  const ask = (model: string) => client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] })
  await ask('writer-free')
  await ask('mirror')
  const rows = page.getByRole('grid', { name: windowText('proxy:log.title') }).getByRole('row')
  await expect(rows.nth(1)).toContainText('mirror')
  await expect(page.getByRole('article', { name: 'editor' })).toContainText('2 requests today')
  await press(page, rows.filter({ hasText: 'writer-free' }), async () => {
    await ask('vision')
    await ask('writer-small')
    await page.waitForTimeout(500)
  })
  const details = page.getByRole('region', { name: windowText('proxy:detail.label') })
  await expect(details).toContainText('writer-free')
  await expect(rows.nth(1)).toContainText('writer-small')
})

test('the image that is pressed in the gallery opens, although a newer one appears before it', async ({
  page,
  context,
}) => {
  const host = await openConnectedHost(await openSandbox())
  const other = await context.newPage()
  for (const where of [page, other]) {
    await where.goto(host.url)
    await goToPage(where, windowText('images:title'))
  }
  const images = (where: Page) =>
    where.getByRole('listbox', { name: windowText('images:gallery.label') }).getByRole('option')
  const draw = async (text: string, count: number): Promise<void> => {
    const prompt = other.getByRole('textbox', { name: windowText('images:details.prompt'), exact: true })
    await prompt.fill(text)
    await prompt.press('Enter')
    await expect(images(other)).toHaveCount(count)
  }
  await draw('A harbour', 1)
  await expect(images(page)).toHaveCount(1)
  await press(page, images(page).first(), async () => {
    await draw('A tower', 2)
    await page.waitForTimeout(500)
  })
  await expect(page.locator('dialog.lightbox')).toContainText('A harbour')
  await expect(images(page)).toHaveCount(2)
  await other.close()
})
