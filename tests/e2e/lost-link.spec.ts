import { expect, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, openChatWorld, turns } from './chatWorld.ts'
import { composer, goToPage, lastReply, pickModel, send, settled } from './journey.ts'

// The connection between page and host ends after a call was sent and before its result: the host has the call, the page cannot know.
// Pressing the button again must neither send nor bill the request twice.

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

/** Installs `cutAfter` in the page: the next call of that procedure becomes the last message of its socket. */
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
      // Sent messages still go out. Nothing received after this call is delivered.
      this.close()
    }
  })
}
async function cutAfter(page: Page, procedure: string): Promise<void> {
  await page.evaluate((path) => Object.assign(globalThis.link, { cutAfter: path, cuts: 0 }), procedure)
}
const wasCut = (page: Page) => expect.poll(() => page.evaluate(() => globalThis.link.cuts)).toBe(1)
const linked = (page: Page) => expect(page.getByText('Link to the program lost')).toHaveCount(0)

/** Sends a text in a new chat and cuts the connection behind the call. The composer still has the text. */
async function sendAndCut(page: Page, text: string): Promise<void> {
  before = requests(chat)
  await cutAfter(page, '/chat/send')
  await send(page, text)
  await wasCut(page)
  await expect(composer(page)).toHaveValue(text)
}

/** Expects that all requests have ended and that there were no others. */
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

const sendButton = (page: Page) => page.getByRole('button', { name: windowText('chat:send'), exact: true })

/** Presses Send until the core confirms, which empties the composer. */
async function pressUntilSent(page: Page): Promise<void> {
  await expect(async () => {
    if ((await composer(page).inputValue()) !== '') await sendButton(page).click({ timeout: 1_000 })
    await expect(composer(page)).toHaveValue('', { timeout: 1_000 })
    await expect(turns(page).first()).toBeVisible({ timeout: 1_000 })
  }).toPass()
}

test('a new chat: pressing Send again opens the started chat', { tag: '@long' }, async ({ page }) => {
  await sendAndCut(page, 'The first boat.')
  await pressUntilSent(page)
  await settled(page, 'complete')
  await expect(turns(page)).toHaveCount(1)
  await expectRequests(chat, 1)
  // The same text again is a new request.
  await send(page, 'The first boat.')
  await expectRequests(chat, 2)
})

test('a new chat, after a reload: the text is still there with its request id', { tag: '@long' }, async ({ page }) => {
  await sendAndCut(page, 'The second boat.')
  await page.reload()
  await expect(composer(page)).toHaveValue('The second boat.')
  await pressUntilSent(page)
  await settled(page, 'complete')
  await expectRequests(chat, 1)
})

test('a new chat in two windows: Send in the second opens the chat that the first started', { tag: '@long' }, async ({
  page,
  context,
}) => {
  await sendAndCut(page, 'The third boat.')
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

test('a changed text is a new request, also when changed back', { tag: '@long' }, async ({ page }) => {
  await sendAndCut(page, 'The fourth boat.')
  await composer(page).fill('The fourth boat')
  await composer(page).pressSequentially('.')
  await pressUntilSent(page)
  await expectRequests(chat, 2)
})

test('another model is a new request', { tag: '@long' }, async ({ page }) => {
  await sendAndCut(page, 'The fifth boat.')
  await pickModel(page, 'writer-small')
  await pressUntilSent(page)
  await expectRequests(chat, 2)
})

test('an existing chat: a text that arrived leaves the composer, and pressing Send twice sends it once', async ({
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

test('an existing chat whose message never arrived: the text survives a reload and is sent once', {
  tag: '@long',
}, async ({ page }) => {
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

test('an edit', { tag: '@long' }, async ({ page }) => {
  await send(page, 'Hello.')
  await settled(page, 'complete')
  before = requests(chat)
  await turns(page).first().getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel(windowText('chat:editText')).fill('Good morning.')
  await cutAfter(page, '/chat/send')
  const save = page.getByRole('button', { name: windowText('chat:saveAndSend') })
  await save.click()
  await wasCut(page)
  // Sends again while disconnected. Then the first call turns out to have arrived.
  if (await save.isVisible()) await save.click({ timeout: 1_000 }).catch(() => undefined)
  await expect(page.getByLabel(windowText('chat:editText'))).toHaveCount(0)
  await expect(turns(page).first()).toContainText('Good morning.')
  await settled(page, 'complete')
  await expectRequests(chat, 1)
})

for (const [what, name, model] of [
  ['another reply', 'Retry', 'mirror'],
  ['the rest of a reply', 'Continue', 'fault/cut'],
] as const) {
  test(what, { tag: '@long' }, async ({ page }) => {
    await pickModel(page, model)
    await send(page, 'Write at length about lighthouses.')
    await settled(page, model === 'mirror' ? 'complete' : 'incomplete')
    before = requests(chat)
    await cutAfter(page, name === 'Retry' ? '/chat/retry' : '/chat/continueReply')
    const button = lastReply(page).getByRole('button', { name, exact: true })
    await button.click()
    await wasCut(page)
    // Asks again, unless the page shows already that the first call arrived: then the button would ask for one more.
    await button
      .evaluate(
        (element) => {
          // A continuation is a further part of the reply.
          const parts = [...document.querySelectorAll('article[data-role="assistant"] .chat-part')]
          const isOther = element.closest('article')?.textContent?.includes('2 / 2')
          if (parts.length === 1 && !isOther) (element as HTMLElement).click()
        },
        undefined,
        { timeout: 1_000 },
      )
      .catch(() => undefined)
    await linked(page)
    if (name === 'Retry') await expect(lastReply(page).getByText('2 / 2')).toBeVisible()
    else await expect(lastReply(page).locator('.chat-part')).toHaveCount(2)
    await expectRequests(chat, 1)
  })
}

test('a speech', { tag: '@long' }, async ({ page }) => {
  const path = '/v1/audio/speech'
  before = requests(path)
  await goToPage(page, windowText('shell:pages.speech'))
  const field = page.getByRole('textbox', { name: windowText('offline:change.text') })
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

test('images', { tag: '@long' }, async ({ page }) => {
  const path = '/v1/images/generations'
  before = requests(path)
  await goToPage(page, windowText('shell:pages.images'))
  await page.getByRole('textbox', { name: windowText('offline:change.hint'), exact: true }).fill('A lighthouse')
  await cutAfter(page, '/images/generate')
  const draw = page.getByRole('button', { name: 'Generate', exact: true })
  const lost = page.getByText(windowText('problems:kinds.connection_lost.title'))
  await draw.click()
  await wasCut(page)
  // The draft remains, with a notice that the confirmation is missing.
  await expect(lost.first()).toBeVisible()
  await expect(async () => {
    await draw.click({ timeout: 1_000 })
    await expect(lost).toHaveCount(0, { timeout: 1_000 })
  }).toPass()
  await expectRequests(path, 1)
})
