import { expect, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, expectAccessibleEverywhere, takePictures } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox } from './hosts.ts'
import { connectApp, goToPage } from './journey.ts'

test.afterEach(closeHosts)

test('a request over the budget asks in every window, and the first answer by keyboard sends it', async ({
  page,
  context,
}) => {
  const host = await openConnectedHost(await openSandbox())
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(host.url)
  const second = await context.newPage()
  await second.goto(`${new URL(page.url()).origin}/#/chat`)
  await goToPage(page, windowText('shell:pages.proxy'))
  const key = await connectApp(page, 'Notes', async (dialog) => {
    await dialog.getByLabel(windowText('proxy:form.budgetDay')).fill('0')
    await dialog.getByRole('radio', { name: windowText('proxy:form.atBudgetAsk') }).click()
    await expectAccessibleEverywhere(page, 'questions-1-settings')
  })
  const ask = () =>
    fetch(`${host.ready.proxy?.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mirror', messages: [{ role: 'user', content: 'Good morning' }] }),
    })
  const card = { name: windowText('questions:card', { app: 'Notes' }) }
  const allowed = ask()
  await expect(page.getByRole('article', card)).toContainText('mirror')
  await expect(second.getByRole('article', card)).toContainText(windowText('questions:reasons.day'))
  // The request has no row yet, which the log does not call "0 entries".
  await expect(page.getByRole('button', { name: /^0 refused today/ })).toBeVisible()
  await expect(page.getByText('0 entries')).toHaveCount(0)
  await expectAccessibleEverywhere(page, 'questions-2-card', 'main')
  const once = page.getByRole('article', card).getByRole('button', { name: windowText('questions:once') })
  await once.focus()
  await page.keyboard.press('Enter')
  expect((await allowed).status).toBe(200)
  await expect(page.getByRole('article', card)).toHaveCount(0)
  await expect(second.getByRole('article', card)).toHaveCount(0)
  await page.getByRole('row').filter({ hasText: 'Notes' }).first().click()
  await expect(page.getByText(windowText('proxy:detail.answers.once'))).toBeVisible()
  // Without a window, a question goes on: the quick prompt shows it, and another answer refuses it.
  const refused = ask()
  await page.close()
  await second.goto(`${new URL(second.url()).origin}/app/quick/index.html`)
  await second.setViewportSize({ width: 640, height: 400 })
  await expect(second.getByRole('article', card)).toBeVisible()
  await takePictures(second, 'questions-3-quick', false)
  await expectAccessible(second)
  await second
    .getByRole('article', card)
    .getByRole('button', { name: windowText('questions:refuse') })
    .click()
  expect((await refused).status).toBe(402)
})

/** System notifications are invisible here, so the test reads what the page requests. */
interface Recorded {
  /** Titles and texts of the notifications that were shown. */
  shown: string[]
  /** How many were closed. */
  closed: number
  /** How often permission was asked for. */
  asked: number
}

const recordNotifications = (page: Page) =>
  page.addInitScript(() => {
    const recorded: Recorded = { shown: [], closed: 0, asked: 0 }
    class RecordedNotification {
      static permission = 'default'
      static requestPermission = async () => {
        recorded.asked += 1
        RecordedNotification.permission = 'granted'
        return 'granted'
      }
      constructor(title: string, { body }: { body: string }) {
        recorded.shown.push(title, body)
      }
      close() {
        recorded.closed += 1
      }
    }
    Object.assign(window, { recorded, Notification: RecordedNotification })
  })

test('a question is answered by keyboard alone, the browser notifies after a press, and the card of the app says that it asks', async ({
  page,
}) => {
  await recordNotifications(page)
  const recorded = () => page.evaluate(() => (window as unknown as { recorded: Recorded }).recorded)
  const host = await openConnectedHost(await openSandbox())
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(host.url)
  await goToPage(page, windowText('shell:pages.proxy'))
  const key = await connectApp(page, 'Notes', async (dialog) => {
    await dialog.getByLabel(windowText('proxy:form.budgetDay')).fill('0')
    await dialog.getByRole('radio', { name: windowText('proxy:form.atBudgetAsk') }).press('Space')
  })
  const ask = () =>
    fetch(`${host.ready.proxy?.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'writer-small', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] }),
    })
  const app = page.getByRole('article', { name: 'Notes', exact: true })
  await expect(app).toContainText(windowText('proxy:apps.state.asks'))
  await expect(app).toContainText(windowText('proxy:apps.blocked.asks'))
  await expect(app).not.toContainText(windowText('proxy:apps.state.budgetUsed'))

  // Nothing asks for permission before a person wants notifications.
  const refused = ask()
  const card = page.getByRole('article', { name: windowText('questions:card', { app: 'Notes' }) })
  await expect(card).toBeVisible()
  await expect(page).toHaveTitle('(1) Inference Studio')
  expect(await recorded()).toEqual({ shown: [], closed: 0, asked: 0 })
  await expectAccessibleEverywhere(page, 'questions-4-asking')
  const offer = page.getByRole('button', { name: windowText('questions:notify') })
  await offer.focus()
  // From the offer back through the answers, in their order.
  for (const name of ['refuse', 'tomorrow', 'more'] as const) {
    await page.keyboard.press('Shift+Tab')
    await expect(card.getByRole('button', { name: windowText(`questions:${name}`) })).toBeFocused()
  }
  await offer.press('Enter')
  await expect(offer).toHaveCount(0)
  expect(await recorded()).toMatchObject({ shown: [], asked: 1 })
  await card.getByRole('button', { name: windowText('questions:refuse') }).press('Enter')
  expect((await refused).status).toBe(402)
  await expect(page).toHaveTitle('Inference Studio')

  // The next question is a notification, which ends with it. The raise is on the card of the app, and asks no more.
  const raised = ask()
  await expect(card).toBeVisible()
  const [title, body] = (await recorded()).shown
  expect(title).toBe(windowText('questions:asks', { app: 'Notes' }))
  expect(body).toMatch(/^Model: writer-small\. Costs at most: .*\. Spent today: 0 SC\.$/)
  await card.getByRole('textbox', { name: windowText('questions:amount') }).fill('2.5')
  await page.keyboard.press('Enter')
  expect((await raised).status).toBe(200)
  await expect.poll(async () => (await recorded()).closed).toBe(1)
  await expect(app).toContainText('of 2.5 SC per day')
  await expect(app).not.toContainText(windowText('proxy:apps.state.asks'))
  expect((await ask()).status).toBe(200)
})
