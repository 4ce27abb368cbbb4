import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { ask, chat, json, start } from './ask.ts'

const ROUTES: [method: 'GET' | 'POST', path: string][] = [
  ['GET', '/v1/models'],
  ['POST', '/v1/chat/completions'],
  ['POST', '/v1/completions'],
  ['POST', '/v1/audio/speech'],
  ['POST', '/v1/audio/transcriptions'],
  ['POST', '/v1/images/generations'],
  ['GET', '/v1/rate-limit'],
  ['GET', '/v1/keys/'],
  ['GET', '/v1/keys/current'],
  ['GET', '/v1/keys/6f1c2a9e-4b7d-4c3a-9e21-0d5b8f7a6c14/usage'],
  ['GET', '/v1/keys/6f1c2a9e-4b7d-4c3a-9e21-0d5b8f7a6c14/usage/daily'],
  ['GET', '/v1/keys/current/usage'],
  ['GET', '/v1/keys/current/usage/daily'],
  ['GET', '/v1/usage'],
  ['GET', '/v1/images/any.png'],
]

const errorObject = { error: { message: expect.any(String), type: expect.any(String), code: expect.any(String) } }

test.each(ROUTES)(
  '[AUTH-01] [AUTH-02] [ERR-01] %s %s requires a key: 401 without or with a wrong one, 403 without permission',
  async (method, path) => {
    const sandbox = await start()
    const body = method === 'POST' ? {} : undefined
    for (const [key, status] of [
      [null, 401],
      ['nobody', 401],
      [sandbox.keys.revoked, 401],
      [sandbox.keys.noPermission, 403],
    ] as const) {
      const reply = await ask(sandbox, path, { key }, body)
      expect(reply.status).toBe(status)
      expect(await reply.json()).toEqual(errorObject)
    }
  },
)

test('[AUTH-02] a wrong, a revoked and an unpermitted key get different messages', async () => {
  const sandbox = await start()
  const keys = ['nobody', sandbox.keys.revoked, sandbox.keys.noPermission]
  const codes = await Promise.all(keys.map(async (key) => (await json(ask(sandbox, '/v1/models', { key }))).error.code))
  expect(codes).toEqual(['invalid_api_key', 'api_key_revoked', 'no_permission'])
})

test('[ERR-01] unknown paths, wrong methods, invalid JSON and bodies of the wrong type all get the error object', async () => {
  const sandbox = await start()
  const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
  const post = (path: string, body: string, more = {}) =>
    fetch(sandbox.baseUrl + path, { method: 'POST', body, headers: { ...headers, ...more } })
  const cases: [Promise<Response>, number][] = [
    [ask(sandbox, '/v1/nothing'), 404],
    [ask(sandbox, '/'), 404],
    [post('/v1/models', '{}'), 404],
    [post('/v1/chat/completions', '{"model":'), 400],
    [post('/v1/chat/completions', '{}', { 'content-type': 'text/plain' }), 400],
    [post('/v1/chat/completions', '[]'), 400],
  ]
  for (const [reply, status] of cases) {
    expect((await reply).status).toBe(status)
    expect(await (await reply).json()).toEqual(errorObject)
  }
})

test('[ERR-01] a body over the limit is refused by its length before it is read', async () => {
  const sandbox = await start()
  const status = await new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${sandbox.apiKey}`,
      'content-type': 'application/json',
      'content-length': 10 ** 9,
    }
    const going = request(`${sandbox.baseUrl}/v1/chat/completions`, { method: 'POST', headers }, (reply) => {
      resolve(reply.statusCode)
      going.destroy()
    })
    going.on('error', reject)
    going.flushHeaders()
  })
  expect(status).toBe(400)
})

test('[LEG-01] the legacy route answers 501 with the error object for any request', async () => {
  const sandbox = await start()
  for (const body of [{}, { model: 'mirror', prompt: 'x' }]) {
    const reply = await ask(sandbox, '/v1/completions', {}, body)
    expect(reply.status).toBe(501)
    expect(await reply.json()).toEqual(errorObject)
  }
})

test('a Host that is not a loopback name is refused, whatever the key', async () => {
  const sandbox = await start()
  const status = (host: string) =>
    new Promise((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${sandbox.apiKey}` }
      request(`${sandbox.baseUrl}/v1/models`, { headers, agent: false }, (reply) => {
        resolve(reply.statusCode)
        reply.resume()
      })
        .on('error', reject)
        .end()
    })
  expect(await status('rebound.example')).toBe(403)
  expect(await status(`127.0.0.1.example:${sandbox.port}`)).toBe(403)
  expect(await status(`localhost:${sandbox.port}`)).toBe(200)
})

