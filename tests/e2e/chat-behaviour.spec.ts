import { expect, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, openChatWorld, takePictures } from './chatWorld.ts'
import {
  addToMessage,
  askModel,
  composer,
  growths,
  lastReply,
  openInspector,
  pickModel,
  replies,
  retryWith,
  send,
  sentRequest,
  settled,
} from './journey.ts'

let world: ChatWorld

test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => world.enter(page))

/** Number of frames from pressing Stop until the page shows it. A frame takes 17 ms on an idle machine. */
function answerOfStop(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const button = [...document.querySelectorAll('button')].find((each) => each.textContent?.trim() === 'Stop')
        let frames = 0
        const count = () => {
          frames += 1
          requestAnimationFrame(count)
        }
        requestAnimationFrame(count)
        const look = () => {
          const stopped = document.querySelector('article[data-status="stopped"]') !== null
          if (stopped || document.body.textContent?.includes('Stopping…')) resolve(frames)
        }
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true })
        button?.click()
        look()
      }),
  )
}

test('Stop takes effect at once, the service sees the close, and the cost is not misstated [CHAT-16] [CHAT-18]', async ({
  page,
}) => {
  await pickModel(page, 'writer-large')
  await send(page, 'Write at length.')
  await growths(page, 5)
  const record = world.sandbox.observe.requests().findLast((request) => request.stream)
  expect(await answerOfStop(page)).toBeLessThanOrEqual(3)
  await settled(page, 'stopped')
  expect((await world.sandbox.observe.whenClosed(record?.id ?? '')).closedByClient).toBe(true)
  await expect(lastReply(page)).toContainText('may still be charged')
  await expect(lastReply(page)).not.toContainText(/not charged|free/i)
})

test('Enter sends, Shift+Enter adds a line, Enter inside an IME composition does neither', { tag: '@long' }, async ({
  page,
}) => {
  await pickModel(page, 'mirror')
  await composer(page).fill('one')
  await composer(page).press('Shift+Enter')
  await composer(page).pressSequentially('two')
  await expect(composer(page)).toHaveValue('one\ntwo')
  await composer(page).evaluate((field) =>
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })),
  )
  await expect(composer(page)).toHaveValue('one\ntwo')
  await expect(replies(page)).toHaveCount(0)
  await composer(page).press('Enter')
  await settled(page, 'complete')
  await expect(composer(page)).toHaveValue('')
})

test('a reply stopped while reasoning offers Retry and not Continue', { tag: '@long' }, async ({ page }) => {
  await pickModel(page, 'reasoner')
  await send(page, 'Think about lighthouses.')
  await expect(
    lastReply(page)
      .getByText(/^Reasoning…/)
      .first(),
  ).toBeVisible()
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
  // Only if the answer had not started. The reasoning takes seconds.
  await expect(lastReply(page).locator('[data-part="text"]')).toHaveCount(0)
  await expect(lastReply(page).getByRole('button', { name: windowText('chat:retry'), exact: true })).toBeVisible()
  await expect(
    lastReply(page).getByRole('button', { name: windowText('chat:continueReply'), exact: true }),
  ).toHaveCount(0)
})

test('reasoning is folded and shows its duration [CHAT-12]', async ({ page }) => {
  await askModel(page, 'reasoner', 'Think.')
  const fold = lastReply(page).getByRole('button', { name: /^Reasoned for \d+\.\d s$/ })
  await expect(fold).toHaveAttribute('aria-expanded', 'false')
  await fold.click()
  await expect(lastReply(page)).toContainText('The message has 6 characters.')
})

test('a hostile reply runs and fetches nothing, and its links ask before they open', async ({ page }) => {
  const { origin } = new URL(world.host.url)
  const elsewhere: string[] = []
  page.on('request', (request) => {
    const { protocol, origin: its } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:' && its !== origin && its !== origin.replace('http', 'ws'))
      elsewhere.push(request.url())
  })
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await pickModel(page, 'mirror')
  await send(
    page,
    '<img src=x onerror="alert(1)"> <script>alert(2)</script> [bad](javascript:alert(3)) ![pixel](https://tracker.example/x.png) [good](https://example.com/a)',
  )
  await settled(page, 'complete')
  await lastReply(page).getByText('bad', { exact: true }).click()
  await lastReply(page).getByRole('link', { name: 'good' }).click()
  await expect(page.getByRole('alertdialog')).toContainText('https://example.com/a')
  await page.getByRole('button', { name: windowText('chat:cancel') }).click()
  expect(await lastReply(page).locator('img, script, a[href]').count()).toBe(0)
  expect(dialogs).toEqual([])
  expect(elsewhere).toEqual([])
})

