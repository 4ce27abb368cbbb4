import { expect, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import {
  type ChatWorld,
  expectAccessible,
  expectAccessibleInDark,
  newChat,
  openChatWorld,
  takePictures,
  turns,
} from './chatWorld.ts'
import { addToMessage, composer, pickModel, replies } from './journey.ts'
import { type Line, scripted, startScripted } from './scripted.ts'

// Messages that are written while a reply is running.

let world: ChatWorld
let service: Awaited<ReturnType<typeof startScripted>>
/** Tools that the running reply calls at its end. */
let calls: Line['calls']
/** Ends the running reply. */
let finish = Promise.withResolvers<void>()

const answers = (): Line => {
  const { promise } = finish
  const text = async function* () {
    yield 'Well, '
    await promise
    yield 'that is it.'
  }
  return { text: text(), ...(calls && { calls }) }
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
  calls = undefined
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
  await page.locator('.chat-composer input[type="file"]').setInputFiles(picture)
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
  for (const [at, text] of ['Second', 'Third', 'Fourth'].entries()) {
    await enterText(page, text)
    // While one is on its way to the core, the next stays in the field.
    await expect(queue(page)).toHaveCount(at + 1)
  }
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

test('while a tool call waits for its result, the queue waits too; Send now continues without the call', {
  tag: '@long',
}, async ({ page }) => {
  await world.enter(page)
  await page.evaluate(() => {
    location.hash = '#/settings/tools'
  })
  await page.getByRole('button', { name: windowText('chatTools:settings.functions.add') }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel(windowText('chatTools:settings.form.name')).fill('get_tide')
  await form
    .getByRole('combobox', { name: windowText('chatTools:settings.form.start') })
    .selectOption({ label: windowText('chatTools:settings.form.example.none') })
  await form.getByRole('button', { name: windowText('chatTools:settings.form.add'), exact: true }).click()
  await expect(form).toBeHidden()
  await page.evaluate(() => {
    location.hash = '#/chat'
  })
  await newChat(page)
  await pickModel(page, scripted)
  await addToMessage(page, windowText('composer:addTools'))
  await page.getByRole('switch', { name: windowText('chatTools:pick.switch', { name: 'get_tide' }) }).click()
  await page.keyboard.press('Escape')
  calls = [{ name: 'get_tide', arguments: '{}' }]
  await enterText(page, 'First')
  await expect(replies(page).last()).toContainText('Well,')
  await enterText(page, 'Second')
  endReply()
  await expect(page.locator('[data-tool-call][data-state="by_hand"]')).toBeVisible()
  await expect(queue(page)).toHaveText([new RegExp(`^Second.*${windowText('composer:queueWaiting')}`, 's')])
  await expectAccessible(page)
  await takePictures(page, 'queue-waits-on-call', true)
  calls = undefined
  await queue(page)
    .getByRole('button', { name: windowText('composer:queueSend') })
    .click()
  await expect(queue(page)).toHaveCount(0)
  await expect(turns(page)).toHaveCount(2)
  endReply()
})

test('a queued message that can not be sent says why beside it', { tag: '@long' }, async ({ page }) => {
  await start(page)
  await enterText(page, 'Second')
  await composer(page).press('Escape')
  await expect(queue(page)).toHaveText([new RegExp(windowText('composer:queueHeld'))])
  const chat = page.url()
  await page.evaluate(() => {
    location.hash = '#/settings/connection'
  })
  await page
    .getByRole('button', { name: /^More for / })
    .last()
    .click()
  await page.getByRole('menuitem', { name: windowText('settings:connection.deleteItem') }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: windowText('settings:connection.confirmDelete') })
    .click()
  await page.goto(chat)
  await queue(page)
    .getByRole('button', { name: windowText('composer:queueSend') })
    .click()
  await expect(queue(page)).toHaveText([new RegExp(`${windowText('composer:queueHeld')}: .*[Cc]onnect`)])
  await expectAccessible(page)
  await takePictures(page, 'queue-reason', true)
})
