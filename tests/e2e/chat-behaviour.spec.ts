import { expect, type Page, test } from '@playwright/test'
import { type Sandbox, startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { closeHosts, openConnectedHost, type WebHost } from './hosts.ts'
import { composer, growths, lastReply, pickModel, replies, send, settled } from './journey.ts'

const key = 'sk-behaviour'
let sandbox: Sandbox
let host: WebHost

test.beforeEach(async ({ page }) => {
  sandbox = await startSandbox({ apiKey: key })
  host = await openConnectedHost(sandbox)
  await page.goto(host.url)
})
test.afterEach(async () => {
  await closeHosts()
  await sandbox.close()
})

/** How many frames the page has drawn from a press of Stop until it is answered in words: a frame is 17 ms where the machine has time. */
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

test('Stop answers within 50 ms of a machine that has time, the service sees the close, and nothing false is said of cost [CHAT-16] [CHAT-18]', async ({
  page,
}) => {
  await pickModel(page, 'writer-large')
  await send(page, 'Write at length.')
  await growths(page, 5)
  const record = sandbox.observe.requests().findLast((request) => request.stream)
  expect(await answerOfStop(page)).toBeLessThanOrEqual(3)
  await settled(page, 'stopped')
  expect((await sandbox.observe.whenClosed(record?.id ?? '')).closedByClient).toBe(true)
  await expect(lastReply(page)).toContainText('may estimate its tokens')
  await expect(lastReply(page)).not.toContainText(/not charged|free/i)
})

test('Enter sends, Shift+Enter makes a line, Enter inside a composition does neither', async ({ page }) => {
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

test('reasoning is folded with its time [CHAT-12]', async ({ page }) => {
  await pickModel(page, 'reasoner')
  await send(page, 'Think.')
  await settled(page, 'complete')
  const fold = lastReply(page).getByRole('button', { name: /^Reasoned for \d+\.\d s$/ })
  await expect(fold).toHaveAttribute('aria-expanded', 'false')
  await fold.click()
  await expect(lastReply(page)).toContainText('The message has 6 characters.')
})

test('a hostile reply runs nothing, fetches nothing, and its links ask first', async ({ page }) => {
  const { origin } = new URL(host.url)
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
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await lastReply(page).locator('img, script, a[href]').count()).toBe(0)
  expect(dialogs).toEqual([])
  expect(elsewhere).toEqual([])
})

test('a refused key under a reply is told in the words of Settings, its raw body a click away [ERR-03] [ERR-11]', async ({
  page,
}) => {
  await pickModel(page, 'fault/401')
  await send(page, 'Fail.')
  await settled(page, 'failed')
  await expect(lastReply(page)).toContainText('This key was refused')
  await expect(lastReply(page)).not.toContainText(/not charged/i)
  await lastReply(page).getByText('What the service said').click()
  await expect(lastReply(page)).toContainText('status: 401')
  await lastReply(page).getByRole('button', { name: 'Check the key' }).click()
  await expect(page).toHaveURL(/settings/)
})
