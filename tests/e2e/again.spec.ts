import { readFileSync } from 'node:fs'
import { expect, type Page, test } from '@playwright/test'
import OpenAI from 'openai'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessibleEverywhere } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox } from './hosts.ts'
import { connectApp, goToPage, quick } from './journey.ts'

let sandbox: Sandbox

test.beforeEach(async () => {
  sandbox = await openSandbox({ paces: quick })
})
test.afterEach(closeHosts)

const log = (page: Page) => page.getByRole('grid', { name: windowText('proxy:log.title') })
const exactly = (name: string) => ({ name, exact: true })

test('a logged request is asked again by another model, replayed offline and saved as a fixture, by keyboard alone', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(180_000)
  await page.setViewportSize({ width: 1440, height: 900 })
  const host = await openConnectedHost(sandbox)
  await page.goto(host.url)
  await goToPage(page, windowText('proxy:title'))
  const apiKey = await connectApp(page, 'editor', () =>
    page.getByRole('switch', { name: windowText('proxy:form.logBodies') }).click(),
  )
  const app = new OpenAI({ baseURL: host.ready.proxy?.baseUrl ?? '', apiKey, maxRetries: 0 })
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const question = { model: 'mirror', messages: [{ role: 'user' as const, content: `My token is ${secret}.` }] }
  const first = await app.chat.completions.create(question)
  await expect(log(page).getByRole('row').filter({ hasText: 'editor' })).toContainText('200')

  // The row under the cursor: Space selects it for a replay, Enter opens it.
  await log(page).focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Space')
  await expect(log(page).getByRole('img', { name: windowText('proxy:again.marked') })).toBeVisible()
  await page.keyboard.press('Enter')
  const details = page.getByRole('region', { name: windowText('proxy:detail.label') })
  await expect(details).toContainText('[secret: github]')
  await expect(details).not.toContainText(secret)
  await expectAccessibleEverywhere(page, 'again-details')

  // Ask again, with another model and a parameter.
  await details.getByRole('button', exactly(windowText('proxy:again.ask'))).press('Enter')
  const asking = page.getByRole('dialog', { name: windowText('proxy:again.title') })
  await asking.getByRole('combobox', { name: windowText('proxy:again.model') }).selectOption('writer-small')
  await asking.getByRole('textbox', { name: windowText('proxy:again.parameters') }).fill('{"max_tokens": ')
  await asking.getByRole('button', exactly(windowText('proxy:again.send'))).press('Enter')
  await expect(asking).toContainText(windowText('proxy:again.badJson'))
  await asking.getByRole('textbox', { name: windowText('proxy:again.parameters') }).fill('{"max_tokens": 40}')
  await asking.getByRole('button', exactly(windowText('proxy:again.send'))).press('Enter')
  const compared = asking.getByRole('region', { name: windowText('proxy:again.compare.title'), exact: true })
  await expect(compared.getByRole('row', { name: /^Model mirror writer-small/ })).toBeVisible()
  await expect(compared.getByRole('row', { name: /^Finish reason stop length/ })).toBeVisible()
  await expect(compared.getByRole('row', { name: /^Reply tokens \d+ 40 / })).toBeVisible()
  await expect(compared.locator('ins').first()).toBeVisible()
  // The window gets narrow and wide again, and nothing is lost.
  await expectAccessibleEverywhere(page, 'again-compared')
  await expect(compared).toBeVisible()
  expect(
    sandbox.observe
      .requests()
      .filter(({ path }) => path.endsWith('/completions'))
      .map(({ model }) => model),
  ).toEqual(['mirror', 'writer-small'])
  await page.keyboard.press('Escape')
  await expect(asking).toHaveCount(0)
  const row = log(page)
    .getByRole('row')
    .filter({ hasText: windowText('proxy:log.features.again') })
  await row.click()
  await expect(details).toContainText(windowText('proxy:again.repeats'))
  await details.getByRole('button', exactly(windowText('proxy:again.showOriginal'))).click()
  await expect(details).toContainText('editor')

  // Replay offline.
  const asked = sandbox.observe.requests().length
  await details.getByRole('button', exactly(windowText('proxy:again.replay'))).press('Enter')
  const replaying = page.getByRole('dialog', { name: windowText('proxy:again.replays.title') })
  await replaying.getByRole('radio', { name: windowText('proxy:again.replays.immediate') }).press('Space')
  await replaying.getByRole('button', exactly(windowText('proxy:again.replays.start'))).press('Enter')
  await expect(replaying.locator('code')).toHaveCount(2)
  const [address = '', key = ''] = await replaying.locator('code').allTextContents()
  await expectAccessibleEverywhere(page, 'again-replay')
  const program = new OpenAI({ baseURL: address, apiKey: key, maxRetries: 0 })
  const replayed = await program.chat.completions.create(question)
  expect(replayed.id).toBe(first.id)
  expect(replayed.choices[0]?.message.content).toContain('[secret: github]')
  await replaying.getByRole('button', exactly(windowText('proxy:again.replays.stop'))).press('Enter')
  await expect(replaying.locator('code')).toHaveCount(0)
  await expect(program.models.list()).rejects.toThrow()
  await page.keyboard.press('Escape')
  expect(
    sandbox.observe
      .requests()
      .slice(asked)
      .filter(({ path }) => path.endsWith('/completions')),
  ).toEqual([])

  // The selected request as a file for CI.
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save 1 as fixture' }).press('Enter')
  const file = await (await download).path()
  const fixture = JSON.parse(readFileSync(file, 'utf8'))
  expect(fixture).toMatchObject({
    format: 'inference-studio.replay',
    version: 1,
    exchanges: [{ request: { body: { model: 'mirror' } } }],
  })
  expect(JSON.stringify(fixture)).not.toContain(secret)
})

test('the rules for keys are listed in the settings and tried on a text, with a person’s own', {
  tag: '@long',
}, async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const host = await openConnectedHost(sandbox)
  await page.goto(`${host.url}`)
  await page.evaluate(() => {
    location.hash = '#/settings/proxy'
  })
  const rules = page.getByRole('region', { name: windowText('settings:secrets.title') })
  await rules.locator('summary').press('Enter')
  await expect(rules.getByRole('listitem').filter({ hasText: 'GitHub token' })).toContainText('github_pat_…')
  await rules.getByRole('textbox', { name: windowText('settings:secrets.beginning') }).fill('a b')
  await rules.getByRole('button', exactly(windowText('settings:secrets.add'))).press('Enter')
  await expect(rules).toContainText(windowText('settings:secrets.bad'))
  await rules.getByRole('textbox', { name: windowText('settings:secrets.beginning') }).fill('acme-live-')
  await rules.getByRole('button', exactly(windowText('settings:secrets.add'))).press('Enter')
  await expect(rules.getByRole('button', { name: 'Remove acme-live-' })).toBeVisible()
  await rules
    .getByRole('textbox', { name: windowText('settings:secrets.trial') })
    .fill(`one acme-live-4711abcd, AKIAIOSFODNN7EXAMPLE`)
  await rules.getByRole('button', exactly(windowText('settings:secrets.test'))).press('Enter')
  await expect(rules).toContainText('one [secret: own], [secret: aws]')
  await expect(rules).toContainText('AWS access key ID: 1 time')
  await rules.scrollIntoViewIfNeeded()
  await expectAccessibleEverywhere(page, 'again-secrets')
})
