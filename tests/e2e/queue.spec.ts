import { expect, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import {
  type ChatWorld,
  expectAccessible,
  expectAccessibleInDark,
  openChatWorld,
  takePictures,
  turns,
} from './chatWorld.ts'
import { composer, pickModel, replies } from './journey.ts'
import { type Line, scripted, startScripted } from './scripted.ts'

// Messages that are written while a reply is running.

let world: ChatWorld
let service: Awaited<ReturnType<typeof startScripted>>
/** Ends the running reply. */
let finish = Promise.withResolvers<void>()

const answers = (): Line => {
  const { promise } = finish
  const text = async function* () {
    yield 'Well, '
    await promise
    yield 'that is it.'
  }
  return { text: text() }
}
/** Lets the running reply end well. The next one waits for its own end. */
function endReply(): void {
  const ended = finish
  finish = Promise.withResolvers()
  ended.resolve()
}

test.beforeAll(async () => {
  world = await openChatWorld(async ({ baseUrl }) => {
    service = await startScripted(baseUrl, answers)
    return service.baseUrl
  })
})
test.afterAll(async () => {
  endReply()
  await world.close()
  await service.close()
})
test.beforeEach(() => {
  service.asked.length = 0
  endReply()
})

const queue = (page: Page) => page.getByRole('list', { name: windowText('composer:queueTitle') }).getByRole('listitem')
const news = (page: Page) => page.locator('.chat-composer-frame .chat-sr[role="status"]')
const asked = (): unknown[] =>
  service.asked.map(({ messages }) => messages.findLast(({ role }) => role === 'user')?.content)

async function enterText(page: Page, text: string): Promise<void> {
  await composer(page).fill(text)
  await composer(page).press('Enter')
}

/** A chat whose reply is running. */
async function start(page: Page): Promise<void> {
  await world.enter(page)
  await pickModel(page, scripted)
  await enterText(page, 'First')
  await expect(replies(page).last()).toContainText('Well,')
}

const picture = {
  name: 'dot.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
}

test('Enter during a reply queues the message with its files, in order, and each is sent when the reply before it is finished', async ({
  page,
}) => {
  await start(page)
  await composer(page).fill('Second')
  await page.locator('.chat-composer input[type="file"]').first().setInputFiles(picture)
  await expect(page.locator('.composer-picture[data-state="ready"]')).toHaveCount(1)
  await expect(page.locator('#root')).toContainText(windowText('composer:queueHint'))
  await takePictures(page, 'queue-typing', true)
  await composer(page).press('Enter')
  await expect(composer(page)).toHaveValue('')
  await expect(queue(page)).toHaveText([/^Second.*Sent when this reply is finished · 1 file/s])
  await expect(news(page)).toHaveText(windowText('composer:queuedNow'))
  await enterText(page, 'Third')
  await expect(queue(page)).toHaveText([/^Second/, /^Third.*Sent after the message above/s])
  await expectAccessible(page)
  await expectAccessibleInDark(page, 'queue-two')
  // A reload and another window show the same.
  await page.reload()
  await expect(queue(page)).toHaveText([/^Second/, /^Third/])
  const other = await page.context().newPage()
  await other.goto(page.url())
  await expect(queue(other)).toHaveText([/^Second/, /^Third/])
  expect(asked()).toEqual(['First'])
  endReply()
  await expect(queue(page)).toHaveText([/^Third/])
  await expect(queue(other)).toHaveText([/^Third/])
  await expect(turns(page)).toHaveCount(2)
  await expect(turns(page).last().getByRole('img')).toHaveCount(1)
  await expect(replies(page).last()).toContainText('Well,')
  endReply()
  await expect(queue(page)).toHaveCount(0)
  await expect(turns(page)).toHaveCount(3)
  await expect.poll(() => service.asked.length).toBe(3)
  expect(asked()[2]).toBe('Third')
  await other.close()
})

test('after Stop the queue waits for the person, who sends, edits and removes', async ({ page }) => {
  await start(page)
  await enterText(page, 'Second')
  await enterText(page, 'Third')
  await enterText(page, 'Fourth')
  await composer(page).press('Escape')
  await expect(replies(page).last()).toHaveAttribute('data-status', 'stopped')
  const held = windowText('composer:queueHeld')
  await expect(queue(page)).toHaveText([new RegExp(held), new RegExp(held), new RegExp(held)])
  await expect(news(page)).toHaveText(windowText('composer:queueHeldNow', { reason: '' }).trim())
  await expectAccessibleInDark(page, 'queue-held')

  await composer(page).fill('half a thought')
  await queue(page)
    .nth(0)
    .getByRole('button', { name: windowText('composer:queueEdit') })
    .click()
  await expect(composer(page)).toHaveValue('Second\n\nhalf a thought')
  await expect(composer(page)).toBeFocused()
  await expect(queue(page)).toHaveText([/^Third/, /^Fourth/])
  await queue(page)
    .nth(1)
    .getByRole('button', { name: windowText('composer:queueRemove') })
    .click()
  await expect(queue(page)).toHaveText([/^Third/])
  await page.reload()
  await expect(composer(page)).toHaveValue('Second\n\nhalf a thought')
  await queue(page)
    .getByRole('button', { name: windowText('composer:queueSend') })
    .click()
  await expect(queue(page)).toHaveCount(0)
  await expect(turns(page)).toHaveCount(2)
  await expect.poll(() => asked()).toEqual(['First', 'Third'])
  await expect(composer(page)).toHaveValue('Second\n\nhalf a thought')
  endReply()
})

test('a queued message whose answer was lost is queued once', { tag: '@long' }, async ({ page }) => {
  await page.addInitScript(() => {
    const write = WebSocket.prototype.send
    WebSocket.prototype.send = function (data) {
      write.call(this, data)
      const text = typeof data === 'string' ? data : new TextDecoder().decode(data as ArrayBuffer)
      if (!text.includes('/chat/queue') || 'wasCut' in globalThis) return
      Object.assign(globalThis, { wasCut: true })
      this.close()
    }
  })
  await start(page)
  await enterText(page, 'Second')
  await expect(queue(page)).toHaveText([/^Second/])
  await expect(composer(page)).toHaveValue('')
  endReply()
  await expect(turns(page)).toHaveCount(2)
  await expect.poll(() => asked()).toEqual(['First', 'Second'])
})
