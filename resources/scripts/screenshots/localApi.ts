import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import OpenAI from 'openai'
import type { WebHost } from '../../../tests/e2e/hosts.ts'
import { connectApp as addApp } from '../../../tests/e2e/journey.ts'
import { windowText } from '../../../tests/helpers/windowText.ts'
import { node24, root } from '../ready.mjs'
import { type Connected, connect, disconnect, loaded, open, pressFirst, type Studio, withInspector } from './scene.ts'

/** The local API: connecting an app step by step, apps in every state, and the request log. */
export async function localApi(studio: Studio): Promise<void> {
  const world = await connect(studio)
  const { page, camera, host } = world
  await open(page, 'proxy')
  await loaded(page)
  await camera.shoot(page, 'empty')
  await connectApp(world)
  await sendAppRequests(host)
  await page.getByRole('row').nth(3).waitFor()
  await page.getByText(windowText('proxy:apps.state.idle'), { exact: true }).nth(2).waitFor()
  await camera.shoot(page, 'apps-and-log')
  await page.getByRole('row').nth(1).click()
  await page
    .getByRole('complementary')
    .getByRole('heading', { name: windowText('proxy:detail.usage.title') })
    .waitFor()
  await camera.shoot(page, 'request', withInspector(page))
  await page.getByRole('row').nth(4).click()
  await page.getByRole('complementary').getByText(windowText('proxy:detail.finishReason'), { exact: true }).waitFor()
  await camera.shoot(page, 'finish-reason', withInspector(page))
  await page.getByRole('button', { name: windowText('common:inspector') }).click()
  await fromMenu(page, 'Editor', windowText('proxy:apps.menu.pause'))
  await page.getByText(windowText('proxy:apps.blocked.paused')).waitFor()
  await page.getByText(windowText('proxy:apps.paused', { name: 'Editor' }), { exact: true }).waitFor()
  await camera.shoot(page, 'paused-app')
  await fromMenu(page, 'Editor', windowText('proxy:apps.menu.edit'))
  await page.getByRole('dialog').waitFor()
  await camera.shoot(page, 'edit-app')
  await page.getByRole('button', { name: windowText('proxy:form.cancel') }).click()
  await fromMenu(page, 'Editor', windowText('proxy:apps.menu.rotate'))
  await page.getByRole('dialog').waitFor()
  await camera.shoot(page, 'replace-key')
  await page.getByRole('radio', { name: windowText('proxy:connect.grace.hour') }).check()
  await page.getByRole('button', { name: windowText('proxy:connect.createKey') }).click()
  await page.getByRole('textbox', { name: windowText('proxy:connect.key') }).waitFor()
  await camera.shoot(page, 'replaced-key')
  await page
    .getByRole('button', { name: windowText('proxy:connect.close'), exact: true })
    .last()
    .click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await camera.shoot(page, 'previous-key')
  await fromMenu(page, 'Editor', windowText('proxy:apps.menu.revoke'))
  await page.getByRole('alertdialog').or(page.getByRole('dialog')).first().waitFor()
  await camera.shoot(page, 'revoke')
  await page.keyboard.press('Escape')
  await questions(world)
  await again(world)
  await blocked(world)
  await disconnect(world)
}

