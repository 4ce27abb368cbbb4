import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer, json } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StudioError } from '../../../src-main/core/errors.ts'
import type { OpenEvents } from '../../../src-main/core/features/transfers/streams.ts'
import { createTransfers, type Transfers } from '../../../src-main/core/features/transfers/transfers.ts'
import { createBytesHandler } from '../../../src-main/core/handlers/bytes.ts'
import type { BytesHandler } from '../../../src-main/core/ports/bytes.ts'
import { decodeFrames, framesType } from '../../../src-preload/contract/frames.ts'
import { partBytes, partType, recordingPath, transferPath } from '../../../src-preload/contract/transfers.ts'
import { asOtherUser, canBeOtherUser } from '../../helpers/otherUser.ts'
import { freshFolder, testHost } from '../helpers/core.ts'
import { ask, put } from '../helpers/transfers.ts'

let dataDir: string
let transfers: Transfers
let bytes: BytesHandler
let lines: string[]
let pieces: { id: string; at: number; data: Buffer }[]
beforeEach(() => {
  dataDir = freshFolder()
  transfers = createTransfers({ dataDir })
  const test = testHost(dataDir)
  lines = test.lines
  pieces = []
  bytes = createBytesHandler({
    host: test.host,
    transfers,
    recordings: {
      async append({ id, at, data }) {
        if (at > 100) throw new StudioError('bad_input', 'An earlier piece is missing.')
        pieces.push({ id, at, data: Buffer.from(data) })
        return at + data.length
      },
    },
  })
})
afterEach(() => transfers.close())

const refused = async (reply: Awaited<ReturnType<BytesHandler>>) => {
  const problem = reply.body && ((await json(reply.body)) as { kind: string })
  return [reply.status, problem?.kind]
}
const offer = (content: Buffer, name = 'made.zip', mime = 'application/zip') => {
  const path = join(transfers.folder, randomUUID())
  writeFileSync(path, content)
  return { path, ...transfers.downloads.offer({ path, name, mime, bytes: content.length }) }
}

describe('an upload', () => {
  it('stores each part and replies with the stored bytes', async () => {
    const content = randomBytes(partBytes + 5)
    const { uploadId } = await transfers.uploads.begin({ name: 'a', bytes: content.length })
    const path = transferPath(uploadId)
    const first = await put(bytes, path, 0, content.subarray(0, partBytes))
    expect([first.status, first.body && (await json(first.body))]).toEqual([200, { received: partBytes }])
    expect(await refused(await put(bytes, path, partBytes + 1, Buffer.from('x')))).toEqual([400, 'bad_input'])
    await put(bytes, path, partBytes, content.subarray(partBytes))
    expect(readFileSync(transfers.uploads.path(uploadId)).equals(content)).toBe(true)
    expect(await refused(await put(bytes, transferPath(randomUUID()), 0, Buffer.from('x')))).toEqual([
      404,
      'no_such_item',
    ])
  })

  it('refuses wrong types, sizes and offsets before it reads the body', async () => {
    const { uploadId } = await transfers.uploads.begin({ name: 'a', bytes: 10 })
    const path = transferPath(uploadId)
    const body = new Readable({
      read() {
        throw new Error('The body was read.')
      },
    })
    const query = new URLSearchParams({ at: '0' })
    const good = { method: 'PUT', query, contentType: partType, body }
    for (const contentType of [null, 'text/plain', 'multipart/form-data', `${partType}; charset=x`]) {
      expect((await ask(bytes, path, { ...good, contentType })).status).toBe(415)
    }
    expect((await ask(bytes, path, { ...good, contentLength: partBytes + 1 })).status).toBe(413)
    for (const at of ['', '-1', '1.5', '0x1', 'Infinity', '9'.repeat(16), '0 ']) {
      expect((await ask(bytes, path, { ...good, query: new URLSearchParams({ at }) })).status).toBe(400)
    }
    expect((await ask(bytes, path, { ...good, query: new URLSearchParams() })).status).toBe(400)
    expect(body.destroyed).toBe(false)
  })

  it('stores at most one part of a body whose size was not announced', async () => {
    const { uploadId } = await transfers.uploads.begin({ name: 'a', bytes: 3 * partBytes })
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(100_000)
      })(),
    )
    const query = new URLSearchParams({ at: '0' })
    const reply = await ask(bytes, transferPath(uploadId), {
      method: 'PUT',
      query,
      contentType: partType,
      body: endless,
    })
    expect(await refused(reply)).toEqual([400, 'bad_input'])
    endless.destroy()
  })
})