test('a rejected key is explained under the reply as in Settings, with the raw body one click away [ERR-03] [ERR-11]', {
  tag: '@long',
}, async ({ page }) => {
  await askModel(page, 'fault/401', 'Fail.', 'failed')
  await expect(lastReply(page)).toContainText('The service rejected this API key')
  await expect(lastReply(page)).not.toContainText(/not charged/i)
  await lastReply(page).getByText(windowText('chatTools:settings.servers.details'), { exact: true }).click()
  await expect(lastReply(page)).toContainText('status: 401')
  await lastReply(page)
    .getByRole('button', { name: windowText('problems:kinds.unauthorized.action') })
    .click()
  await expect(page).toHaveURL(/settings/)
})

test('set parameters are sent unchanged, stop sequences as a list, unset ones are omitted; cached tokens count once [CHAT-07] [CHAT-08] [CHAT-15]', async ({
  page,
}) => {
  const field = (name: string) => page.getByLabel(name, { exact: true })
  await pickModel(page, 'mirror')
  await openInspector(page, { advanced: true })
  // These have no known bounds: unusual values show a hint and are sent.
  await field('Temperature').fill('2.5')
  await expect(page.getByText('Most models accept 0 to 2. This value is sent anyway.')).toBeVisible()
  await field('Top p').fill('0,5')
  await field('Presence penalty').fill('-1')
  await page.getByRole('button', { name: windowText('chat:stopAdd') }).click()
  await field('Stop sequence 1').fill('NEVER')
  await field('Stop sequence 1').press('Enter')
  await expect(field('Stop sequence 2')).toBeFocused()
  await field('Stop sequence 2').fill('no\\nsuch')
  await field('Provider parameters').click()
  const given = { top_k: 40, response_format: { type: 'grammar', value: 'root ::= "a"' } }
  await page.getByRole('textbox', { name: windowText('chat:paramExtra') }).fill(JSON.stringify(given))
  const text = 'The first of two, long enough to be kept as a block by whoever keeps what came before.'
  await expectAccessible(page)
  await takePictures(page, 'chat-parameters', true)
  await send(page, text)
  await settled(page, 'complete')
  const first = await sentRequest(page)
  expect(first).toEqual({
    model: 'mirror',
    messages: [{ role: 'user', content: text }],
    stream: true,
    stream_options: { include_usage: true },
    temperature: 2.5,
    top_p: 0.5,
    presence_penalty: -1,
    stop: ['NEVER', 'no\nsuch'],
    ...given,
  })
  await page.getByRole('button', { name: windowText('chat:resetAll') }).click()
  await send(page, 'The second.')
  await expect(replies(page)).toHaveCount(2)
  await settled(page, 'complete')
  const second = await sentRequest(page)
  expect(Object.keys(second).sort()).toEqual(['messages', 'model', 'stream', 'stream_options'])

  const facts = page.getByRole('region', { name: windowText('chat:lastReply') })
  const tokens = async (name: string): Promise<number> => {
    const value = facts.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd')
    await expect(value).toContainText('tokens')
    return Number((await value.innerText()).replace(/\D/g, ''))
  }
  const [prompt, cached, reply] = [await tokens('Prompt'), await tokens('Cached'), await tokens('Reply')]
  expect(cached).toBeGreaterThan(0)
  expect(cached).toBeLessThan(prompt)
  expect(await tokens('Total')).toBe(prompt + reply)
})

/** Sends a message to a model that fails, and expects the advice under its reply. */
async function askRefused(page: Page, model: string, text: string, advice: string): Promise<void> {
  const before = await replies(page).count()
  await pickModel(page, model)
  await send(page, text)
  await expect(replies(page)).toHaveCount(before + 1)
  await settled(page, 'failed')
  await expect(lastReply(page).getByText(advice)).toBeVisible()
}

