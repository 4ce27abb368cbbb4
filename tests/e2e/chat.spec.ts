import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, type Page, test } from '@playwright/test'
import OpenAI, { toFile } from 'openai'
import { node24, root } from '../../resources/scripts/ready.mjs'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { newChat } from './chatWorld.ts'
import {
  closeHosts,
  newDataDir,
  openConnectedHost,
  openSandbox,
  openWebHost,
  type Ready,
  type WebHost,
} from './hosts.ts'
import {
  askModel,
  composer,
  connectTo,
  growths,
  lastReply,
  pickModel,
  quick,
  replies,
  send,
  sendWatchStop,
  settled,
  settledText,
} from './journey.ts'

/** Uses the local /v1 with the official client (every kind of call and failure) and the command line. */
async function useEverything({ proxy }: Ready, dataDir: string): Promise<unknown[]> {
  const cli = (...args: string[]) =>
    execFileSync(node24(), [join(root, 'out/main/node.js'), ...args, '--data-dir', dataDir], { encoding: 'utf8' })
  const made = cli('apps', 'add', 'canary tool', '--json')
  const client = new OpenAI({ baseURL: proxy?.baseUrl ?? '', apiKey: (JSON.parse(made) as { key: string }).key })
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const seen: unknown[] = [made, cli('apps', 'list', '--json'), cli('doctor', '--ignore-warnings', '--json')]
  seen.push(await client.models.list())
  const stream = await client.chat.completions.create({ model: 'writer-small', messages, stream: true })
  for await (const chunk of stream) if (seen.push(chunk) > 20) break
  const speech = await client.audio.speech.create({
    model: 'tts-1',
    voice: 'nova',
    input: 'Hello.',
    response_format: 'wav',
  })
  const file = await toFile(Buffer.from(await speech.arrayBuffer()), 'a.wav')
  seen.push(await client.audio.transcriptions.create({ model: 'whisper-1', file }))
  seen.push(await client.images.generate({ prompt: 'a cat', n: 1 }))
  for (const fault of [
    'refuse; status=401',
    'refuse; status=500',
    'html-error',
    'reset-before-headers',
    'fail; status=503; times=1',
  ]) {
    const failed = await client.chat.completions
      .create({ model: 'mirror', messages }, { headers: { 'x-sandbox-fault': fault } })
      .catch((error: unknown) =>
        error instanceof OpenAI.APIError ? [error.message, error.error, [...(error.headers ?? [])]] : String(error),
      )
    seen.push(failed)
  }
  return seen
}

/** Reads one value from the database of a running host. */
function stored(dataDir: string, query: string): unknown {
  const studio = new DatabaseSync(join(dataDir, 'studio.sqlite'), { readOnly: true })
  try {
    return Object.values(studio.prepare(query).get() ?? {})[0]
  } finally {
    studio.close()
  }
}

const canary = 'sk-canary-2b91e7c4a0d85f63'
let sandbox: Sandbox
let host: WebHost

test.beforeAll(async () => {
  sandbox = await openSandbox({ apiKey: canary, paces: quick })
  host = await openConnectedHost(sandbox)
})
test.afterAll(closeHosts)

/** A connected host with a new chat. */
async function enter(page: Page): Promise<void> {
  await page.goto(host.url)
  await newChat(page)
}

/** Counts chat requests from now on. */
function countRequests(): () => number {
  const all = () => sandbox.observe.requests().filter(({ path }) => path.endsWith('/chat/completions')).length
  const before = all()
  return () => all() - before
}

test('first run: one click on "Try the sandbox" and a reply streams', async ({ page }) => {
  const host = await openWebHost(newDataDir())
  await page.goto(host.url)
  await page.getByRole('button', { name: /Try the sandbox/ }).click()
  const lengths = await growths(page, 3)
  expect(lengths.at(-1)).toBeGreaterThan(lengths[0] ?? 0)
  await settled(page, 'complete')
  expect(new URL(page.url()).hash).not.toContain('token')
})

test('tokens arrive one by one, and Stop closes the connection to the service [CHAT-16]', { tag: '@long' }, async ({
  page,
}) => {
  const host = await openWebHost(newDataDir())
  await page.goto(host.url)
  await connectTo(page, sandbox.baseUrl, canary)
  await pickModel(page, 'writer-large')
  await sendWatchStop(page, sandbox)
})

test('a reload during a stream loses nothing', { tag: '@long' }, async ({ page }) => {
  const asked = countRequests()
  await enter(page)
  await pickModel(page, 'writer-large')
  await send(page, 'Write about the sea.')
  await growths(page, 6)
  await page.reload()
  await growths(page, 3)
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
  const watched = await settledText(page)
  await page.reload()
  await settled(page, 'stopped')
  expect(await settledText(page)).toBe(watched)
  expect(asked()).toBe(1)
})