test('[AUTH-03] no reply or record contains the secret of any key', async () => {
  const sandbox = await start()
  const paths = [
    '/v1/models',
    '/v1/rate-limit',
    '/v1/keys/',
    '/v1/keys/current',
    '/v1/usage',
    '/v1/keys/current/usage/daily',
  ]
  await chat(sandbox, { model: 'mirror' })
  for (const path of [...paths, '/sandbox/requests']) {
    const text = await (await ask(sandbox, path)).text()
    for (const secret of Object.values(sandbox.keys)) expect(text).not.toContain(secret)
  }
})

test('[MOD-01] the model list is an object with data of id, object, created, owned_by; every chat model in it answers', async () => {
  const sandbox = await start()
  const list = await json(ask(sandbox, '/v1/models'))
  expect(list.object).toBe('list')
  for (const entry of list.data) {
    expect(entry).toEqual({
      id: expect.any(String),
      object: 'model',
      created: expect.any(Number),
      owned_by: expect.any(String),
    })
  }
  const ids = list.data.map((entry: { id: string }) => entry.id)
  for (const model of [
    'mirror',
    'writer-small',
    'writer-large',
    'writer-free',
    'reasoner',
    'reasoner-alt',
    'tool-caller',
    'vision',
    'document-writer',
    'citer',
    'small-context',
  ]) {
    expect(ids).toContain(model)
    expect((await chat(sandbox, { model })).status).toBe(200)
  }
  expect(ids).toContain('fault/429')
})

test('the same seed gives the same keys, history and answers; two sandboxes share nothing', async () => {
  const now = () => Date.parse('2026-03-14T09:26:53Z')
  const [a, b, c] = [await start({ seed: 's', now }), await start({ seed: 's', now }), await start({ seed: 't', now })]
  expect(a.keys).toEqual(b.keys)
  expect(c.apiKey).not.toBe(a.apiKey)
  const usage = await json(ask(a, '/v1/usage'))
  expect(await json(ask(b, '/v1/usage'))).toEqual(usage)
  const long = { sandbox: { tokens: 400 } }
  const said = await json(chat(a, long))
  expect((await json(ask(b, '/v1/usage'))).balance).toBe(usage.balance)
  expect((await json(chat(b, long))).choices).toEqual(said.choices)
  expect((await json(chat(c, long))).choices).not.toEqual(said.choices)
  expect((await ask(b, '/v1/models', { key: c.apiKey })).status).toBe(401)
})

test('received requests are reported to other processes too: id, status, key name, times and bytes', async () => {
  const sandbox = await start()
  const reply = await chat(sandbox)
  const length = (await reply.arrayBuffer()).byteLength
  const { requests, open_streams } = await json(ask(sandbox, '/sandbox/requests'))
  expect(open_streams).toBe(0)
  const seen = requests.find((one: { id: string }) => one.id === reply.headers.get('x-request-id'))
  expect(seen).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    status: 200,
    model: 'writer-small',
    key: 'main',
    bytesOut: length,
    closedByClient: false,
  })
  expect(seen.endedAt).toBeGreaterThanOrEqual(seen.startedAt)
  expect((await ask(sandbox, '/sandbox/requests', { key: null })).status).toBe(401)
})

test('[ERR-01] odd paths and bytes that are not HTTP get an error object too, and the sandbox keeps running', async () => {
  const sandbox = await start()
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(sandbox.port, '127.0.0.1')
      let all = ''
      socket.on('data', (piece) => {
        all += piece
      })
      socket.on('close', () => resolve(all))
      socket.on('error', reject)
      socket.write(text)
    })
  const rest = `Host: localhost\r\nAuthorization: Bearer ${sandbox.apiKey}\r\nConnection: close\r\n\r\n`
  expect(await raw('what is this\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"malformed_http"/)
  expect(await raw(`GET // HTTP/1.1\r\n${rest}`)).toMatch(/^HTTP\/1\.1 404 [\s\S]*"code":"route_not_found"/)
  expect(await raw(`GET http://[ HTTP/1.1\r\n${rest}`)).toMatch(/^HTTP\/1\.1 40[04] /)
  expect((await ask(sandbox, '/v1/models?limit=1')).status).toBe(200)
  expect(sandbox.observe.requests().at(-1)).toMatchObject({ path: '/v1/models', query: 'limit=1' })
})

test.each([
  ['nested over 128 levels deep', `{"model":"m","messages":${'['.repeat(200)}${']'.repeat(200)}}`, 'levels deep'],
  ['with over a million values', `{"model":"m","messages":[${'0,'.repeat(1_000_001)}0]}`, 'values'],
])('a body %s is refused before it is parsed', async (_what, body, words) => {
  const sandbox = await start()
  const reply = await fetch(`${sandbox.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
    body,
  })
  expect(reply.status).toBe(400)
  expect(await reply.text()).toContain(words)
})

test('brackets and commas inside a string do not count for a body’s depth and size', { tags: 'long' }, async () => {
  const sandbox = await start()
  const content = '[{,"\\'.repeat(300_000)
  expect(
    (await ask(sandbox, '/v1/chat/completions', {}, { model: 'mirror', messages: [{ role: 'user', content }] })).status,
  ).not.toBe(400)
})
