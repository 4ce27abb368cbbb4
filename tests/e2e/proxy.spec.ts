import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import OpenAI from 'openai'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, expectAccessibleInDark, takePictures } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox, type WebHost } from './hosts.ts'
import { askModel, connectApp, goToPage, quick } from './journey.ts'

let sandbox: Sandbox
let host: WebHost

test.beforeAll(async () => {
  sandbox = await openSandbox({ paces: quick })
  host = await openConnectedHost(sandbox)
})
test.afterAll(closeHosts)
test.beforeEach(async ({ page }) => {
  await page.goto(host.url)
  await goToPage(page, windowText('proxy:title'))
})

const v1 = () => host.ready.proxy?.baseUrl ?? ''
const card = (page: Page, name: string) => page.getByRole('article', { name })
const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('gridcell') })

/** An app created in the page, and the official SDK with its key. */
async function addTool(page: Page, name: string, fill?: Parameters<typeof connectApp>[2]) {
  return new OpenAI({ baseURL: v1(), apiKey: await connectApp(page, name, fill), maxRetries: 0 })
}

const hello = (model = 'writer-small') => ({ model, messages: [{ role: 'user' as const, content: 'Good morning' }] })

/** A streamed reply of so many tokens at that pace. */
const startStream = (tool: OpenAI, tokens: number, tokensPerSecond: number) =>
  tool.chat.completions.create({
    ...hello(),
    stream: true,
    ...{ sandbox: { tokens, tokens_per_second: tokensPerSecond } },
  })

test('the log shows an app’s request live, with tokens and cost', { tag: '@long' }, async ({ page }) => {
  const tool = await addTool(page, 'My editor')
  const stream = await startStream(tool, 4000, 100)
  for await (const _ of stream) break
  const plain = await tool.chat.completions.create(hello('mirror'))
  const row = rows(page).filter({ hasText: 'mirror' }).first()
  await expect(row).toContainText('200')
  await expect(row).toContainText('My editor')
  await expect(row).toContainText(`${plain.usage?.prompt_tokens} → ${plain.usage?.completion_tokens}`)
  await expect(rows(page).filter({ hasText: 'writer-small' }).first()).toContainText('cancelled')
  await row.click()
  await expect(page.getByText(plain._request_id ?? 'no request id').first()).toBeVisible()
})

test('the studio’s own requests appear in the same log [LIM-03]', { tag: '@long' }, async ({ page }) => {
  await goToPage(page, 'Chat')
  await askModel(page, 'mirror', 'Count this.')
  await goToPage(page, 'Local API')
  await expect(rows(page).filter({ hasText: 'Studio · chat' }).first()).toContainText('200')
  // What the studio asks by itself is hidden until a person wants to see it.
  await expect(rows(page).filter({ hasText: 'Studio · account' })).toHaveCount(0)
  await page.getByRole('checkbox', { name: windowText('proxy:log.polling') }).check()
  await expect(rows(page).filter({ hasText: 'Studio · account' }).first()).toBeVisible()
})

test('a paused app is refused and its streams are cut at once; it works again after Resume', { tag: '@long' }, async ({
  page,
}) => {
  const tool = await addTool(page, 'Notebook')
  const stream = await startStream(tool, 9000, 50)
  const cut = (async () => {
    for await (const _ of stream) void _
  })().then(
    () => 'ended',
    () => 'cut',
  )
  await expect(card(page, 'Notebook')).toContainText('1 streaming')
  await page.getByRole('button', { name: 'More for Notebook' }).click()
  await page.getByRole('menuitem', { name: windowText('proxy:apps.menu.pause') }).click()
  expect(await cut).toBe('cut')
  await expect(card(page, 'Notebook')).toContainText('Paused. Requests are refused.')
  await expect(tool.models.list()).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError)
  await page.getByRole('button', { name: 'More for Notebook' }).click()
  await page.getByRole('menuitem', { name: windowText('proxy:apps.menu.resume') }).click()
  await expect(card(page, 'Notebook')).not.toContainText('Paused. Requests are refused.')
  expect((await tool.models.list()).data.length).toBeGreaterThan(0)
})

