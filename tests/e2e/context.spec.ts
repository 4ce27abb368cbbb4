import { expect, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, openChatWorld, takePictures, turns, violations } from './chatWorld.ts'
import { composer, lastReply, openContext, pickModel, send, sentRequest, settled } from './journey.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => world.enter(page))

const meter = (page: Page) => page.locator('.context-open')
const dialog = (page: Page) => page.getByRole('dialog')
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const note = (page: Page) => page.locator('article[data-role="summary"]')

test('a full context says so, teaches its length, and a summary on a new branch makes space, by keyboard alone', {
  tag: '@long',
}, async ({ page }) => {
  await pickModel(page, 'small-context')
  // An empty chat shows nothing about its context.
  await expect(meter(page)).toHaveCount(0)
  // Nor does a short one whose maximum is not known. Its cost is shown.
  await composer(page).fill('word '.repeat(10_500))
  await expect(meter(page)).toContainText(windowText('context:unknown'))
  await composer(page).fill('Hello')
  await expect(meter(page)).toHaveCount(0)
  for (const word of ['alpha', 'bravo']) {
    await send(page, `Remember ${word}. ${'more words '.repeat(320)}`)
    await settled(page, 'complete')
  }
  // The service refuses the third message: words, the learned length, and what to do.
  await send(page, `Remember charlie. ${'more words '.repeat(400)}`)
  await settled(page, 'failed')
  await expect(lastReply(page)).toContainText(windowText('context:fullTitle', { model: 'small-context' }))
  await expect(lastReply(page)).toContainText('accepts 2,048 tokens')
  await expect(meter(page)).toContainText(/[\d,]+ of 2,048 tokens est\./)
  // The figures once, without those of the bar.
  await expect(meter(page)).toHaveAccessibleName(/^Context [\d,]+ of 2,048 tokens est\./)
  await expectAccessible(page, 'article[data-role="assistant"]:last-of-type')
  await takePictures(page, 'context-full', true)

  const summarise = lastReply(page).getByRole('button', { name: windowText('context:summariseOldest') })
  await summarise.focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toContainText(/4 messages are sent to small-context: [\d,]+ tokens est\./)
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'context-summary-plan')
  await button(page, windowText('context:start')).focus()
  await page.keyboard.press('Enter')
  const field = page.getByRole('textbox', { name: windowText('context:noteText') })
  await expect(field).toBeFocused()
  await expect(field).not.toHaveValue('')
  await page.keyboard.press('ControlOrMeta+Home')
  await page.keyboard.type('Alpha and bravo are remembered. ')
  await takePictures(page, 'context-summary-edit')
  // The summary was paid for: a reload loses neither the summary nor what was typed.
  await page.reload()
  await expect(button(page, windowText('context:summaryReady'))).toBeVisible()
  await expectAccessible(page, '.chat-composer-frame')
  await takePictures(page, 'context-summary-ready', true)
  await button(page, windowText('context:summaryReady')).press('Enter')
  await expect(field).toHaveValue(/^Alpha and bravo are remembered\. ./)
  await button(page, windowText('context:use')).focus()
  await page.keyboard.press('Enter')

  // The note replaces four messages on a branch of its own, where the question can be asked again.
  await expect(dialog(page)).toHaveCount(0)
  // The list renders only what is near the view. While the branch opens, it follows its end, whatever key was pressed before.
  await expect(async () => {
    await page.locator('.chat-talk').press('Home')
    await expect(note(page)).toContainText('Summary of 4 earlier messages', { timeout: 1000 })
    await expect(note(page).locator('[data-part="text"]')).toContainText('Alpha and bravo are remembered.', {
      timeout: 1000,
    })
  }).toPass()
  await page.locator('.chat-talk').press('End')
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:retry'), exact: true })
    .click()
  await settled(page, 'complete')
  await expect(meter(page)).toHaveAttribute('data-state', 'free')
  await page.locator('.chat-talk').press('Home')
  await expect(note(page)).toBeVisible()
  const found = await violations(page, 'article[data-role="summary"]')
  // A model's text may begin with a heading of any level.
  expect(found.filter(({ id }) => id !== 'heading-order')).toEqual([])
  await takePictures(page, 'context-note', true)
  // Editing makes one more version; all messages are still on the first.
  await note(page)
    .getByRole('button', { name: windowText('context:editNote') })
    .focus()
  await page.keyboard.press('Enter')
  await field.fill('Changed note.')
  await button(page, windowText('context:saveNote')).click()
  await expect(note(page).locator('[data-part="text"]')).toHaveText('Changed note.')
  await expect(note(page)).toContainText('3 / 3')
  for (const _ of [1, 2])
    await page
      .getByRole('button', { name: windowText('chat:siblingPrevious') })
      .first()
      .click()
  await expect(note(page)).toHaveCount(0)
  await expect(turns(page).first()).toContainText('Remember alpha.')
})

