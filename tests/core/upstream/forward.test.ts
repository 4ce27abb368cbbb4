import { createHash, randomBytes } from 'node:crypto'
import { getEventListeners, once } from 'node:events'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { noRequestLog } from '../../../src-main/core/upstream/sending/defaults.ts'
import type { ForwardRequest } from '../../../src-main/core/upstream/types.ts'
import { bytesOf } from '../../../src-main/core/upstream/wire/body.ts'
import {
  canary,
  closed,
  collect,
  comesWithin,
  failure,
  json,
  readBody,
  serve,
  sse,
  theOnly,
} from './helpers/service.ts'

function request(given: Partial<ForwardRequest> = {}): ForwardRequest {
  return {
    method: 'GET',
    path: '/v1/models',
    headers: [],
    body: null,
    signal: new AbortController().signal,
    endpoint: 'other',
    requester: { kind: 'app', id: 'tool', failFast: false },
    trace: noRequestLog.open({
      requester: { kind: 'app', id: 'tool', failFast: false },
      method: 'GET',
      path: '/v1/models',
      endpoint: 'other',
      model: null,
      stream: false,
      logBodies: false,
    }),
    tokensIn: 0,
    tokens: 0,
    model: null,
    stream: false,
    retries: true,
    stripUsage: false,
    local: () => 'http://127.0.0.1:8787',
    mayCopy: true,
    bodyDone: () => undefined,
    reserveMemory: async () => ({ shrink: () => undefined }),
    ...given,
  }
}

async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part)
}

test('[AUTH-01] [GEN-03] headers and bytes pass unchanged, with the real key and host', async () => {
  const { upstream, requests, url } = await serve((incoming, response) => {
    void readBody(incoming).then((body) => {
      response.writeHead(201, 'Fine', [
        'Content-Type',
        'x/y',
        'X-A',
        '1',
        'x-a',
        '2',
        'Content-Encoding',
        'identity',
        'Connection',
        'x-hop',
        'X-Hop',
        'h',
      ])
      response.end(Buffer.concat([Buffer.from([0, 255]), body]))
    })
  })
  const reply = await upstream.forward(
    request({
      method: 'POST',
      path: '/v1/any/thing?x=%20&y',
      headers: [
        ['X-Tool', 'T'],
        ['Accept-Encoding', 'gzip, br'],
        ['Authorization', 'Bearer tool'],
        ['Host', 'evil.example'],
        ['Connection', 'close, X-Gone'],
        ['X-Gone', '1'],
        ['Expect', '100-continue'],
        ['Transfer-Encoding', 'chunked'],
      ],
      body: chunks('a', 'b'),
    }),
  )
  expect(Buffer.concat(await collect(bytesOf(reply.body)))).toEqual(Buffer.from([0, 255, 97, 98]))
  expect(reply).toMatchObject({ status: 201, statusText: 'Fine', attempts: 1, retriesExhausted: false })
  expect(reply.headers.filter(([name]) => /^(content|x-)/i.test(name))).toEqual([
    ['Content-Type', 'x/y'],
    ['X-A', '1'],
    ['x-a', '2'],
    ['Content-Encoding', 'identity'],
  ])
  const [incoming] = requests
  expect(incoming?.url).toBe('/v1/any/thing?x=%20&y')
  expect(incoming?.headers).toMatchObject({ authorization: `Bearer ${canary}`, host: new URL(url).host, 'x-tool': 'T' })
  // Redaction could not find the key in a compressed reply.
  expect(incoming?.headers['accept-encoding']).toBe('identity')
  expect(incoming?.headers).not.toHaveProperty('x-gone')
  expect(incoming?.headers).not.toHaveProperty('expect')
})

