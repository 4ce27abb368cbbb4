import { expect, type Page, test } from '@playwright/test'
import { type ChatWorld, openChatWorld, turns } from './chatWorld.ts'
import { composer, lastReply, pickModel, replies, send, settled } from './journey.ts'

// The connection between page and program ends after a request was written and before its answer: the program has it, the page does not know.
// Pressing again must neither send nor bill it twice.

let world: ChatWorld
let before = 0

test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())

const chat = '/v1/chat/completions'
const requests = (path: string): number =>
  world.sandbox.observe.requests().filter((one) => one.method === 'POST' && one.path === path).length
const idle = (): boolean => world.sandbox.observe.requests().every(({ endedAt }) => endedAt !== null)

declare global {
  var link: { cutAfter: string | null; cuts: number }
}

/** Makes `cutAfter` work in this page: the next call of that procedure is its socket's last message. */
async function prepare(page: Page): Promise<void> {
  await page.addInitScript(() => {
    globalThis.link = { cutAfter: null, cuts: 0 }
    const write = WebSocket.prototype.send
    WebSocket.prototype.send = function (data) {
      write.call(this, data)
      const text = typeof data === 'string' ? data : new TextDecoder().decode(data as ArrayBuffer)
      const { link } = globalThis
      if (link.cutAfter === null || !text.includes(link.cutAfter)) return
      link.cutAfter = null
      link.cuts++
      // What was written still goes out; nothing that comes after this call is heard.
      this.close()
    }
  })
}
async function cutAfter(page: Page, procedure: string): Promise<void> {
  await page.evaluate((path) => Object.assign(globalThis.link, { cutAfter: path, cuts: 0 }), procedure)
}
const wasCut = (page: Page) => expect.poll(() => page.evaluate(() => globalThis.link.cuts)).toBe(1)
const linked = (page: Page) => expect(page.getByText('Link to the program lost')).toHaveCount(0)

/** All that was asked for has come to its end, and nothing more than that was asked for. */
async function expectRequests(path: string, count: number): Promise<void> {
  await expect.poll(() => requests(path) - before).toBeGreaterThanOrEqual(count)
  await expect.poll(idle).toBe(true)
  expect(requests(path) - before).toBe(count)
}

test.beforeEach(async ({ page }) => {
  await prepare(page)
  await world.enter(page)
  await pickModel(page, 'mirror')
})

const sendButton = (page: Page) => page.getByRole('button', { name: 'Send', exact: true })

/** Presses Send until the core has answered: the composer is empty then. */
async function pressUntilSent(page: Page): Promise<void> {
  await expect(async () => {
    if ((await composer(page).inputValue()) !== '') await sendButton(page).click({ timeout: 1_000 })
    await expect(composer(page)).toHaveValue('', { timeout: 1_000 })
    await expect(turns(page).first()).toBeVisible({ timeout: 1_000 })
  }).toPass()
}

test('a new chat: pressing Send again opens what was begun', async ({ page }) => {
  before = requests(chat)
  await cutAfter(page, '/chat/send')
  await send(page, 'The first boat.')
  await wasCut(page)
  await expect(composer(page)).toHaveValue('The first boat.')
  await pressUntilSent(page)
  await settled(page, 'complete')
  await expect(turns(page)).toHaveCount(1)
  await expectRequests(chat, 1)
  // The same words once more are a new request.
  await send(page, 'The first boat.')
  await expectRequests(chat, 2)
})

test('a new chat, over a reload: the text is there with its request', async ({ page }) => {
  before = requests(chat)
  await cutAfter(page, '/chat/send')
  await send(page, 'The second boat.')
  await wasCut(page)
  await expect(composer(page)).toHaveValue('The second boat.')
  await page.reload()
  await expect(composer(page)).toHaveValue('The second boat.')
  await pressUntilSent(page)
  await settled(page, 'complete')
  await expectRequests(chat, 1)
})

test('a new chat in two windows: Send in the second opens what the first began', async ({ page, context }) => {
  before = requests(chat)
  await cutAfter(page, '/chat/send')
  await send(page, 'The third boat.')
  await wasCut(page)
  await expect(composer(page)).toHaveValue('The third boat.')
  const second = await context.newPage()
  await prepare(second)
  await second.goto(page.url())
  await expect(composer(second)).toHaveValue('The third boat.')
  await pickModel(second, 'mirror')
  await pressUntilSent(second)
  await settled(second, 'complete')
  await page.bringToFront()
  await pressUntilSent(page)
  await expectRequests(chat, 1)
})

test('a text that was changed is another request, also when it is changed back', async ({ page }) => {
  before = requests(chat)
  await cutAfter(page, '/chat/send')
  await send(page, 'The fourth boat.')
  await wasCut(page)
  await expect(composer(page)).toHaveValue('The fourth boat.')
  await composer(page).fill('The fourth boat')
  await composer(page).pressSequentially('.')
  await pressUntilSent(page)
  await expectRequests(chat, 2)
})

