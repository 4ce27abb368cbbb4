import { expect, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessibleEverywhere } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox, type WebHost } from './hosts.ts'
import { connectApp, goToPage, quick } from './journey.ts'

let host: WebHost

test.beforeEach(async ({ page }) => {
  host = await openConnectedHost(await openSandbox({ paces: quick }))
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(host.url)
  await goToPage(page, windowText('shell:pages.proxy'))
})
test.afterEach(closeHosts)

const rules = 'You are an agent that works on the files of this folder, one step at a time. '.repeat(120)
const tools = ['read', 'write', 'run'].map((name) => ({
  type: 'function',
  function: { name, description: `To ${name} a file.`, parameters: { type: 'object', properties: {} } },
}))

/** Turns of an agent that writes the time into its system prompt from turn `broken` on. */
async function runAgent(key: string, turns: number, broken: number): Promise<void> {
  const messages: object[] = []
  for (let turn = 1; turn <= turns; turn += 1) {
    messages.push({ role: 'user', content: `Step ${turn}` })
    const time = turn < broken ? '' : `It is 12:0${turn}:30. `
    const reply = await fetch(`${host.ready.proxy?.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-session-id': 'harbour' },
      body: JSON.stringify({
        model: 'mirror',
        tools,
        messages: [{ role: 'system', content: time + rules }, ...messages],
      }),
    })
    expect(reply.status).toBe(200)
    const { choices } = (await reply.json()) as { choices: { message: { content: string } }[] }
    messages.push({ role: 'assistant', content: choices[0]?.message.content })
  }
}

test('a session opens by keyboard, says why its turns cost more, and links from the alert and from the log', async ({
  page,
}) => {
  const key = await connectApp(page, 'Harbour agent')
  await runAgent(key, 6, 4)

  // Three turns in a row lost the cache.
  await page.getByRole('button', { name: windowText('alerts:bell_one', { count: 1 }) }).press('Enter')
  await expect(page.getByRole('heading', { name: 'Harbour agent lost the cache 3 turns in a row' })).toBeVisible()
  await page.getByRole('button', { name: windowText('alerts:go.session') }).press('Enter')
  await expect(page).toHaveURL(/#\/usage\/session-\d+$/)
  const findings = page.getByRole('region', { name: windowText('sessions:findings.title') })
  await expect(findings).toContainText('A time in the system prompt changed.')
  await expect(findings).toContainText('in 2 turns')
  await expect(findings).toContainText('The system prompt changed. in 1 turn')
  await expect(findings).toContainText('Leave the time out of the system prompt')
  await expect(page.getByRole('img', { name: /^Chart of the tokens of 6 turns/ })).toBeVisible()
  const turns = page.getByRole('table', { name: windowText('sessions:turns') }).getByRole('row')
  await expect(turns).toHaveCount(7)
  await expect(turns.nth(1)).toContainText(windowText('sessions:starts'))
  await expect(turns.nth(3)).toContainText(windowText('sessions:kept'))
  await expect(turns.nth(4)).toContainText('tokens lost')
  await expectAccessibleEverywhere(page, 'sessions-1-open')

  // Of two reasons, the turns of one alone. A turn opens its request.
  const time = findings.getByRole('listitem').filter({ hasText: 'A time in the system prompt changed.' })
  await time.getByRole('button', { name: windowText('sessions:findings.only') }).press('Enter')
  await expect(turns).toHaveCount(3)
  await expect(turns.nth(1)).toContainText('A time in the system prompt changed.')
  await time.getByRole('button', { name: windowText('sessions:findings.showAll') }).press('Enter')
  await expect(turns).toHaveCount(7)

  // The row closes and opens by keyboard.
  const row = page.getByRole('button', { name: /^Hide the turns of Harbour agent/ })
  await row.press('Enter')
  await expect(findings).toBeHidden()
  await page.getByRole('button', { name: /^Show the turns of Harbour agent/ }).press('Space')
  await expect(findings).toBeVisible()
  await turns
    .nth(4)
    .getByRole('button', { name: windowText('sessions:showTurn', { turn: '4' }) })
    .press('Enter')
  await expect(page).toHaveURL(/#\/proxy/)
  const card = page.getByRole('region', { name: windowText('sessions:prompt.title') })
  await expect(card.getByRole('link', { name: 'Turn 4 of 6' })).toBeVisible()

  // In the log, the same session is one row, and each request says why it cost what it cost.
  await page.getByRole('radio', { name: windowText('proxy:log.views.sessions') }).press('Space')
  await expect(page.getByRole('button', { name: /^Show the turns of Harbour agent/ })).toBeVisible()
  await page.getByRole('radio', { name: windowText('proxy:log.views.requests') }).press('Space')
  const log = page.getByRole('grid', { name: windowText('proxy:log.title') })
  await log.focus()
  await page.keyboard.press('Enter')
  await expect(card).toContainText('A time in the system prompt changed.')
  await expect(card.getByRole('link', { name: 'Turn 6 of 6' })).toBeVisible()
  const sections = card.getByRole('table', { name: windowText('sessions:prompt.sections') }).getByRole('row')
  await expect(sections.nth(1)).toContainText('3 sections')
  await expect(sections.nth(2)).toContainText(windowText('sessions:prompt.states.first'))
  await expectAccessibleEverywhere(page, 'sessions-2-request')
  await card.getByRole('link', { name: 'Turn 6 of 6' }).press('Enter')
  await expect(findings).toBeVisible()
})

test('sessions are filtered by app and by lost cache, by keyboard alone', async ({ page }) => {
  await runAgent(await connectApp(page, 'Harbour agent'), 3, 2)
  await runAgent(await connectApp(page, 'Quiet agent'), 2, 9)
  await page.getByRole('radio', { name: windowText('proxy:log.views.sessions') }).press('Space')
  const rows = page.getByRole('button', { name: /^Show the turns of/ })
  await expect(rows).toHaveCount(2)
  const app = page.getByRole('combobox', { name: windowText('proxy:log.app') })
  await app.focus()
  await page.keyboard.type('Quiet')
  await expect(rows).toHaveCount(1)
  await expect(rows).toHaveAccessibleName(/Quiet agent/)
  const lost = page.getByRole('checkbox', { name: windowText('sessions:onlyLost') })
  await lost.press('Space')
  await expect(page.getByText(windowText('sessions:noneMatch'))).toBeVisible()
  await expectAccessibleEverywhere(page, 'sessions-4-filtered')
  await page.getByRole('button', { name: windowText('proxy:log.clear') }).press('Enter')
  await expect(rows).toHaveCount(2)
  await lost.press('Space')
  await expect(rows).toHaveCount(1)
  await expect(rows).toHaveAccessibleName(/Harbour agent/)
})

test('before the first session, the page says what will be there', async ({ page }) => {
  await page.goto(`${new URL(page.url()).origin}/#/usage/sessions`)
  await expect(page.getByText(windowText('sessions:emptyTitle'))).toBeVisible()
  await expectAccessibleEverywhere(page, 'sessions-3-empty')
})
