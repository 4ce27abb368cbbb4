import { expect, test } from '@playwright/test'
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