const text = Buffer.from('data: {"choices":[]}\n\n'.repeat(1000))
test.each<[encoding: string | string[], body: Buffer]>([
  ['gzip', gzipSync(text)],
  ['X-GZIP', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['br', brotliCompressSync(text)],
  ['zstd', zstdCompressSync(text)],
  ['gzip, identity, br', brotliCompressSync(gzipSync(text))],
  [['identity', 'gzip'], gzipSync(text)],
])('an unrequested reply in %s is passed on decoded', async (encoding, body) => {
  const { upstream } = await serve((_, response) =>
    response
      .setHeader('content-encoding', encoding)
      .setHeader('etag', '"1"')
      .writeHead(200, { 'content-length': body.length })
      .end(body),
  )
  const reply = await upstream.forward(request())
  expect(Buffer.concat(await collect(bytesOf(reply.body)))).toEqual(text)
  expect(reply.headers.map(([name]) => name)).toEqual(expect.arrayContaining(['etag']))
  expect(reply.headers.filter(([name]) => /^content-(?:encoding|length)$/i.test(name))).toEqual([])
})

test('a compressed reply without a body is unchanged', async () => {
  const { upstream } = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end())
  expect(await collect((await upstream.forward(request())).body)).toEqual([])
  const head = await upstream.forward(request({ method: 'HEAD' }))
  expect(await collect(head.body)).toEqual([])
  expect(head.headers).toContainEqual(['content-encoding', 'gzip'])
})

test.each(['rot13', 'gzip, rot13', 'gzip, gzip, gzip, gzip', 'constructor'])(
  'a reply in %s, which can’t be decoded, is an error, and its connection is closed',
  async (encoding) => {
    const { upstream, requests, sockets } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding })
      response.write('bytes')
    })
    await expect(upstream.forward(request())).rejects.toMatchObject({ kind: 'malformed_reply' })
    expect(requests.length).toBe(1)
    await expect.poll(() => sockets.size).toBe(0)
  },
)

test('damaged compression cuts the reply after the readable part', async () => {
  const whole = gzipSync(randomBytes(100_000))
  const { upstream } = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(whole.subarray(0, 50_000)),
  )
  const reply = await upstream.forward(request())
  await expect(collect(reply.body)).rejects.toMatchObject({ kind: 'malformed_reply' })
})

test.each(['/../x', '/a/%2e%2e/x', '/..%2fx', '/a\\b', 'models', '/a b', '//../x', '/#a', '/%252e%252e%252fx'])(
  '[GEN-05] %s never leaves',
  async (path) => {
    const { upstream, requests } = await serve((_, response) => response.end())
    await expect(upstream.forward(request({ path }))).rejects.toMatchObject({ kind: 'bad_input' })
    expect(requests).toEqual([])
  },
)

test('[ERR-05] [ERR-06] [ERR-09] a copied body is sent again whole before output, and the last failure passes with its body', async () => {
  const bodies: string[] = []
  const { upstream } = await serve((incoming, response) => {
    void readBody(incoming).then((body) => {
      bodies.push(body.toString())
      if (bodies.length % 3 === 0 && bodies.length < 4) json(response, 200, { ok: true })
      else json(response, 503, { n: bodies.length })
    })
  })
  const first = await upstream.forward(request({ method: 'POST', body: chunks('he', 'llo') }))
  expect(first).toMatchObject({ status: 200, attempts: 3, retriesExhausted: false })
  await collect(first.body)
  expect(bodies).toEqual(['hello', 'hello', 'hello'])
  const second = await upstream.forward(request({ method: 'POST', body: chunks('x') }))
  expect(second).toMatchObject({ status: 503, attempts: 4, retriesExhausted: true })
  expect(Buffer.concat(await collect(bytesOf(second.body))).toString()).toBe('{"n":7}')
})

test('a body too large to copy is sent once, whole, and its failure passes', async () => {
  let hash = ''
  const { upstream, requests } = await serve((incoming, response) => {
    void readBody(incoming).then((body) => {
      hash = createHash('sha256').update(body).digest('hex')
      json(response, 503, {})
    })
  })
  const parts = Array.from({ length: 50 }, () => randomBytes(65_536))
  const reply = await upstream.forward(request({ method: 'POST', body: chunks(...parts) }))
  expect(reply).toMatchObject({ status: 503, attempts: 1, retriesExhausted: false })
  expect(hash).toBe(createHash('sha256').update(Buffer.concat(parts)).digest('hex'))
  await collect(reply.body)
  expect(requests.length).toBe(1)
})

test('[CHAT-19] [SSE-04] a reply that breaks off after its first byte throws and is not sent again', async () => {
  const { upstream, requests } = await serve((_, response) => {
    sse(response)
    response.write('data: 1\n\n', () => response.destroy())
  })
  const reply = await upstream.forward(request())
  await expect(collect(reply.body)).rejects.toMatchObject({ kind: 'connection_lost' })
  expect(requests.length).toBe(1)
})

