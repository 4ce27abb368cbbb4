// @module-tag chromium
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { partType, recordingPath, transferPath } from '../../../src-preload/contract/transfers.ts'
import { composer } from '../../e2e/journey.ts'
import { type Desktop, launchDesktop } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { newDataDir, tidy } from './fixtures.ts'

let desktop: Desktop
beforeAll(async () => {
  desktop = await launchDesktop(newDataDir())
})
afterAll(tidy)

const ask = (path: string, init: { method: string; type?: string; body?: string }) =>
  desktop.page.evaluate(
    async ({ path, method, type, body }) => {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
      const bytes = body === undefined ? null : new TextEncoder().encode(body)
      const reply = await fetch(path, { method, headers, body: bytes, cache: 'no-store' })
      return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() }
    },
    { path, ...init },
  )

test('parts for unknown uploads and recordings are refused with the words of the problem', async () => {
  for (const path of [transferPath(randomUUID()), recordingPath(randomUUID())]) {
    const { status, text, headers } = await ask(`${path}?at=0`, { method: 'PUT', type: partType, body: 'sound' })
    expect([status, JSON.parse(text)]).toMatchObject([404, { kind: 'no_such_item' }])
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  }
})

test('other types, methods, offsets and paths are refused', async () => {
  const path = transferPath(randomUUID())
  expect((await ask(`${path}?at=0`, { method: 'PUT', type: 'text/plain', body: 'x' })).status).toBe(415)
  expect((await ask(`${path}?at=-1`, { method: 'PUT', type: partType, body: 'x' })).status).toBe(400)
  for (const method of ['POST', 'DELETE']) expect((await ask(path, { method })).status).toBe(405)
  for (const wrong of ['/transfers/', '/transfers/..%2fstudio.sqlite', '/transfers/..%5cx', `${path}%00`, `${path}/`]) {
    expect([wrong, (await ask(wrong, { method: 'GET' })).status]).toEqual([wrong, 404])
  }
})

test('a backup goes from the disk to the disk: a file of the host, not one of the page', async () => {
  const { page } = desktop
  await page.getByRole('button', { name: /Try the sandbox/ }).click()
  // The pages are there before the first message opens its chat. Who opens another page meanwhile stays there.
  await composer(page).waitFor()
  await page.evaluate(() => location.assign('#/settings/data'))
  const coming = page.waitForEvent('download')
  await page.getByRole('button', { name: windowText('data:backup.save') }).click()
  const download = await coming
  expect(download.url()).toMatch(/\/transfers\/[\da-f-]{36}$/)
  expect(download.suggestedFilename()).toMatch(/^inference-studio-.*\.tar$/)
  // The first entry of a backup is its manifest, and its format is ustar.
  const tar = readFileSync(await download.path())
  expect([tar.toString('latin1', 257, 262), tar.length % 512]).toEqual(['ustar', 0])
})
