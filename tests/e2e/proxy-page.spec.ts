import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, type Page, test } from '@playwright/test'
import OpenAI from 'openai'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, expectAccessibleEverywhere, turns } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox, type WebHost } from './hosts.ts'
import { connectApp, goToPage, pressInDialog, replies } from './journey.ts'

let sandbox: Sandbox

test.beforeEach(async () => {
  sandbox = await openSandbox()
})
test.afterEach(closeHosts)

async function openFeature(page: Page): Promise<WebHost> {
  const host = await openConnectedHost(sandbox)
  await page.goto(host.url)
  await goToPage(page, windowText('proxy:title'))
  return host
}

/** An app created in the page, and a client with its key. */
async function addTool(page: Page, host: WebHost, name: string, fill?: Parameters<typeof connectApp>[2]) {
  const apiKey = await connectApp(page, name, fill)
  return new OpenAI({ baseURL: host.ready.proxy?.baseUrl ?? '', apiKey, maxRetries: 0 })
}

const card = (page: Page, name: string) => page.getByRole('article', { name })
const log = (page: Page) => page.getByRole('grid', { name: windowText('proxy:log.title') })
const details = (page: Page) => page.getByRole('region', { name: windowText('proxy:detail.label') })
const ask = (client: OpenAI, content: string) =>
  client.chat.completions.create({ model: 'mirror', messages: [{ role: 'user', content }] })