test('a person stops an app’s request from the log', { tag: '@long' }, async ({ page }) => {
  const tool = await addTool(page, 'Runaway')
  const stream = await startStream(tool, 9000, 50)
  await rows(page).filter({ hasText: 'Streaming' }).first().click()
  await page.getByRole('button', { name: windowText('proxy:detail.stop') }).click()
  const read = async () => {
    for await (const _ of stream) void _
  }
  await expect(read()).rejects.toThrow()
  await expect(rows(page).first()).toContainText('cancelled')
  await expect.poll(() => sandbox.observe.openStreams()).toBe(0)
})

test('a budget in SC is enforced, and the refusal says what is left [ERR-04]', async ({ page }) => {
  const tool = await addTool(page, 'Release notes', async (dialog) => {
    await dialog.getByLabel(/per day/i).fill('0.00001')
  })
  const refused = await tool.chat.completions
    .create({ ...hello('writer-large'), max_tokens: 4000 })
    .catch((thrown) => thrown)
  expect(refused).toBeInstanceOf(OpenAI.APIError)
  expect(refused.status).toBe(402)
  expect(refused.message).toContain('0.00001 SC')
  const row = rows(page).filter({ hasText: 'Release notes' }).first()
  await expect(row).toContainText('refused')
  // The count beside the log follows the row within a moment.
  await expect(page.getByRole('button', { name: '1 refused today (UTC)' })).toBeVisible({ timeout: 3_000 })
  // The app is not idle: what is left is too small for its request. Card and details lead to the budget.
  await expect(card(page, 'Release notes')).toContainText(windowText('proxy:apps.state.budgetShort'))
  await expect(card(page, 'Release notes')).not.toContainText(windowText('proxy:apps.state.idle'))
  const raise = windowText('proxy:apps.blocked.raise')
  await expect(card(page, 'Release notes').getByRole('button', { name: raise })).toBeVisible()
  await row.click()
  const detail = page.getByRole('region', { name: windowText('proxy:detail.label') })
  await expectAccessibleInDark(page, 'budget-refused')
  await detail.getByRole('button', { name: raise }).click()
  // A comma is a decimal mark too, and the field shows what was understood.
  const budget = page.getByRole('dialog').getByLabel(/per day/i)
  await expect(budget).toBeFocused()
  await budget.fill('5,50')
  await budget.blur()
  await expect(budget).toHaveValue('5.5')
  await page.getByRole('button', { name: windowText('proxy:form.save'), exact: true }).click()
  await expect(card(page, 'Release notes')).toContainText('of 5.5 SC per day')
  await expect(card(page, 'Release notes')).toContainText(windowText('proxy:apps.state.idle'))
})

test('a log of 700 px shows the whole name of the app, the endpoint and the model', async ({ page }) => {
  const tool = await addTool(page, 'Release plans')
  await tool.chat.completions.create(hello('document-writer'))
  await page.setViewportSize({ width: 700, height: 860 })
  const row = rows(page).filter({ hasText: 'Release plans' }).first()
  // The style sheet puts a dot between them.
  await expect(row).toContainText('chatdocument-writer')
  const cut = await row.evaluate((element) =>
    [...element.querySelectorAll('[role="gridcell"], [role="gridcell"] .truncate')]
      .filter((cell) => cell.checkVisibility() && cell.scrollWidth > cell.clientWidth)
      .map((cell) => cell.textContent),
  )
  expect(cut).toEqual([])
  await takePictures(page, 'log-narrow')
})

test('blocked requests are explained', { tag: '@long' }, async ({ page }) => {
  await fetch(`${v1()}/models`, { headers: { origin: 'https://evil.example' } })
  await expect(page.getByText(windowText('proxy:refusals.title'))).toBeVisible()
  await expect(page.getByText('a web page at https://evil.example').first()).toBeVisible()
})

/** Changes the budget in the open dialog of an app. */
async function saveDailyBudget(page: Page, amount: string): Promise<void> {
  await page
    .getByRole('dialog')
    .getByLabel(/per day/i)
    .fill(amount)
  await page.getByRole('button', { name: windowText('proxy:form.save'), exact: true }).click()
}

