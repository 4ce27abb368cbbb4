import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page, test } from '@playwright/test'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { connect as words } from '../../src-renderer/i18n/en/connect.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible } from './chatWorld.ts'
import { closeHosts, newDataDir, openSandbox, openWebHost } from './hosts.ts'
import { composer, goToPage } from './journey.ts'

let sandbox: Sandbox
const servers: Server[] = []
test.beforeEach(async () => {
  sandbox = await openSandbox()
})
test.afterEach(async () => {
  await closeHosts()
  for (const server of servers.splice(0)) server.close()
})

/** A server on a free port that answers every request the same; its address without scheme. */
async function serverAt(status: number, type: string, body: string): Promise<string> {
  const server = createServer((_, reply) => reply.writeHead(status, { 'content-type': type }).end(body))
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  servers.push(server)
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const address = (page: Page) => page.getByRole('textbox', { name: words.baseUrl })
const key = (page: Page) => page.getByLabel(words.key, { exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function openForm(page: Page): Promise<void> {
  const host = await openWebHost(newDataDir())
  await page.goto(host.url)
  await button(page, words.connect).click()
  await expect(address(page)).toBeVisible()
}

test('a pasted endpoint becomes a base URL in front of the person, and connects', { tag: '@long' }, async ({
  page,
}) => {
  await openForm(page)
  const host = new URL(sandbox.baseUrl).host
  await address(page).fill(`${host}/v1/chat/completions?stream=true`)
  await key(page).fill(sandbox.apiKey)
  await expect(address(page)).toHaveValue(`http://${host}/v1`)
  await expect(page.getByRole('status').filter({ hasText: '/chat/completions' })).toBeVisible()
  await expectAccessible(page)
  await button(page, words.connect).click()
  await expect(composer(page)).toBeVisible()
})

test('the form of the first start takes the focus, and Back returns it', { tag: '@long' }, async ({ page }) => {
  await openForm(page)
  await expect(address(page)).toBeFocused()
  await button(page, windowText('shell:welcome.connect.back')).click()
  await expect(button(page, words.connect)).toBeFocused()
})

test('each cause of a failure is shown beside the field that has to change, and the key stays', {
  tag: '@long',
}, async ({ page }) => {
  await openForm(page)
  await key(page).fill('a-key-that-nobody-has')
  const failsAt = async (target: string, field: typeof address, text: string | RegExp) => {
    await address(page).fill(target)
    await button(page, words.test).click()
    await expect(page.getByRole('alert')).toContainText(text)
    await expect(field(page)).toHaveAttribute('aria-invalid', 'true')
    await expect(field(page)).toBeFocused()
    await expect(key(page)).toHaveValue('a-key-that-nobody-has')
    await expect(
      page.getByText(windowText('settings:title'), { exact: false }).and(page.getByRole('alert')),
    ).toHaveCount(0)
  }
  await failsAt('127.0.0.1:9', address, words.cause.refused.replace('{{code}}', 'ECONNREFUSED'))
  await failsAt('no-such-host.invalid', address, /No server has this name/)
  await failsAt(`https://${new URL(sandbox.baseUrl).host}`, address, /does not use https/)
  await failsAt(await serverAt(200, 'text/html', '<h1>Welcome</h1>'), address, words.cause.notAnApi)
  await failsAt(await serverAt(404, 'text/html', '<h1>Not found</h1>'), address, words.cause.notAnApi)
  await failsAt(sandbox.baseUrl, key, words.cause.keyRejected)
  await expectAccessible(page)
  await key(page).fill('')
  await button(page, words.test).click()
  await expect(page.getByRole('alert')).toContainText(words.cause.keyMissing)
})

test('a local server without keys needs none, and its name comes from its address', { tag: '@long' }, async ({
  page,
}) => {
  const local = await serverAt(200, 'application/json', '{"object":"list","data":[{"id":"llama","object":"model"}]}')
  const host = await openWebHost(newDataDir(), ['--sandbox'])
  await page.goto(host.url)
  await goToPage(page, windowText('settings:title'))
  await page.getByRole('button', { name: windowText('settings:connection.add') }).click()
  await address(page).fill(local)
  await expect(page.getByRole('textbox', { name: words.name })).toHaveValue(local)
  await button(page, words.connect).click()
  const row = page
    .getByRole('list', { name: windowText('settings:connection.list') })
    .getByRole('listitem')
    .filter({ hasText: local })
  await expect(row).toContainText(windowText('settings:connection.state.connected'))
  await expect(row).toContainText('not needed')
})

test('without a connection, Speech and Keys say so, and Speech leads to Connections', { tag: '@long' }, async ({
  page,
}) => {
  const host = await openWebHost(newDataDir())
  await page.goto(host.url)
  await goToPage(page, windowText('shell:pages.keys'))
  await expect(page.getByRole('navigation', { name: windowText('keys:list') })).toContainText(windowText('keys:none'))
  await goToPage(page, windowText('shell:pages.speech'))
  await page.getByRole('textbox', { name: windowText('speech:textLabel') }).fill('Good morning')
  await expect(page.getByRole('main')).toContainText(windowText('speech:needConnection'))
  // There is none yet.
  await expect(page.getByRole('main')).not.toContainText('saved speech')
  await expect(button(page, windowText('speech:speak'))).toHaveCount(0)
  await expectAccessible(page)
  await page
    .getByRole('main')
    .getByRole('button', { name: windowText('speech:connect') })
    .click()
  await expect(page.getByRole('heading', { name: windowText('settings:connection.title') })).toBeVisible()
})