test('a refused request shows the service’s message and an action, and is sent once [ERR-02] [ERR-07] [CHAT-02]', async ({
  page,
}) => {
  const requests = () =>
    world.sandbox.observe.requests().filter(({ path }) => path.endsWith('/chat/completions')).length
  const before = requests()
  const asked = () => requests() - before
  await pickModel(page, 'fault/400')
  // A request needs a message.
  const button = page.getByRole('button', { name: windowText('chat:send'), exact: true })
  await expect(button).toHaveAttribute('title', 'Write something to send.')
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  await composer(page).press('Enter')
  expect(asked()).toBe(0)
  await send(page, 'Is this valid?')
  await settled(page, 'failed')
  await expect(lastReply(page).getByText('Change it before you try again')).toBeVisible()
  await expect(lastReply(page).getByText('The service says: “')).toBeVisible()
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:edit') })
    .click()
  await expect(page.getByRole('textbox', { name: windowText('chat:editText') })).toHaveValue('Is this valid?')
  await page.keyboard.press('Escape')
  expect(asked()).toBe(1)

  await askRefused(page, 'fault/404', 'Is it there?', 'Choose another model, or check the base URL in Settings.')
  // One card with the words and all the buttons.
  const card = lastReply(page).getByRole('note')
  await expect(card).toHaveCount(1)
  await expect(card).toContainText('The service says: “')
  await expect(card.getByRole('button')).toHaveText(['Check address', 'Retry', 'Retry with another model…'])
  expect(asked()).toBe(2)
  await expectAccessible(page)
  await takePictures(page, 'chat-refused', true)
  await retryWith(page, 'mirror')
  await expect(lastReply(page).getByRole('group', { name: 'Reply 2 of 2' })).toBeVisible()
  // The next message goes to the model that was chosen here.
  await expect(page.getByRole('button', { name: 'Model: mirror', exact: true })).toBeVisible()
  await settled(page, 'complete')
  await expect(lastReply(page)).toContainText('Is it there?')
  expect(asked()).toBe(3)

  await askRefused(page, 'fault/500', 'Do you fail?', 'The request was not retried automatically.')
  expect(asked()).toBe(4)
})

test('a reply stopped before its first token is called free only as far as the service says so [CHAT-17]', async ({
  page,
}) => {
  const spent = async (): Promise<unknown> => {
    const reply = await fetch(`${world.sandbox.baseUrl}/v1/usage`, {
      headers: { authorization: `Bearer ${world.sandbox.apiKey}` },
    })
    return ((await reply.json()) as { total_spent: unknown }).total_spent
  }
  const before = await spent()
  await pickModel(page, 'writer-small')
  await openInspector(page, { advanced: true })
  await page.getByLabel(windowText('chat:paramExtra'), { exact: true }).click()
  await page
    .getByRole('textbox', { name: windowText('chat:paramExtra') })
    .fill(JSON.stringify({ sandbox: { first_token_ms: 60_000 } }))
  await send(page, 'Say nothing yet.')
  await expect(lastReply(page)).toContainText('Waiting for the first token')
  const record = world.sandbox.observe.requests().findLast((request) => request.stream)
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
  await expect(lastReply(page)).toContainText('The service does not charge for a reply without output')
  await expect(lastReply(page)).toContainText('it may have started one')
  await expect(lastReply(page)).toContainText('0 SC est.')
  expect((await world.sandbox.observe.whenClosed(record?.id ?? '')).closedByClient).toBe(true)
  expect(await spent()).toBe(before)
})

test('a panel that closes does not take the focus from a model list that was opened right after it', {
  tag: '@long',
}, async ({ page }) => {
  await addToMessage(page, windowText('composer:addRole'))
  await expect(page.getByRole('dialog', { name: windowText('composer:roleTitle') })).toBeVisible()
  // Both in one task, as on a slow computer: the panel's timer for the focus ends after the list has opened.
  await page.getByRole('button', { name: /^Model/ }).evaluate((button: HTMLElement) => {
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
    button.click()
  })
  const search = page.getByRole('combobox', { name: windowText('chat:searchModels') })
  await expect(search).toBeFocused()
  // Two timers later every timer of the closed panel has ended.
  await page.evaluate(() => new Promise((resolve) => setTimeout(() => setTimeout(resolve))))
  await expect(search).toBeFocused()
})