test('a sender that cancels its upload ends the request without a retry', async () => {
  const { upstream, requests } = await serve((incoming) => void incoming.on('error', () => undefined).resume())
  const body = (async function* () {
    yield Buffer.from('part')
    throw new Error('gone')
  })()
  await expect(upstream.forward(request({ method: 'POST', body }))).rejects.toMatchObject({ kind: 'cancelled' })
  expect(requests.length).toBeLessThanOrEqual(1)
})

test.each(['uploading', 'waiting', 'back-off', 'mid-stream'])(
  '[CHAT-16] [SSE-05] [ERR-08] a cancel while %s closes the socket within 20 ms',
  async (phase) => {
    const abort = new AbortController()
    let began = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      began = resolve
    })
    const { upstream, requests, sockets } = await serve((incoming, response) => {
      if (phase === 'uploading') incoming.once('data', began)
      else incoming.resume()
      incoming.on('error', () => undefined)
      if (phase === 'waiting') began()
      if (phase === 'back-off') {
        json(response, 429, {}, { 'retry-after': '20' })
        response.once('finish', () => setTimeout(began, 50))
      }
      if (phase === 'mid-stream') {
        sse(response)
        response.write('data: 1\n\n')
      }
    })
    const endless = (async function* () {
      yield Buffer.from('x')
      await new Promise<void>((resolve) => abort.signal.addEventListener('abort', () => resolve()))
    })()
    const run = upstream
      .forward(request({ method: 'POST', body: phase === 'uploading' ? endless : chunks('x'), signal: abort.signal }))
      .then(async (reply) => {
        for await (const _ of reply.body) began()
      })
    const failed = failure(run)
    await begun
    const gone = closed(theOnly(requests))
    abort.abort()
    // Between two attempts no request is running: the connection may be idle, and the wait ends.
    expect(await comesWithin(20, phase === 'back-off' ? failed : gone)).toBe(true)
    expect(await failed).toMatchObject({ kind: 'cancelled' })
    expect(requests.length).toBe(1)
    if (phase !== 'back-off') expect(sockets.size).toBe(0)
  },
)

test('a slow reader slows the service down instead of filling memory', async () => {
  let written = 0
  const { upstream } = await serve((_, response) => {
    response.writeHead(200)
    void (async () => {
      while (!response.destroyed && written < 200e6) {
        written += 1e6
        if (!response.write(Buffer.alloc(1e6))) await Promise.race([once(response, 'drain'), once(response, 'close')])
      }
    })()
  })
  const abort = new AbortController()
  const reply = await upstream.forward(request({ signal: abort.signal }))
  const reader = reply.body[Symbol.asyncIterator]()
  await reader.next()
  let before = -1
  // Continues until the service's own buffers are full and the service stops writing.
  while (before !== written) {
    before = written
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(written).toBeLessThan(50e6)
  abort.abort()
})

test('an idle connection is used again, and a reply read to its end leaves no listener', async () => {
  const { upstream, sockets } = await serve((_, response) => json(response, 200, {}))
  const abort = new AbortController()
  for (let i = 0; i < 20; i++) await collect((await upstream.forward(request({ signal: abort.signal }))).body)
  // Two connections, because undici reports a reply's end shortly before the connection is free again.
  expect(sockets.size).toBeLessThanOrEqual(2)
  expect(getEventListeners(abort.signal, 'abort')).toEqual([])
})

test('[SSE-02] a stream of a chat loses the header of a stated length, because an event may be cut out or added', async () => {
  const text = 'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'
  const usage = 'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}}\n\n'
  const done = 'data: [DONE]\n\n'
  const { upstream } = await serve((_, response) => {
    const body = text + usage + done
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': String(body.length) })
    response.end(body)
  })
  for (const stripUsage of [true, false]) {
    const reply = await upstream.forward(request({ endpoint: 'chat', stream: true, stripUsage }))
    const bytes = Buffer.concat(await collect(bytesOf(reply.body))).toString()
    expect(bytes).toBe(stripUsage ? text + done : text + usage + done)
    expect(reply.headers.some(([name]) => name.toLowerCase() === 'content-length')).toBe(false)
    expect(reply.reading()).toMatchObject({ measured: true, usage: { promptTokens: 5, completionTokens: 1 } })
  }
})
