// @module-tag chromium
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../../resources/scripts/ready.mjs'
import { png } from '../../core/features/media/pictures.ts'
import { type Desktop, real } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, tidy } from './fixtures.ts'

let desktop: Desktop
let dataDir: string
let address: string
const bytes = png(30, 20)

beforeAll(async () => {
  ;({ dataDir, desktop } = await launchConnected())
  const { page } = desktop
  await page
    .locator('.chat-composer input[type="file"]')
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: bytes })
  await page.locator('.composer-picture[data-state="ready"]').waitFor()
  // After a reload, the file is read from the host and not from the page's memory.
  await page.reload()
  address = (await page.locator('.composer-picture img').getAttribute('src')) ?? ''
})
afterAll(tidy)

interface Asked {
  method?: string
  range?: string
}
const ask = (path: string, { method = 'GET', range }: Asked = {}) =>
  desktop.page.evaluate(
    async (given) => {
      const headers = given.range === undefined ? {} : { range: given.range }
      const reply = await fetch(given.path, { method: given.method, headers, cache: 'no-store' })
      const body = new Uint8Array(await reply.arrayBuffer())
      return { status: reply.status, headers: Object.fromEntries(reply.headers), body: [...body] }
    },
    { path, method, ...(range !== undefined && { range }) },
  )

test('an image is served with its detected type only', async () => {
  expect(address).toMatch(/^\/media\/[\da-f-]{36}$/)
  const width = () =>
    desktop.page.locator('.composer-picture img').evaluate((image: HTMLImageElement) => image.naturalWidth)
  await expect.poll(width).toBe(30)
  const { status, headers, body } = await ask(address)
  expect([status, Buffer.from(body).equals(bytes)]).toEqual([200, true])
  expect(headers).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, max-age=31536000, immutable',
  })
})

test('ranges are served, and one behind the end is refused', async () => {
  const part = await ask(address, { range: 'bytes=1-3' })
  expect([part.status, part.body, part.headers['content-range']]).toEqual([
    206,
    [...bytes.subarray(1, 4)],
    `bytes 1-3/${bytes.length}`,
  ])
  expect((await ask(address, { range: `bytes=${bytes.length}-` })).status).toBe(416)
})

test('other methods, unknown ids and paths out of the folder are refused', async () => {
  writeFileSync(join(dataDir, 'secret.txt'), 'SECRET')
  for (const method of ['POST', 'PUT', 'DELETE']) expect((await ask(address, { method })).status).toBe(405)
  for (const path of [
    '/media/',
    '/media/..%2fsecret.txt',
    '/media/%2e%2e%2fsecret.txt',
    '/media/..%5csecret.txt',
    `${address}%00`,
    `${address}/`,
    address.toUpperCase().replace('/MEDIA', '/media'),
    '/media/00000000-0000-4000-8000-000000000000',
  ]) {
    const { status, body } = await ask(path)
    expect([path, status, Buffer.from(body).includes('SECRET')]).toEqual([path, 404, false])
  }
})

test('a document is converted in a utility process', async () => {
  const { page } = desktop
  const chooser = page.locator('.chat-composer input[type="file"]')
  await chooser.setInputFiles(join(root, 'tests/fixtures/documents/report.docx'))
  const tray = page.getByRole('list', { name: windowText('documents:toSend') })
  await expect.poll(() => tray.textContent()).toMatch(/Word · 3 pages/)
  // A real utility process shows no name from outside.
  if (real) return
  const services = await desktop.evaluate(() => Reflect.get(globalThis, 'shown').services)
  expect(services).toContain('documents and schemas')
})