test('a blocked app says why, with one action, and raises an alert', { tag: '@long' }, async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 860 })
  const spender = await addTool(page, 'Spender', async (dialog) => {
    await dialog.getByLabel(/per day/i).fill('0.000000001')
  })
  const sleeper = await addTool(page, 'Sleeper')
  await spender.chat.completions.create(hello('writer-small')).catch(() => null)
  await page.getByRole('button', { name: 'More for Spender' }).click()
  await page.getByRole('menuitem', { name: windowText('proxy:apps.menu.edit') }).click()
  await saveDailyBudget(page, '0')
  await expect(card(page, 'Spender')).toContainText('The daily budget is used up.')
  await page.getByRole('button', { name: 'More for Sleeper' }).click()
  await page.getByRole('menuitem', { name: windowText('proxy:apps.menu.pause') }).click()
  await expect(sleeper.models.list()).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError)
  await expect(page.getByText('Sleeper is paused').first()).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'blocked', true)
  await card(page, 'Spender')
    .getByRole('button', { name: windowText('proxy:apps.blocked.raise') })
    .click()
  await expect(page.getByRole('dialog').getByLabel(/per day/i)).toBeFocused()
  await saveDailyBudget(page, '5')
  await expect(card(page, 'Spender')).toContainText(windowText('proxy:apps.state.idle'))
  await card(page, 'Sleeper')
    .getByRole('button', { name: windowText('proxy:apps.menu.resume') })
    .click()
  await expect(card(page, 'Sleeper')).toContainText(windowText('proxy:apps.state.idle'))
  expect((await sleeper.models.list()).data.length).toBeGreaterThan(0)
})

test('results have their reason, refusals are counted as they are filtered, and the rows are saved as CSV', {
  tag: '@long',
}, async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 860 })
  const tool = await addTool(page, 'Auditor', async (dialog) => {
    await dialog
      .getByRole('radio', { name: windowText('proxy:form.modelsSome') })
      .first()
      .click()
    await dialog.getByRole('checkbox', { name: 'mirror', exact: true }).check()
  })
  await tool.chat.completions.create(hello('mirror'))
  await expect(tool.chat.completions.create(hello('writer-small'))).rejects.toBeInstanceOf(OpenAI.APIError)
  const wrong = new OpenAI({ baseURL: v1(), apiKey: `isk_wrongwrong_${'A'.repeat(43)}`, maxRetries: 0 })
  for (let n = 0; n < 3; n += 1) await expect(wrong.models.list()).rejects.toBeInstanceOf(OpenAI.APIError)
  const refused = rows(page).filter({ hasText: 'Auditor' }).first()
  await expect(refused.getByRole('gridcell').nth(4)).toContainText('This app may not use the model writer-small.')
  await expect(rows(page).filter({ hasText: 'a program with an unknown key' })).toContainText('×3')
  await expectAccessible(page)
  await takePictures(page, 'log', true)

  const times = async () => {
    const texts = await rows(page).allInnerTexts()
    return texts.reduce((sum, text) => sum + Number(/×(\d+)/.exec(text)?.[1] ?? 1), 0)
  }
  // The number is that of the requests in the rows that it leads to. It is read anew with each filter.
  await page.getByRole('combobox', { name: windowText('proxy:log.outcome') }).selectOption({ label: 'Refused' })
  const link = page.getByRole('button', { name: /refused today/ })
  await link.click()
  await expect(page.getByText(/^\d+ entr(y|ies) · /)).toBeVisible()
  const [kept, today] = (await page.getByText(/^\d+ entr(y|ies) · /).innerText()).match(/\d+/g) ?? []
  await expect(rows(page)).toHaveCount(Number(kept))
  await expect.poll(times).toBe(Number(today))
  await expect(page.getByRole('combobox', { name: windowText('proxy:log.period') })).toHaveValue('today')

  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: windowText('proxy:log.exportCsv') }).click()
  const text = await readFile(await (await saving).path(), 'utf8')
  expect(text.trimEnd().split('\r\n')).toHaveLength(1 + Number(kept))
  expect(text).toContain('tool_key_unknown')
  await page.getByRole('button', { name: windowText('proxy:log.clear') }).click()
  await expect(rows(page).filter({ hasText: 'mirror' }).first()).toBeVisible()

  // Repeats of an entry count too.
  const blocked = page.getByRole('button', { name: windowText('proxy:refusals.title') })
  const [number] = (await blocked.innerText()).match(/\d+/) ?? []
  await blocked.click()
  await page.getByRole('button', { name: windowText('proxy:test.showInLog') }).click()
  await expect(rows(page).filter({ hasText: 'Auditor' })).toHaveCount(0)
  await expect.poll(times).toBe(Number(number))
})