describe('a recording', () => {
  it('gets each piece whole, and a missing one is an error', async () => {
    const id = randomUUID()
    const reply = await put(bytes, recordingPath(id), 0, Buffer.from('sound'))
    expect([reply.status, reply.body && (await json(reply.body))]).toEqual([200, { bytes: 5 }])
    expect(pieces).toEqual([{ id, at: 0, data: Buffer.from('sound') }])
    expect(await refused(await put(bytes, recordingPath(id), 500, Buffer.from('x')))).toEqual([400, 'bad_input'])
    expect(await refused(await put(bytes, recordingPath(id), 0, Buffer.alloc(partBytes + 1)))).toEqual([
      413,
      'bad_input',
    ])
  })

  it('keeps the bytes of a piece that breaks off', async () => {
    const id = randomUUID()
    const body = new PassThrough()
    const query = new URLSearchParams({ at: '0' })
    const broken = ask(bytes, recordingPath(id), { method: 'PUT', query, contentType: partType, body })
    body.write('half a sound')
    await expect.poll(() => body.readableLength).toBe(0)
    body.destroy(new Error('The page has gone.'))
    expect((await broken).status).toBe(400)
    expect(pieces).toEqual([{ id, at: 0, data: Buffer.from('half a sound') }])
    expect(lines).toEqual([])
  })
})

describe('a download', () => {
  it('is a file to save, whatever its type, and a HEAD request does not read it', async () => {
    const content = randomBytes(200_000)
    const { path, downloadId } = offer(content)
    const head = await ask(bytes, transferPath(downloadId), { method: 'HEAD' })
    expect([head.status, head.body]).toEqual([200, null])
    const reply = await ask(bytes, transferPath(downloadId))
    expect(reply.headers).toEqual({
      ...head.headers,
      'Content-Type': 'application/zip',
      'Content-Length': '200000',
      'Content-Disposition': "attachment; filename*=UTF-8''made.zip",
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'no-store',
      'Accept-Ranges': 'none',
    })
    expect(reply.body && (await buffer(reply.body)).equals(content)).toBe(true)
    await expect.poll(() => existsSync(path)).toBe(false)
    expect(await refused(await ask(bytes, transferPath(downloadId)))).toEqual([404, 'no_such_item'])
  })

  it.each([
    ['a "quoted"\r\nX-Evil: 1.zip', 'a%20%22quoted%22%0D%0AX-Evil%3A%201.zip'],
    ["it's (new)*.zip", 'it%27s%20%28new%29%2A.zip'],
    ['../../etc/passwd', '..%2F..%2Fetc%2Fpasswd'],
    ['\ud800 broken', '%EF%BF%BD%20broken'],
    ['ключ.txt', '%D0%BA%D0%BB%D1%8E%D1%87.txt'],
  ])('named %j has a harmless header', async (name, encoded) => {
    const { downloadId } = offer(Buffer.from('x'), name)
    const { headers } = await ask(bytes, transferPath(downloadId), { method: 'HEAD' })
    expect(headers['Content-Disposition']).toBe(`attachment; filename*=UTF-8''${encoded}`)
  })

  it.each(['text/html\r\nX-Evil: 1', 'nonsense', '', 'text/html; charset=utf-8'])(
    'of the type %j has a harmless one',
    async (mime) => {
      const { downloadId } = offer(Buffer.from('x'), 'a', mime)
      const { headers } = await ask(bytes, transferPath(downloadId), { method: 'HEAD' })
      expect(headers['Content-Type']).toBe('application/octet-stream')
    },
  )

  it('is read from the disk only as fast as it is taken', async () => {
    const { path, downloadId } = offer(Buffer.alloc(20_000_000))
    const { body } = await ask(bytes, transferPath(downloadId))
    if (!body) throw new Error('No body.')
    await once(body, 'readable')
    let chunks = 0
    for (let taken = 0; taken < 20_000_000; chunks++) {
      // At most two chunks of 64 kB wait for the reader.
      expect(body.readableLength).toBeLessThanOrEqual(128 * 1024)
      const chunk: Buffer | null = body.read(Math.min(64 * 1024, body.readableLength))
      if (chunk) taken += chunk.length
      else await once(body, 'readable')
    }
    expect(chunks).toBeGreaterThan(300)
    body.resume()
    await expect.poll(() => existsSync(path)).toBe(false)
  })
})

