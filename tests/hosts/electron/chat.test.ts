// @module-tag chromium
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect as playwright } from '@playwright/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import {
  connectTo,
  growths,
  lastReply,
  pickModel,
  replies,
  send,
  sendWatchStop,
  settled,
  settledText,
} from '../../e2e/journey.ts'
import { pageTimeout } from '../../helpers/effort.ts'
import { launchDesktop } from '../../helpers/electron/launch.ts'
import { newDataDir, openedOutside, tidy, watchOutside } from './fixtures.ts'

const expectPage = playwright.configure({ timeout: pageTimeout })

const canary = 'sk-canary-71d3f0a95be2486c'
let sandbox: Sandbox

beforeEach(async () => {
  sandbox = await startSandbox({ apiKey: canary })
})
afterEach(async () => {
  await tidy()
  await sandbox.close()
})

test('first run: one click on "Try the sandbox" and a reply streams', async () => {
  const { page } = await launchDesktop(newDataDir())
  await page.getByRole('button', { name: /Try the sandbox/ }).click()
  const lengths = await growths(page, 3)
  expect(lengths.at(-1)).toBeGreaterThan(lengths[0] ?? 0)
  await settled(page, 'complete')
})

test('tokens of a reply arrive one after another, and Esc closes the request to the service [CHAT-16]', {
  tags: 'long',
}, async () => {
  const { page } = await launchDesktop(newDataDir())
  await connectTo(page, sandbox.baseUrl, canary)
  await pickModel(page, 'writer-large')
  await sendWatchStop(page, sandbox)
})

test('a reload and an external link lose no token of a running reply', { tags: 'long' }, async () => {
  const desktop = await launchDesktop(newDataDir())
  const { page } = desktop
  await watchOutside(desktop)
  await connectTo(page, sandbox.baseUrl, canary)
  await pickModel(page, 'writer-large')
  await send(page, 'Write at length about the sea.')
  await growths(page, 6)
  const text = () => lastReply(page).locator('[data-part="text"]').innerText()
  const before = await text()
  await page.reload()
  await growths(page, 3)
  await page.evaluate(() => location.assign('https://a.example/'))
  await growths(page, 3)
  expect(await openedOutside(desktop)).toEqual(['https://a.example/'])
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
  const watched = await settledText(page)
  expect(watched.startsWith(before.slice(0, 20))).toBe(true)
  // The page received the same messages over two connections as were stored.
  await page.reload()
  await settled(page, 'stopped')
  expect(await settledText(page)).toBe(watched)
  expect(sandbox.observe.requests().filter((request) => request.stream)).toHaveLength(1)
})

test('quitting mid-stream stores and marks the reply, the next start shows it, and the key is in no file [AUTH-03]', {
  tags: 'long',
}, async () => {
  const dataDir = newDataDir()
  const first = await launchDesktop(dataDir)
  await connectTo(first.page, sandbox.baseUrl, canary)
  await pickModel(first.page, 'writer-large')
  await send(first.page, 'A long one, to be cut.')
  await growths(first.page, 12)
  const seen = await lastReply(first.page).locator('[data-part="text"]').innerText()
  expect(await first.quit()).toBe(0)

  const second = await launchDesktop(dataDir)
  await second.page.getByRole('row', { name: 'A long one, to be cut' }).first().click()
  await expectPage(replies(second.page)).toHaveCount(1)
  const kept = await lastReply(second.page).locator('[data-part="text"]').innerText()
  expect(kept.startsWith(seen.slice(0, 20))).toBe(true)
  expect(kept.length).toBeGreaterThanOrEqual(seen.length)
  await expectPage(lastReply(second.page)).not.toHaveAttribute('data-status', 'streaming')
  expect(await second.quit()).toBe(0)

  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  const heard = [
    first.errors(),
    second.errors(),
    ...files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')),
  ]
  expect(heard.length).toBeGreaterThan(3)
  for (const form of [
    canary,
    Buffer.from(canary).toString('base64').slice(0, -2),
    Buffer.from(canary).toString('hex'),
  ]) {
    expect(heard.some((text) => text.includes(form))).toBe(false)
  }
})