async function menu(page: Page, tool: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More for ${tool}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('an app’s request is a row, its bodies are logged if enabled, and it opens as a chat', { tag: '@long' }, async ({
  page,
}) => {
  const host = await openFeature(page)
  const client = await addTool(page, host, 'editor', () =>
    page.getByRole('switch', { name: windowText('proxy:form.logBodies') }).click(),
  )
  await ask(client, 'Where does the river begin?')
  const row = log(page).getByRole('row').filter({ hasText: 'editor' }).first()
  await expect(row).toContainText('200')
  await expect(card(page, 'editor')).toContainText('1 request today')
  await row.click()
  await expect(details(page)).toContainText('mirror')
  await expect(
    details(page).getByRole('region', { name: windowText('proxy:detail.body.largeTitle.request') }),
  ).toContainText('Where does the river begin?')
  await expect(details(page)).not.toContainText(client.apiKey ?? '')
  await details(page)
    .getByRole('button', { name: windowText('proxy:again.openAsChat') })
    .click()
  await expect(turns(page)).toHaveText(/Where does the river begin\?/)
  await expect(replies(page)).toContainText('Where does the river begin?')
  await page.goBack()
  await details(page)
    .getByRole('button', { name: windowText('proxy:detail.erase') })
    .click()
  await pressInDialog(page, windowText('proxy:detail.erase'))
  await expect(details(page)).toContainText('Not stored')
})

test('a paused app is refused, and its running requests are stopped from the page', { tag: '@long' }, async ({
  page,
}) => {
  const host = await openFeature(page)
  const client = await addTool(page, host, 'script')
  const stream = await client.chat.completions.create(
    { model: 'writer-small', messages: [{ role: 'user', content: 'Slowly.' }], stream: true },
    { headers: { 'x-sandbox-tokens': '2000', 'x-sandbox-tokens-per-second': '20' } },
  )
  const cut = (async () => {
    for await (const chunk of stream) expect(chunk.object).toBe('chat.completion.chunk')
  })().then(
    () => 'whole',
    () => 'cut',
  )
  await expect(card(page, 'script')).toContainText('1 streaming')
  await log(page).getByRole('row').filter({ hasText: 'Streaming' }).click()
  await details(page)
    .getByRole('button', { name: windowText('proxy:detail.stop') })
    .click()
  await expect(details(page)).toContainText('You stopped the request.')
  expect(await cut).toBe('cut')

  await menu(page, 'script', 'Pause')
  await expect(card(page, 'script')).toContainText('Paused. Requests are refused.')
  await expect(ask(client, 'Again.')).rejects.toBeInstanceOf(OpenAI.APIError)
  await page
    .getByRole('button', { name: windowText('proxy:resumeAll') })
    .first()
    .click()
  await expect(card(page, 'script')).toContainText(windowText('proxy:apps.state.idle'))
  expect((await ask(client, 'Again.')).choices).toHaveLength(1)
})

test('limits are set, saved and shown; a wrong one is explained beside its field', { tag: '@long' }, async ({
  page,
}) => {
  const host = await openFeature(page)
  await addTool(page, host, 'batch')
  await menu(page, 'batch', windowText('proxy:apps.menu.edit'))
  const dialog = page.getByRole('dialog', { name: 'Edit batch' })
  await dialog.getByLabel(windowText('proxy:form.budgetDay')).fill('9')
  await dialog.getByRole('button', { name: windowText('proxy:form.cancel') }).click()
  await expect(dialog).toHaveCount(0)
  await menu(page, 'batch', windowText('proxy:apps.menu.edit'))
  await expect(dialog.getByLabel(windowText('proxy:form.budgetDay'))).toHaveValue('')
  await dialog.getByLabel(windowText('proxy:form.budgetDay')).fill('1.5')
  await dialog.getByLabel(windowText('proxy:form.concurrent')).fill('none')
  await dialog.getByRole('button', { name: windowText('proxy:form.save') }).click()
  await expect(dialog.getByLabel(windowText('proxy:form.concurrent'))).toBeFocused()
  await expect(dialog).toContainText('Enter a whole number from 1')
  await expectAccessibleEverywhere(page, 'app-form')
  await dialog.getByRole('switch', { name: windowText('proxy:form.toolsOn') }).click()
  await dialog.getByText(windowText('proxy:form.tools'), { exact: true }).scrollIntoViewIfNeeded()
  await expectAccessibleEverywhere(page, 'app-form-tools')
  await dialog.getByRole('switch', { name: windowText('proxy:form.toolsOn') }).click()
  await dialog.getByLabel(windowText('proxy:form.concurrent')).fill('2')
  await dialog
    .getByRole('radio', { name: windowText('proxy:form.modelsSome') })
    .first()
    .click()
  await dialog.getByRole('checkbox', { name: 'mirror', exact: true }).check()
  await dialog.getByRole('button', { name: windowText('proxy:form.save') }).click()
  await expect(card(page, 'batch')).toContainText('0 of 1.5 SC per day')
  await expect(card(page, 'batch')).toContainText('2 concurrent · 1 model')
  await page.reload()
  await expect(card(page, 'batch').getByRole('meter', { name: /0 of 1.5 SC per day/ })).toBeVisible()
})

test('a blocked web origin is listed and works once it is allowed', { tag: '@long' }, async ({ page, browser }) => {
  const host = await openFeature(page)
  const client = await addTool(page, host, 'page')
  // A page of a local development server, the usual origin to allow.
  const server = createServer((_, response) => response.end('<!doctype html><title>notes</title>'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const other = await (await browser.newContext()).newPage()
  await other.goto(origin)
  const models = () =>
    other.evaluate(
      ([v1, key]) =>
        fetch(`${v1}/models`, { headers: { authorization: `Bearer ${key}` } }).then(
          ({ status }) => status,
          () => 'refused',
        ),
      [host.ready.proxy?.baseUrl, client.apiKey],
    )
  expect(await models()).toBe('refused')
  await page.getByRole('button', { name: windowText('proxy:refusals.title') }).click()
  await expectAccessibleEverywhere(page, 'refused-callers')
  await page
    .getByRole('button', { name: windowText('proxy:refusals.allow') })
    .first()
    .click()
  await expectAccessible(page)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: windowText('proxy:refusals.allowConfirm'), exact: true })
    .click()
  await expect(page.getByRole('button', { name: `Remove ${origin}` })).toBeVisible()
  await expectAccessible(page)
  expect(await models()).toBe(200)
  await page.getByRole('button', { name: `Remove ${origin}` }).click()
  await expect.poll(models).toBe('refused')
  await other.context().close()
  server.close()
})
