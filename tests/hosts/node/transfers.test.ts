import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTransfers, type Transfers } from '../../../src-main/core/features/transfers/transfers.ts'
import { createBytesHandler } from '../../../src-main/core/handlers/bytes.ts'
import { partBytes, partType, transferPath } from '../../../src-preload/contract/transfers.ts'
import { freshFolder, testHost } from '../../core/helpers/core.ts'
import { ask, cookieFor, originOf, type Site, startSite } from './fixtures/web.ts'

let transfers: Transfers
let site: Site
let cookie: string
const appended: Buffer[] = []

beforeAll(async () => {
  const dataDir = freshFolder()
  transfers = createTransfers({ dataDir })
  const recordings = {
    async append({ at, data }: { at: number; data: Uint8Array }) {
      appended.push(Buffer.from(data))
      return at + data.length
    },
  }
  const bytes = createBytesHandler({ host: testHost(dataDir).host, transfers, recordings })
  site = await startSite(0, undefined, { bytes })
  cookie = await cookieFor(site, '/transfers')
})
afterAll(async () => {
  await site.stop()
  await transfers.close()
})

const put = (path: string, body: Buffer, headers: Record<string, string> = {}) =>
  ask(site, path, {
    method: 'PUT',
    headers: { cookie, origin: originOf(site), 'content-type': partType, ...headers },
    body,
  })
const begin = async (bytes: number) => (await transfers.uploads.begin({ name: 'a', bytes })).uploadId
const stored = (uploadId: string): Buffer => readFileSync(join(transfers.folder, uploadId))
function offer(content: Buffer) {
  const path = join(transfers.folder, randomUUID())
  writeFileSync(path, content)
  return { path, ...transfers.downloads.offer({ path, name: 'a.txt', mime: 'text/plain', bytes: content.length }) }
}

it('a page uploads a file and downloads one', async () => {
  const content = randomBytes(partBytes + 1000)
  const uploadId = await begin(content.length)
  for (let at = 0; at < content.length; at += partBytes) {
    const reply = await put(`${transferPath(uploadId)}?at=${at}`, content.subarray(at, at + partBytes))
    expect([reply.status, JSON.parse(reply.body)]).toEqual([
      200,
      { received: Math.min(content.length, at + partBytes) },
    ])
  }
  expect(stored(uploadId).equals(content)).toBe(true)
  const { downloadId, path } = offer(Buffer.from('what was saved'))
  const head = await ask(site, transferPath(downloadId), { method: 'HEAD', headers: { cookie } })
  expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', '14'])
  const headers = { cookie, range: 'bytes=0-3', 'sec-fetch-site': 'same-origin' }
  const reply = await ask(site, transferPath(downloadId), { headers })
  expect([reply.status, reply.body]).toEqual([200, 'what was saved'])
  expect(reply.headers).toMatchObject({
    'content-disposition': "attachment; filename*=UTF-8''a.txt",
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'accept-ranges': 'none',
  })
  await expect.poll(() => existsSync(path)).toBe(false)
})

it('a refusal contains the problem, and the connection stays usable', async () => {
  const uploadId = await begin(10)
  const reply = await put(`${transferPath(uploadId)}?at=5`, Buffer.from('x'))
  expect([reply.status, JSON.parse(reply.body)]).toEqual([
    400,
    { kind: 'bad_input', message: 'An earlier part of the file is missing.' },
  ])
})

it('the received bytes of an interrupted part are stored, and the page continues after them', async () => {
  const content = randomBytes(200_000)
  const uploadId = await begin(content.length)
  const path = `${transferPath(uploadId)}?at=0`
  const headers = { host: new URL(originOf(site)).host, cookie, origin: originOf(site), 'content-type': partType }
  const sent = request({
    host: '127.0.0.1',
    port: site.server.port,
    path,
    method: 'PUT',
    headers: { ...headers, 'content-length': String(content.length) },
  })
  sent.on('error', () => undefined)
  sent.write(content.subarray(0, 120_000))
  await expect.poll(() => stored(uploadId).length).toBe(120_000)
  sent.destroy()
  expect((await put(path, content)).status).toBe(200)
  expect(stored(uploadId).equals(content)).toBe(true)
})

it('a slow page slows its stream down, and a page that disconnects ends it', async () => {
  let made = 0
  const left = Promise.withResolvers<void>()
  const { streamId } = transfers.streams.offer(async function* (signal) {
    signal.addEventListener('abort', () => left.resolve())
    for (;;) {
      made += 64_000
      yield { type: 'audio', data: Buffer.alloc(64_000) }
    }
  })
  const sent = request({
    host: '127.0.0.1',
    port: site.server.port,
    path: transferPath(streamId),
    headers: { host: new URL(originOf(site)).host, cookie },
  })
  sent.end()
  const [reply] = await once(sent, 'response')
  // The page reads 1 MB and then stops. The system's socket buffers contain the other generated bytes.
  let read = 0
  while (read < 1_000_000) {
    const chunk: Buffer | null = reply.read()
    if (chunk) read += chunk.length
    else await once(reply, 'readable')
  }
  const counts: number[] = []
  await expect.poll(() => counts.push(made) > 1 && counts.at(-1) === counts.at(-2), { interval: 100 }).toBe(true)
  expect(made).toBeLessThan(20_000_000)
  reply.destroy()
  await left.promise
})