test('the parts add up, a length can be set, and a message that is left out is shown and not sent', {
  tag: '@long',
}, async ({ page }) => {
  await pickModel(page, 'mirror')
  await send(page, 'The first message has a marker.')
  await settled(page, 'complete')
  await composer(page).fill('A draft of the next message')
  await expect(page.locator('.context-costs')).toContainText(/Chat [\d.<]+ SC/)
  await expect(meter(page)).toHaveCount(0)
  await openContext(page)
  // What the service has counted, and what is estimated.
  await expect(dialog(page)).toContainText(
    /Sent so far: [\d,]+ tokens, counted by the service\. Everything new is estimated\./,
  )
  const rows = dialog(page).locator('.context-parts tbody tr td:last-child')
  await expect(rows).toHaveCount(6)
  const total = dialog(page).locator('.context-parts tfoot td:last-child')
  const number = (text: string) => Number(text.replace(/\D/g, ''))
  // Together, because the draft is still being counted.
  await expect(async () => {
    const [sum, ...parts] = (await total.or(rows).allInnerTexts()).map(number).reverse()
    expect(parts.reduce((before, one) => before + one, 0)).toBe(sum)
  }).toPass()
  // By the person: shown with its source, and removed again.
  const length = page.getByRole('textbox', { name: windowText('context:lengthLabel') })
  await length.fill('12')
  await length.press('Enter')
  await expect(dialog(page)).toContainText(windowText('context:lengthWrong'))
  await length.fill('400')
  await length.press('Enter')
  await expect(dialog(page)).toContainText('You set 400 tokens.')
  await expect(total).toContainText('/ 400')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'context-parts', true)
  await page.keyboard.press('Escape')
  await expect(composer(page)).toBeFocused()
  await expect(meter(page)).toContainText('of 400 tokens')
  await expectAccessible(page, '.chat-composer-frame')

  // Leaves the first message out through its menu, and includes it again.
  await composer(page).fill('')
  const first = turns(page).first()
  await first.hover()
  await first.getByRole('button', { name: windowText('chat:moreActions') }).click()
  await page.getByRole('menuitem', { name: windowText('context:leaveOut'), exact: true }).click()
  await expect(first).toContainText(windowText('context:notSent'))
  await expectAccessible(page, 'article[data-role="user"]')
  await takePictures(page, 'context-left-out', true)
  await send(page, 'The second message')
  await expect(page.locator('article[data-role="assistant"]')).toHaveCount(2)
  await settled(page, 'complete')
  // The mirror's own reply quotes the first message, and is still sent.
  expect(await sentRequest(page)).toMatchObject({
    messages: [{ role: 'assistant' }, { role: 'user', content: 'The second message' }],
  })
  await page.reload()
  await expect(first).toContainText(windowText('context:notSent'))
  await first.getByRole('button', { name: windowText('context:include'), exact: true }).click()
  await expect(first).not.toContainText(windowText('context:notSent'))
})