test('chats survive a restart, and a killed process leaves the partial reply, marked as incomplete [SSE-04]', {
  tag: '@long',
}, async ({ page }) => {
  const dataDir = newDataDir()
  const first = await openWebHost(dataDir)
  await page.goto(first.url)
  await connectTo(page, sandbox.baseUrl, canary)
  await askModel(page, 'writer-small', 'A short one, to be kept.')
  const whole = await settledText(page)
  await pickModel(page, 'writer-large')
  await send(page, 'A long one, to be cut.')
  await growths(page, 12)
  // Partial replies are saved every 500 ms.
  await expect.poll(() => stored(dataDir, 'SELECT coalesce(sum(length(content)), 0) FROM pieces')).toBeGreaterThan(60)
  await first.kill()

  const second = await openWebHost(dataDir)
  await page.goto(second.url)
  await page.getByRole('row', { name: 'A short one, to be kept' }).first().click()
  await expect(replies(page)).toHaveCount(2)
  expect(await settledText(page, replies(page).first())).toBe(whole)
  await settled(page, 'incomplete')
  expect((await lastReply(page).locator('[data-part="text"]').innerText()).length).toBeGreaterThan(20)
  await expect(
    lastReply(page)
      .getByRole('button', { name: windowText('chat:retry') })
      .first(),
  ).toBeVisible()
  expect(await second.stop()).toBe(0)
})

test('a fault during a stream keeps the partial reply with the reason and sends again only on Retry [SSE-04] [ERR-08]', async ({
  page,
}) => {
  const asked = countRequests()
  await enter(page)
  await askModel(page, 'fault/cut', 'Be cut.', 'incomplete')
  await expect(lastReply(page)).toContainText('The reply is incomplete.')
  expect(asked()).toBe(1)
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:retry') })
    .first()
    .click()
  await expect.poll(asked).toBe(2)
})

test('waits and retries are shown, and Stop ends them at once [ERR-05]', async ({ page }) => {
  await enter(page)
  await pickModel(page, 'fault/429')
  await send(page, 'Be busy.')
  await expect(lastReply(page)).toContainText(/429|busy|limit/i)
  await expect(lastReply(page)).toContainText(/retrying/i)
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
})

test('a rejected key shows the reason with one action and stores nothing [AUTH-02] [ERR-03]', async ({ page }) => {
  const host = await openWebHost(newDataDir())
  await page.goto(host.url)
  await page.getByRole('button', { name: 'Connect', exact: true }).first().click()
  await page.getByRole('textbox', { name: windowText('connect:baseUrl') }).fill(sandbox.baseUrl)
  await page.getByLabel('API key', { exact: true }).fill(sandbox.keys.revoked)
  await page.getByRole('button', { name: /^Test/ }).click()
  await expect(page.getByText(/rejected/i).first()).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: /Try the sandbox/ })).toBeVisible()
})

test('the service’s key appears nowhere: data folder, output, page, frames, errors [AUTH-03]', async ({ page }) => {
  const heard: string[] = []
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => heard.push(payload.toString()))
    socket.on('framereceived', ({ payload }) => heard.push(payload.toString()))
  })
  page.on('console', (message) => heard.push(message.text()))
  const dataDir = newDataDir()
  const host = await openWebHost(dataDir)
  await page.goto(host.url)
  await connectTo(page, sandbox.baseUrl, canary)
  await askModel(page, 'mirror', 'Say what you received.')
  await askModel(page, 'fault/401', 'Fail.', 'failed')
  heard.push(JSON.stringify(await useEverything(host.ready, dataDir)))
  heard.push(await page.content())
  heard.push(
    JSON.stringify(
      await page.evaluate(() => [Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
    ),
  )
  expect(await host.stop()).toBe(0)
  heard.push(host.output())
  for (const file of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) heard.push(readFileSync(join(file.parentPath, file.name), 'latin1'))
  }
  expect(heard.join('\n').length).toBeGreaterThan(10_000)
  const forms = [canary, Buffer.from(canary).toString('base64').slice(0, -2), Buffer.from(canary).toString('hex')]
  for (const form of forms) expect(heard.some((text) => text.includes(form))).toBe(false)
})

test('the composer works without a network, the address bar shows no token, and drafts survive a reload', {
  tag: '@long',
}, async ({ page }) => {
  await enter(page)
  await askModel(page, 'mirror', 'First.')
  await composer(page).fill('Half a thought')
  await expect
    .poll(() => stored(host.ready.dataDir, "SELECT count(*) FROM conversations WHERE draft = 'Half a thought'"))
    .toBe(1)
  await page.reload()
  await expect(composer(page)).toHaveValue('Half a thought')
})