/** A request of an app: the person's messages and the replies in turn. */
const chat = (host: WebHost, key: string, ...texts: string[]): Promise<Response> =>
  fetch(`${host.ready.proxy?.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-session-id': 'screens' },
    body: JSON.stringify({
      model: 'mirror',
      messages: texts.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
    }),
  })

/** An app that asks at its budget, with tools: its form, its question, and its card afterwards. */
async function questions({ page, camera, host }: Connected): Promise<void> {
  const key = await addApp(page, 'Notes', async (dialog) => {
    await dialog.getByLabel(windowText('proxy:form.budgetDay')).fill('0')
    await dialog.getByRole('radio', { name: windowText('proxy:form.atBudgetAsk') }).click()
    await camera.shoot(page, 'ask-at-budget')
    await dialog.getByRole('switch', { name: windowText('proxy:form.toolsOn') }).click()
    const tools = dialog.getByText(windowText('proxy:form.tools'), { exact: true })
    await camera.shoot(page, 'app-tools', { ready: () => tools.scrollIntoViewIfNeeded() })
  })
  const answered = chat(host, key, 'Good morning')
  const question = page.getByRole('article', { name: windowText('questions:card', { app: 'Notes' }) })
  await question.waitFor()
  await camera.shoot(page, 'question')
  await question.getByRole('button', { name: windowText('questions:once') }).click()
  await answered
  await question.waitFor({ state: 'detached' })
}

/** A logged request: its actions, asked again with another model, replayed; and the sessions of the apps. */
async function again({ page, camera, host }: Connected): Promise<void> {
  const key = await addApp(page, 'Summaries', () =>
    page.getByRole('switch', { name: windowText('proxy:form.logBodies') }).click(),
  )
  const question = 'How do I set a budget for an app?'
  await chat(host, key, question)
  await chat(host, key, question, 'In its card, under “Edit name and limits”.', 'And for a month?')
  const row = page.getByRole('row').filter({ hasText: 'Summaries' }).first()
  await row.click()
  const details = page.getByRole('region', { name: windowText('proxy:detail.label') })
  await details.getByRole('button', { name: windowText('proxy:again.ask'), exact: true }).click()
  const dialog = page.getByRole('dialog', { name: windowText('proxy:again.title') })
  await dialog.getByRole('combobox', { name: windowText('proxy:again.model') }).selectOption('guide')
  await camera.shoot(page, 'ask-again')
  await dialog.getByRole('button', { name: windowText('proxy:again.send'), exact: true }).click()
  await dialog.getByRole('region', { name: windowText('proxy:again.compare.title'), exact: true }).waitFor()
  await camera.shoot(page, 'ask-again-compared')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await row.click()
  await details.getByRole('button', { name: windowText('proxy:again.replay'), exact: true }).click()
  const replaying = page.getByRole('dialog', { name: windowText('proxy:again.replays.title') })
  await camera.shoot(page, 'replay')
  await replaying.getByRole('button', { name: windowText('proxy:again.replays.start'), exact: true }).click()
  await replaying.locator('code').nth(1).waitFor()
  await camera.shoot(page, 'replay-running')
  await replaying.getByRole('button', { name: windowText('proxy:again.replays.stop'), exact: true }).click()
  await page.keyboard.press('Escape')
  await replaying.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: windowText('common:inspector') }).click()
  await page.getByRole('radio', { name: windowText('proxy:log.views.sessions') }).click()
  await page
    .getByRole('button', { name: /^Show the turns of/ })
    .first()
    .click()
  await page.getByText(windowText('proxy:again.replays.stopped'), { exact: true }).waitFor({ state: 'hidden' })
  const chart = page.getByText(windowText('sessions:chart.title'))
  await camera.shoot(page, 'sessions', { ready: () => chart.scrollIntoViewIfNeeded() })
  await page.getByRole('radio', { name: windowText('proxy:log.views.requests') }).click()
}

async function fromMenu(page: Page, app: string, action: string): Promise<void> {
  await page.getByRole('button', { name: windowText('proxy:apps.menu.name', { name: app }) }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** A request of a web page that is not allowed. */
async function blocked({ page, camera, host }: Connected): Promise<void> {
  await fetch(`${host.ready.proxy?.baseUrl}/models`, { headers: { origin: 'https://pages.example' } })
  const refusals = page
    .getByRole('button', { name: windowText('proxy:refusals.title') })
    .or(page.getByText(windowText('proxy:refusals.title')))
    .first()
  await page.getByText(windowText('proxy:log.refusedToday', { count: 1, figure: '1' })).waitFor()
  await refusals.click()
  await camera.shoot(page, 'blocked-requests')
}

/** Each step of the dialog that connects an app, up to its first request. */
async function connectApp({ page, camera, host }: Connected): Promise<void> {
  await pressFirst(page, windowText('proxy:connectApp'))
  const dialog = page.getByRole('dialog', { name: windowText('proxy:connect.title.app') })
  await dialog.getByRole('searchbox').waitFor()
  await camera.shoot(page, 'connect-choose')
  await dialog.getByRole('searchbox').fill('claude')
  await dialog.getByRole('searchbox').press('Enter')
  const name = dialog.getByRole('textbox', { name: windowText('connect:name') })
  await name.waitFor()
  await camera.shoot(page, 'connect-app')
  await name.press('Enter')
  const budget = dialog.getByLabel(windowText('proxy:form.budgetDay'))
  await budget.fill('2')
  await camera.shoot(page, 'connect-limits')
  await dialog.getByText(windowText('proxy:form.more')).click()
  await camera.shoot(page, 'connect-more-limits')
  await budget.press('Enter')
  const key = await dialog.getByRole('textbox', { name: windowText('proxy:connect.key') }).inputValue()
  await camera.shoot(page, 'connect-key')
  await dialog.getByRole('button', { name: windowText('proxy:connect.test') }).click()
  await dialog.getByRole('status').waitFor()
  await camera.shoot(page, 'connect-waiting')
  const client = new OpenAI({ baseURL: host.ready.proxy?.baseUrl ?? '', apiKey: key, maxRetries: 0 })
  await client.chat.completions.create({ model: 'mirror', messages: [{ role: 'user', content: 'Hello' }] })
  await dialog.getByText(/works\./).waitFor()
  await camera.shoot(page, 'connect-works')
  await dialog.getByRole('button', { name: windowText('proxy:connect.done') }).click()
}

/** Apps with requests of several results, as the log shows them. */
export async function sendAppRequests(host: WebHost): Promise<void> {
  for (const name of ['Editor', 'Nightly summary']) {
    const made = execFileSync(
      node24(),
      [join(root, 'out/main/node.js'), 'apps', 'add', name, '--json', '--data-dir', host.ready.dataDir],
      { encoding: 'utf8' },
    )
    const { key } = JSON.parse(made) as { key: string }
    const client = new OpenAI({ baseURL: host.ready.proxy?.baseUrl ?? '', apiKey: key, maxRetries: 0 })
    const ask = (model: string, fault?: string) =>
      client.chat.completions
        .create(
          // One reply is cut off by its limit, which is its finish reason.
          {
            model,
            messages: [{ role: 'user', content: 'Summarise the log of today.' }],
            ...(model === 'writer-small' && { max_tokens: 120 }),
          },
          fault === undefined ? {} : { headers: { 'x-sandbox-fault': fault } },
        )
        .catch(() => null)
    await ask('writer-small')
    await ask('mirror')
    await ask('mirror', 'refuse; status=429')
    await ask('no-such-model')
  }
}