describe('attacks', () => {
  it('without the cookie nothing is stored, read or revealed', async () => {
    const uploadId = await begin(3)
    const { downloadId, path } = offer(Buffer.from('SECRET'))
    const others = [
      '',
      `${cookie}x`,
      await cookieFor(site, '/rpc'),
      await cookieFor(site, '/media'),
      `inference-studio-${site.server.port}=${site.token}`,
      cookie.replace('=', '2='),
    ]
    for (const wrong of others) {
      expect((await put(`${transferPath(uploadId)}?at=0`, Buffer.from('bad'), { cookie: wrong })).status).toBe(403)
      for (const id of [downloadId, randomUUID()]) {
        const reply = await ask(site, transferPath(id), { headers: { cookie: wrong } })
        expect([reply.status, reply.body.includes('SECRET')]).toEqual([403, false])
      }
    }
    expect([stored(uploadId).length, existsSync(path)]).toEqual([0, true])
    const rpc = await ask(site, '/rpc', { headers: { cookie, origin: originOf(site) } })
    expect(rpc.status).toBe(401)
    expect((await ask(site, `/media/${downloadId}`, { headers: { cookie } })).status).toBe(403)
  })

  it('other origins and other host names are refused, even with the cookie', async () => {
    const uploadId = await begin(3)
    const { downloadId, path } = offer(Buffer.from('SECRET'))
    const port = site.server.port
    const foreign: Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: '' },
      { origin: `http://127.0.0.1:${port + 1}` },
      { origin: `http://localhost:${port}` },
      { origin: `https://127.0.0.1:${port}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { host: 'rebound.example', origin: 'http://rebound.example' },
    ]
    for (const headers of foreign) {
      expect((await put(`${transferPath(uploadId)}?at=0`, Buffer.from('bad'), headers)).status).toBe(403)
    }
    const reading: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { host: 'rebound.example' },
    ]
    for (const headers of reading) {
      expect((await ask(site, transferPath(downloadId), { headers: { cookie, ...headers } })).status).toBe(403)
    }
    const without = { method: 'PUT', headers: { cookie, 'content-type': partType }, body: 'bad' }
    expect((await ask(site, `${transferPath(uploadId)}?at=0`, without)).status).toBe(403)
    expect([stored(uploadId).length, existsSync(path)]).toEqual([0, true])
  })

  it('types that a form or a foreign script may send are refused', async () => {
    const uploadId = await begin(3)
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded']) {
      const reply = await put(`${transferPath(uploadId)}?at=0`, Buffer.from('bad'), { 'content-type': type })
      expect(reply.status).toBe(415)
    }
    for (const method of ['POST', 'DELETE', 'OPTIONS', 'PATCH']) {
      const headers = { cookie, origin: originOf(site), 'content-type': partType }
      expect((await ask(site, transferPath(uploadId), { method, headers })).status).toBe(405)
    }
    expect(stored(uploadId)).toHaveLength(0)
  })

  it('a body above the size of a part is refused', async () => {
    const uploadId = await begin(partBytes * 2)
    const headers = {
      cookie,
      origin: originOf(site),
      'content-type': partType,
      'content-length': String(partBytes + 1),
    }
    const sent = request({
      host: '127.0.0.1',
      port: site.server.port,
      path: `${transferPath(uploadId)}?at=0`,
      method: 'PUT',
      headers: { host: new URL(originOf(site)).host, ...headers },
    })
    sent.on('error', () => undefined)
    sent.flushHeaders()
    const [reply] = await once(sent, 'response')
    expect([reply.statusCode, await json(reply)]).toMatchObject([413, { kind: 'bad_input' }])
    sent.destroy()
    expect(stored(uploadId)).toHaveLength(0)
  })

  it.each([
    '/transfers/',
    '/transfers/..',
    '/transfers/../secret.txt',
    '/transfers/..%2fsecret.txt',
    '/transfers/%2e%2e/secret.txt',
    '/transfers/..\\secret.txt',
    '/transfers//secret.txt',
    '/transfers/recordings/../../secret.txt',
    '/transfers/recordings/..%2f..%2fsecret.txt',
    '/transfers/%00',
    '/transfers/__proto__',
  ])('%s is not found', async (path) => {
    const reply = await ask(site, path, { headers: { cookie } })
    expect([reply.status, reply.body.includes('SECRET')]).toEqual([404, false])
    expect((await put(`${path}?at=0`, Buffer.from('x'))).status).toBe(404)
    expect(appended).toEqual([])
  })
})

it('during start-up nothing is stored', async () => {
  const early = await startSite(0, undefined, { opening: () => null })
  try {
    expect((await ask(early, transferPath(randomUUID()))).status).toBe(503)
    expect((await ask(early, transferPath(randomUUID()), { method: 'PUT', body: 'x' })).status).toBe(405)
  } finally {
    await early.stop()
  }
})
