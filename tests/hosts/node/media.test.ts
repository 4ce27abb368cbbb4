import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, cookieFor, originOf, type Site, startSite } from './fixtures/web.ts'

const id = '0b0f6f5a-5b7c-4f0e-9d39-0c6f0f6b1c11'
const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => 32 + (index % 90)))
const opened: string[] = []
let site: Site
let cookie: string

beforeAll(async () => {
  site = await startSite(0, {
    async open(asked) {
      opened.push(asked)
      if (asked !== id) return null
      const read = (start: number, end: number): Readable => Readable.from([bytes.subarray(start, end + 1)])
      return { mime: 'image/png', bytes: bytes.length, read }
    },
  })
  cookie = await cookieFor(site, '/media')
})
afterAll(() => site.stop())

const look = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  ask(site, path, { method, headers: { cookie, ...headers } })

describe('a picture', () => {
  it('a media file is served whole with its detected type, for a private cache', async () => {
    const reply = await look(`/media/${id}`)
    expect([reply.status, reply.body]).toEqual([200, bytes.toString()])
    expect(reply.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '1000',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
    })
    const head = await look(`/media/${id}`, {}, 'HEAD')
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', '1000'])
  })

  it.each([
    ['bytes=0-9', 206, [0, 9]],
    ['bytes=990-', 206, [990, 999]],
    ['bytes=-5', 206, [995, 999]],
    ['bytes=-5000', 206, [0, 999]],
    ['bytes=10-5000', 206, [10, 999]],
    ['bytes=1000-', 416, null],
    ['bytes=-0', 416, null],
    ['bytes=9-3', 200, [0, 999]],
    ['bytes=0-1,5-6', 200, [0, 999]],
    ['bytes=a-b', 200, [0, 999]],
    ['lines=0-1', 200, [0, 999]],
    ['bytes=-', 200, [0, 999]],
    ['bytes=0-99999999999999999999', 200, [0, 999]],
  ] as const)('range %s is answered %i', async (range, status, part) => {
    const reply = await look(`/media/${id}`, { range })
    expect(reply.status).toBe(status)
    expect(reply.body).toBe(part ? bytes.subarray(part[0], part[1] + 1).toString() : '')
    if (status === 206) expect(reply.headers['content-range']).toBe(`bytes ${part?.join('-')}/1000`)
    if (status === 416) expect(reply.headers['content-range']).toBe('bytes */1000')
  })

  it('If-Range gets the whole file, because there is no validator', async () => {
    const reply = await look(`/media/${id}`, { range: 'bytes=0-1', 'if-range': '"x"' })
    expect([reply.status, reply.body.length]).toEqual([200, 1000])
  })
})

describe('attacks', () => {
  it('without the media cookie neither a file nor its existence is revealed', async () => {
    const before = opened.length
    const rpc = await cookieFor(site, '/rpc')
    for (const wrong of [
      '',
      `${cookie}x`,
      rpc,
      `inference-studio-${site.server.port}=${site.token}`,
      cookie.replace('=', '2='),
    ]) {
      for (const path of [`/media/${id}`, `/media/${randomUUID()}`]) {
        const reply = await ask(site, path, { headers: { cookie: wrong } })
        expect(reply.status).toBe(403)
        expect(reply.body).not.toContain(bytes.toString('utf8', 0, 20))
      }
    }
    expect(opened).toHaveLength(before)
  })

  it('the media cookie does not authenticate the WebSocket', async () => {
    const reply = await ask(site, '/rpc', { headers: { cookie, origin: originOf(site) } })
    expect(reply.status).not.toBe(204)
  })

  it('other sites and other ports are refused, even with the cookie', async () => {
    for (const site of ['cross-site', 'same-site']) {
      expect((await look(`/media/${id}`, { 'sec-fetch-site': site })).status).toBe(403)
    }
    expect((await look(`/media/${id}`, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await look(`/media/${id}`, { 'sec-fetch-site': 'none' })).status).toBe(200)
    expect((await look(`/media/${id}`, { host: 'rebound.example' })).status).toBe(403)
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('%s is refused', async (method) => {
    expect((await look(`/media/${id}`, {}, method)).status).toBe(405)
  })

  it.each([
    '/media/',
    '/media/..',
    '/media/../studio.sqlite',
    '/media/..%2fstudio.sqlite',
    '/media/%2e%2e/%2e%2e/secret.txt',
    '/media/..\\secret.txt',
    `/media/${id}/`,
    `/media/${id}.png`,
    `/media/./${id}`,
    `/media//${id}`,
    `/media/${id.toUpperCase()}`,
    `/media/${id}%00`,
    '/media/__proto__',
  ])('%s is not found', async (path) => {
    const reply = await look(path)
    expect([reply.status, reply.body]).toEqual([404, ''])
  })
})