describe('a stream', () => {
  const open = async (events: OpenEvents) => {
    const { streamId } = transfers.streams.offer(events)
    return { streamId, reply: await ask(bytes, transferPath(streamId)) }
  }
  const framesOf = async (body: Readable | null) => {
    const frames: object[] = []
    for await (const frame of decodeFrames(body ?? Readable.from([]))) frames.push(frame)
    return frames
  }

  it('has events with bytes, and can be opened once', async () => {
    const { streamId, reply } = await open(async function* () {
      yield { type: 'plan' }
      yield { type: 'audio', data: Buffer.from('one') }
      yield { type: 'end' }
    })
    expect(reply.headers['Content-Type']).toBe(framesType)
    const none = new Uint8Array(0)
    expect(await framesOf(reply.body)).toEqual([
      { type: 'plan', data: none },
      { type: 'audio', data: new Uint8Array(Buffer.from('one')) },
      { type: 'end', data: none },
    ])
    expect(await refused(await ask(bytes, transferPath(streamId)))).toEqual([404, 'no_such_item'])
  })

  it('that fails says so in its last event', async () => {
    const { reply } = await open(async function* () {
      yield { type: 'plan' }
      throw new StudioError('rate_limited', 'Wait a little.')
    })
    expect((await framesOf(reply.body)).at(-1)).toMatchObject({
      type: 'failed',
      problem: { kind: 'rate_limited', message: 'Wait a little.' },
    })
  })

  it('starts nothing before it is opened, runs at the pace of its reader, and ends when the reader leaves', async () => {
    let made = 0
    const left = Promise.withResolvers<void>()
    const events: OpenEvents = async function* (signal) {
      signal.addEventListener('abort', () => left.resolve())
      for (;;) {
        made++
        yield { type: 'audio', data: Buffer.alloc(50_000) }
      }
    }
    const { streamId } = transfers.streams.offer(events)
    expect((await ask(bytes, transferPath(streamId), { method: 'HEAD' })).status).toBe(404)
    expect(made).toBe(0)
    const { body } = await ask(bytes, transferPath(streamId))
    if (!body) throw new Error('No body.')
    await once(body, 'readable')
    expect(made).toBeLessThanOrEqual(3)
    body.destroy()
    await left.promise
    expect(made).toBeLessThanOrEqual(3)
  })

  it('that waits for the service learns at once that its reader has left', async () => {
    const left = Promise.withResolvers<void>()
    const { reply } = await open(async function* (signal) {
      yield { type: 'plan' }
      if (!signal.aborted) await once(signal, 'abort')
      left.resolve()
    })
    const { body } = reply
    if (!body) throw new Error('No body.')
    await once(body, 'readable')
    body.read()
    body.destroy()
    await left.promise
    expect(lines).toEqual([])
  })
})

it.each([
  '/transfers/',
  '/transfers/..',
  '/transfers/../studio.sqlite',
  '/transfers/..%2fstudio.sqlite',
  '/transfers/recordings',
  '/transfers/recordings/',
  '/transfers/recordings/../x',
  '/transfers/__proto__',
])('%s is not found', async (path) => {
  expect(await refused(await ask(bytes, path))).toEqual([404, 'no_such_item'])
  expect((await put(bytes, path, 0, Buffer.from('x'))).status).toBe(404)
})

it('other spellings of an id are not found, and other methods are refused', async () => {
  const { downloadId, path } = offer(Buffer.from('x'))
  for (const wrong of [
    downloadId.toUpperCase(),
    `${downloadId}/`,
    `${downloadId}.zip`,
    `./${downloadId}`,
    `${downloadId}%00`,
  ]) {
    expect((await ask(bytes, transferPath(wrong))).status).toBe(404)
  }
  for (const method of ['POST', 'DELETE', 'OPTIONS', 'PATCH']) {
    const reply = await ask(bytes, transferPath(downloadId), { method })
    expect([reply.status, reply.headers.Allow]).toEqual([405, 'GET, HEAD, PUT'])
  }
  expect((await ask(bytes, recordingPath(downloadId))).status).toBe(405)
  expect(existsSync(path)).toBe(true)
})