test('another model is another request', async ({ page }) => {
  before = requests(chat)
  await cutAfter(page, '/chat/send')
  await send(page, 'The fifth boat.')
  await wasCut(page)
  await expect(composer(page)).toHaveValue('The fifth boat.')
  await pickModel(page, 'writer-small')
  await pressUntilSent(page)
  await expectRequests(chat, 2)
})

test('a conversation: what arrived leaves the composer by itself, and pressing at once sends it once', async ({
  page,
}) => {
  await send(page, 'Hello.')
  await settled(page, 'complete')
  before = requests(chat)
  await cutAfter(page, '/chat/send')
  await send(page, 'The next boat.')
  await wasCut(page)
  await sendButton(page).click()
  await expect(composer(page)).toHaveValue('')
  await expect(turns(page)).toHaveCount(2)
  await settled(page, 'complete')
  await expectRequests(chat, 1)
  await expect(page.locator('.chat-send-problem')).toHaveCount(0)
  await page.reload()
  await expect(turns(page)).toHaveCount(2)
  await expect(composer(page)).toHaveValue('')
})

test('a conversation whose program never got the message: the text is there after a reload and is sent once', async ({
  page,
}) => {
  await send(page, 'Hello.')
  await settled(page, 'complete')
  before = requests(chat)
  await page.evaluate(() => {
    const write = WebSocket.prototype.send
    WebSocket.prototype.send = function (data) {
      if (typeof data !== 'string' || !data.includes('/chat/send')) return write.call(this, data)
      globalThis.link.cuts++
      this.close()
    }
  })
  await send(page, 'A boat that did not leave.')
  await wasCut(page)
  await expect(composer(page)).toHaveValue('A boat that did not leave.')
  await page.reload()
  await expect(composer(page)).toHaveValue('A boat that did not leave.')
  await pressUntilSent(page)
  await expect(turns(page)).toHaveCount(2)
  await expectRequests(chat, 1)
})

test('an edit', async ({ page }) => {
  await send(page, 'Hello.')
  await settled(page, 'complete')
  before = requests(chat)
  await turns(page).first().getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Edited text').fill('Good morning.')
  await cutAfter(page, '/chat/send')
  const save = page.getByRole('button', { name: 'Save and send' })
  await save.click()
  await wasCut(page)
  // Again at once, while the link is lost; then it turns out that it has arrived.
  if (await save.isVisible()) await save.click({ timeout: 1_000 }).catch(() => undefined)
  await expect(page.getByLabel('Edited text')).toHaveCount(0)
  await expect(turns(page).first()).toContainText('Good morning.')
  await settled(page, 'complete')
  await expectRequests(chat, 1)
})

for (const [what, name, model] of [
  ['another reply', 'Retry', 'mirror'],
  ['the rest of a reply', 'Continue', 'fault/cut'],
] as const) {
  test(what, async ({ page }) => {
    await pickModel(page, model)
    await send(page, 'Write at length about lighthouses.')
    await settled(page, model === 'mirror' ? 'complete' : 'incomplete')
    before = requests(chat)
    await cutAfter(page, name === 'Retry' ? '/chat/retry' : '/chat/continueReply')
    const button = lastReply(page).getByRole('button', { name, exact: true })
    await button.click()
    await wasCut(page)
    await button.click({ timeout: 1_000 }).catch(() => undefined)
    await linked(page)
    if (name === 'Retry') await expect(lastReply(page).getByText('2 / 2')).toBeVisible()
    else await expect(replies(page)).toHaveCount(2)
    await expectRequests(chat, 1)
  })
}

test('a speech', async ({ page }) => {
  const path = '/v1/audio/speech'
  before = requests(path)
  await page.evaluate(() => {
    location.hash = '#/speech'
  })
  const field = page.getByRole('textbox', { name: 'Text' })
  await field.fill('The tide is in.')
  await cutAfter(page, '/speech/generate')
  const speak = page.getByRole('button', { name: 'Generate speech', exact: true })
  await speak.click()
  await wasCut(page)
  await expect(async () => {
    if (await speak.isVisible()) await speak.click({ timeout: 1_000 })
    await expect(speak).toHaveCount(0, { timeout: 1_000 })
  }).toPass()
  await expectRequests(path, 1)
})

test('images', async ({ page }) => {
  const path = '/v1/images/generations'
  before = requests(path)
  await page.evaluate(() => {
    location.hash = '#/images'
  })
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('A lighthouse')
  await cutAfter(page, '/images/generate')
  const draw = page.getByRole('button', { name: 'Generate', exact: true })
  const lost = page.getByText('The connection was lost')
  await draw.click()
  await wasCut(page)
  // The draft stays, with the notice that its answer is missing.
  await expect(lost.first()).toBeVisible()
  await expect(async () => {
    await draw.click({ timeout: 1_000 })
    await expect(lost).toHaveCount(0, { timeout: 1_000 })
  }).toPass()
  await expectRequests(path, 1)
})
