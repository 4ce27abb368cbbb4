import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@playwright/test'
import { encode } from 'fast-png'
import { windowText } from '../helpers/windowText.ts'
import { takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openWebHost } from './hosts.ts'
import { connectTo } from './journey.ts'

test.describe.configure({ mode: 'parallel', timeout: 120_000 })
test.afterEach(closeHosts)

const day = (back: number): string => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
const row = { user_id: 'u', model: 'writer', requests: 4, tokens_in: 400, tokens_out: 40, tokens_cached: 0 }
const whole = Buffer.from(encode({ width: 300, height: 200, data: new Uint8Array(180_000).fill(90), channels: 3 }))
const base64 = (bytes: Buffer) => ({ b64_json: bytes.toString('base64') })

const replies: Record<string, unknown> = {
  '/v1/models': { object: 'list', data: [{ id: 'writer', object: 'model' }] },
  '/v1/usage': {
    usage: [
      { ...row, date: `${day(2)}T00:00:00Z`, cost_sc: 33.84 },
      { ...row, date: `${day(2)}T00:00:00Z`, requests: 0, tokens_in: 0, tokens_out: 0, cost_sc: -2.5 },
      { ...row, date: `${day(1)}T00:00:00Z`, model: 'odd', tokens_in: null, cost_sc: null },
      { ...row, date: `${day(-5)}T00:00:00Z`, cost_sc: 1 },
    ],
    balance: 12.5,
    total_spent: 31.34,
  },
  '/v1/rate-limit': {
    limit_rpm: 1e300,
    used_rpm: 3,
    remaining_rpm: -5,
    reset_seconds: -7,
    banned: true,
    banned_until: '2020-01-01T00:00:00Z',
  },
  '/v1/keys/current': { id: '0b8f4c2e-2f55-4a39-9d4c-0f9be5cc1d11', user_id: 'u', key_prefix: 'sk-odd' },
  '/v1/images/generations': { created: 1, data: [null, base64(whole), base64(whole.subarray(0, 60))] },
}

async function oddService(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const reply = replies[request.url ?? '']
    request.resume()
    response.writeHead(reply ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply ?? { error: { message: 'Not here.' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

test('odd rows of usage mark the totals, and an old ban and absurd limits are said in words that fit', {
  tag: '@long',
}, async ({ page }) => {
  const service = await oddService()
  const host = await openWebHost(newDataDir())
  await page.goto(host.url)
  await connectTo(page, service.url, 'sk-odd-1')
  await page
    .getByRole('link', { name: windowText('usage:title') })
    .first()
    .click()
  const summary = page.getByRole('region', { name: windowText('usage:cards.label') })
  await expect(summary).toContainText('31.34', { timeout: 30_000 })
  await expect(summary).toContainText('at least')
  await expect(summary).toContainText('Excludes 1 row in which the service reported no cost')
  await takePictures(page, 'usage-odd-rows', true)
  await page
    .getByRole('link', { name: windowText('usage:sections.limits') })
    .or(page.getByRole('button', { name: windowText('usage:sections.limits') }))
    .first()
    .click()
  await expect(page.getByText(windowText('usage:limits.bannedOver'))).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('3 of 1E300')).toBeVisible()
  await expect(page.getByText('−5 left')).toBeVisible()
  await expect(page.getByText(windowText('usage:limits.resetOver'))).toBeVisible()
  await takePictures(page, 'usage-odd-limits', true)
  service.close()
})

test('good images of an odd reply arrive, and the damaged one can be saved as a file', { tag: '@long' }, async ({
  page,
}) => {
  const service = await oddService()
  const host = await openWebHost(newDataDir())
  await page.goto(host.url)
  await connectTo(page, service.url, 'sk-odd-2')
  await page
    .getByRole('link', { name: windowText('images:title') })
    .first()
    .click()
  await page.getByRole('textbox', { name: windowText('images:composer.prompt'), exact: true }).fill('A harbour')
  await page.getByRole('button', { name: windowText('images:composer.draw'), exact: true }).click()
  await expect(page.getByText('1 of 3 received')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('The image is cut off after 60 bytes.')).toBeVisible()
  await takePictures(page, 'images-damaged', true)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: windowText('images:under.saveFile') }).click()
  expect((await saved).suggestedFilename()).toBe('A harbour damaged.png')
  service.close()
})