describe('a page for the browser', () => {
  it('is served once, in a sandbox without our origin', async () => {
    const html = '<!doctype html><p>Ünï</p>'
    const pageId = await transfers.pages.open({}, html)
    const reply = await ask(bytes, transferPath(pageId ?? ''))
    expect(reply.status).toBe(200)
    expect(reply.headers['Content-Type']).toBe('text/html; charset=utf-8')
    const policy = reply.headers['Content-Security-Policy']
    expect(policy).toMatch(/^sandbox allow-scripts /)
    expect(policy).not.toMatch(/same-origin|top-navigation|escape-sandbox/)
    expect(reply.headers['Cache-Control']).toBe('no-store')
    expect(reply.body && (await buffer(reply.body)).toString()).toBe(html)
    expect(await refused(await ask(bytes, transferPath(pageId ?? '')))).toEqual([404, 'no_such_item'])
  })

  describe('for a host that opens it itself', () => {
    const html = '<!doctype html><script>document.title = "ran"</script>'
    /** The address that a new page is opened at. */
    async function opened(): Promise<URL> {
      const urls: string[] = []
      expect(await transfers.pages.open({ openPage: async (url) => void urls.push(url) }, html)).toBeNull()
      return new URL(urls[0] ?? '')
    }

    it('is at an unpredictable address of this computer, once, in a sandbox without an origin', async () => {
      const url = await opened()
      expect(url.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\da-f]{64}$/)
      const reply = await fetch(url)
      expect([reply.status, await reply.text()]).toEqual([200, html])
      expect(reply.headers.get('content-security-policy')).toMatch(/^sandbox allow-scripts /)
      expect(reply.headers.get('content-security-policy')).not.toMatch(/same-origin|top-navigation|escape-sandbox/)
      expect(reply.headers.get('cache-control')).toBe('no-store')
      // Another connection is refused, or answered before the listener has closed.
      expect(
        await fetch(url).then(
          ({ status }) => status,
          () => 404,
        ),
      ).toBe(404)
      expect(readdirSync(join(dataDir, 'tmp'))).toEqual([])
    })

    it('stays for the browser after requests that are not for it', async () => {
      const url = await opened()
      const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number | undefined> =>
        new Promise((resolve, reject) => {
          const asked = request({ host: url.hostname, port: url.port, path, method, headers }, (reply) => {
            reply.resume()
            resolve(reply.statusCode)
          })
          asked.on('error', reject).end()
        })
      expect(await ask('/')).toBe(404)
      expect(await ask(url.pathname, { host: `localhost:${url.port}` })).toBe(421)
      expect(await ask(url.pathname, { host: `rebound.example:${url.port}` })).toBe(421)
      expect(await ask(url.pathname, { 'sec-fetch-dest': 'image' })).toBe(403)
      expect(await ask(url.pathname, {}, 'POST')).toBe(405)
      if (canBeOtherUser) {
        const other = asOtherUser(`console.log((await fetch('${url.href}')).status)`)
        expect((await other.output).trim()).toBe('403')
      }
      expect(await ask(url.pathname, { 'sec-fetch-dest': 'document' })).toBe(200)
    })

    it('is gone after its end, and when there is no browser', async () => {
      const url = await opened()
      await transfers.close()
      await expect(fetch(url)).rejects.toThrow('fetch failed')
      const urls: string[] = []
      const host = {
        async openPage(address: string) {
          urls.push(address)
          throw new StudioError('not_found', 'There is no browser.')
        },
      }
      await expect(transfers.pages.open(host, html)).rejects.toMatchObject({ kind: 'not_found' })
      await expect(fetch(urls[0] ?? '')).rejects.toThrow('fetch failed')
    })

    it('is refused while eight wait, and not after one was read', async () => {
      const urls: URL[] = []
      for (let nth = 0; nth < 8; nth++) urls.push(await opened())
      await expect(opened()).rejects.toMatchObject({ kind: 'busy' })
      await (await fetch(urls[0] ?? '')).text()
      await vi.waitFor(opened)
    })
  })

  it('is refused while too many wait', async () => {
    for (let nth = 0; nth < 8; nth++) await transfers.pages.open({}, 'x')
    await expect(transfers.pages.open({}, 'x')).rejects.toMatchObject({ kind: 'busy' })
  })
})
