import { gunzipSync } from 'node:zlib'
import { createParser } from 'eventsource-parser'
import { expect, test } from 'vitest'
import { FAULTS } from '../../src-main/sandbox/faults/plan.ts'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { type Answer, postJson, readAnswer, replyTo } from '../helpers/appRequest.ts'
import { ask, chat, chunksOf, eventsOf, hello, json, start } from './ask.ts'

/** A reply as transmitted, with its body also in the chunks in which it arrived. */
type Seen = Answer & { pieces: Buffer[] }

/** The reply as transmitted: nothing decompressed, a cut connection visible. Rejects without a status line. */
async function observe(sandbox: Sandbox, fault: string, body: Record<string, unknown> = {}): Promise<Seen> {
  const wanted = { model: 'writer-small', messages: hello, stream: true, sandbox: { tokens: 12, tokens_per_second: 0 } }
  const request = postJson(`${sandbox.baseUrl}/v1/chat/completions`, JSON.stringify({ ...wanted, ...body }), {
    authorization: `Bearer ${sandbox.apiKey}`,
    'x-sandbox-fault': fault,
  })
  const pieces: Buffer[] = []
  const answer = await readAnswer(await replyTo(request), (piece) => pieces.push(piece))
  return { ...answer, pieces }
}

const text = (seen: Seen) => seen.body.toString('utf8')

function parsed(stream: string): string[] {
  const events: string[] = []
  const parser = createParser({ onEvent: (event) => events.push(event.data) })
  parser.feed(stream)
  return events
}

const contentOf = (events: string[]) =>
  events
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data).choices[0]?.delta.content ?? '')
    .join('')

const plainContent = async (sandbox: Sandbox) => contentOf(eventsOf(text(await observe(sandbox, ''))))

test.each([400, 401, 402, 403, 404, 429, 500, 502, 503, 504])(
  '[ERR-01] refuse answers %i with the error object, by header and by model name',
  async (status) => {
    const sandbox = await start()
    const ordered = await chat(
      sandbox,
      {},
      { headers: { 'x-sandbox-fault': `refuse; status=${status}; retry-after=7` } },
    )
    const named = await chat(sandbox, { model: `fault/${status}` })
    for (const reply of [ordered, named]) {
      expect(reply.status).toBe(status)
      expect(await reply.json()).toEqual({
        error: { message: expect.any(String), type: expect.any(String), code: `ordered_${status}` },
      })
    }
    expect(ordered.headers.get('retry-after')).toBe('7')
  },
)

test('any endpoint can be ordered to refuse, with Retry-After as an HTTP date', async () => {
  const sandbox = await start()
  const headers = { 'x-sandbox-fault': 'refuse; status=429; retry-after-date=60' }
  for (const path of ['/v1/models', '/v1/usage', '/v1/keys/', '/v1/rate-limit']) {
    const reply = await ask(sandbox, path, { headers })
    expect(reply.status).toBe(429)
    const ahead = Date.parse(reply.headers.get('retry-after') ?? '') - Date.now()
    expect(ahead).toBeGreaterThan(50_000)
    expect(ahead).toBeLessThanOrEqual(60_000)
  }
})

test('a refusal has the ordered X-Should-Retry, also by the name of a model', async () => {
  const sandbox = await start()
  const reply = await chat(sandbox, {}, { headers: { 'x-sandbox-fault': 'refuse; status=503; should-retry=true' } })
  expect([reply.status, reply.headers.get('x-should-retry')]).toEqual([503, 'true'])
  const final = await chat(sandbox, { model: 'fault/503-final' })
  expect([final.status, final.headers.get('x-should-retry')]).toEqual([503, 'false'])
})

test('an unknown fault is refused with the list of faults', async () => {
  const sandbox = await start()
  const reply = await chat(sandbox, {}, { headers: { 'x-sandbox-fault': 'hiccup' } })
  expect(reply.status).toBe(400)
  expect((await json(reply)).error.message).toContain('stall')
})

test('fail refuses a number of times, then succeeds; ids are counted separately', async () => {
  const sandbox = await start()
  const status = async (id: string) =>
    (await chat(sandbox, {}, { headers: { 'x-sandbox-fault': `fail; status=502; times=2; id=${id}` } })).status
  expect([
    await status('a'),
    await status('b'),
    await status('a'),
    await status('a'),
    await status('a'),
    await status('b'),
  ]).toEqual([502, 502, 502, 200, 200, 502])
  const flaky = async () => (await chat(sandbox, { model: 'fault/flaky' })).status
  expect([await flaky(), await flaky(), await flaky(), await flaky()]).toEqual([503, 503, 200, 503])
})

test('reset-before-headers: the connection is reset without output', async () => {
  const sandbox = await start()
  await expect(observe(sandbox, 'reset-before-headers')).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(sandbox.observe.requests().at(-1)).toMatchObject({ status: null, closedByClient: false })
})

test('slow-headers: nothing for the delay, then everything', async () => {
  const sandbox = await start()
  const begun = performance.now()
  const seen = await observe(sandbox, 'slow-headers; ms=150')
  expect(performance.now() - begun).toBeGreaterThan(145)
  expect(text(seen)).toContain('[DONE]')
})

test('stall: a number of events, then an open connection without output until the client leaves', async () => {
  const sandbox = await start()
  const leaving = new AbortController()
  const reply = await chat(
    sandbox,
    { stream: true },
    { headers: { 'x-sandbox-fault': 'stall; after=3' }, signal: leaving.signal },
  )
  const reader = reply.body?.getReader()
  let read = ''
  while (eventsOf(read).length < 3) read += Buffer.from((await reader?.read())?.value ?? []).toString()
  const more = reader?.read()
  const winner = await Promise.race([
    more?.then(() => 'more'),
    new Promise((resolve) => setTimeout(() => resolve('silence'), 120)),
  ])
  expect(winner).toBe('silence')
  expect(sandbox.observe.openStreams()).toBe(1)
  const closed = sandbox.observe.whenClosed(reply.headers.get('x-request-id') ?? '')
  leaving.abort()
  await expect(more).rejects.toThrow()
  expect((await closed).closedByClient).toBe(true)
})

test('cut: the connection ends at the given byte, in a stream and in a plain reply', async () => {
  const sandbox = await start()
  for (const stream of [true, false]) {
    const seen = await observe(sandbox, 'cut; bytes=77', { stream })
    expect([seen.status, seen.body.length, seen.whole]).toEqual([200, 77, false])
  }
  expect(sandbox.observe.requests().at(-1)).toMatchObject({ bytesOut: 77, closedByClient: false })
})

test('no-done, no-done-no-finish: complete as HTTP, incomplete as a stream', async () => {
  const sandbox = await start()
  const noDone = await observe(sandbox, 'no-done')
  expect([noDone.whole, text(noDone).includes('[DONE]'), text(noDone).includes('"stop"')]).toEqual([true, false, true])
  const neither = await observe(sandbox, 'no-done-no-finish')
  expect([neither.whole, text(neither).includes('[DONE]'), text(neither).includes('"stop"')]).toEqual([
    true,
    false,
    false,
  ])
})

test('malformed and error-frame: an event that is not JSON, an event that is an error', async () => {
  const sandbox = await start()
  const broken = eventsOf(text(await observe(sandbox, 'malformed; after=2')))
  expect(() => JSON.parse(broken[2] ?? '')).toThrow()
  expect(() => JSON.parse(broken[1] ?? '')).not.toThrow()
  const plain = await observe(sandbox, 'malformed', { stream: false })
  expect(plain.whole).toBe(true)
  expect(() => JSON.parse(text(plain))).toThrow()
  const failed = eventsOf(text(await observe(sandbox, 'error-frame; after=2')))
  expect(failed).toHaveLength(3)
  expect(JSON.parse(failed[2] ?? '').error.code).toBe('stream_failed')
})

test('split-utf8: characters arrive in halves and are complete together; cut-utf8: the body ends inside one', async () => {
  const sandbox = await start()
  const split = await observe(sandbox, 'split-utf8')
  const halves = split.pieces.filter((piece) => (piece.at(-1) ?? 0) >= 0xc0)
  expect(halves.length).toBeGreaterThan(3)
  expect(text(split)).toContain('你好, 🌍🏡')
  expect(text(split)).not.toContain('\ufffd')
  const cut = await observe(sandbox, 'cut-utf8')
  expect(cut.whole).toBe(false)
  expect(cut.body.at(-1)).toBeGreaterThanOrEqual(0xc0)
})

test('huge-line: one event of 5 MB on one line', async () => {
  const sandbox = await start()
  const longest = Math.max(
    ...text(await observe(sandbox, 'huge-line'))
      .split('\n')
      .map((line) => line.length),
  )
  expect(longest).toBeGreaterThan(5_000_000)
})

test.each(['crlf', 'cr', 'comments', 'multi-line', 'crlf, comments, multi-line, byte-by-byte; size=7'])(
  '%s: different lines, the same events',
  async (fault) => {
    const sandbox = await start()
    const seen = text(await observe(sandbox, fault))
    const events = parsed(seen)
    expect(events.at(-1)).toBe('[DONE]')
    expect(contentOf(events)).toBe(await plainContent(sandbox))
    if (fault.startsWith('cr')) expect(seen.replaceAll('\r\n', '').includes('\n')).toBe(false)
    if (fault === 'cr') expect(seen.includes('\n')).toBe(false)
    if (fault.includes('comments')) expect(seen.slice(0, 12)).toBe(': keep-alive')
    if (fault.includes('multi-line')) expect(seen).toMatch(/data: \{\r?\ndata: {2}"/)
  },
)

test('content-type, gzip, byte-by-byte, odd and missing headers change what they name and nothing else', async () => {
  const sandbox = await start()
  const whole = await plainContent(sandbox)
  const typed = await observe(sandbox, 'content-type; type=text/html')
  expect(typed.headers['content-type']).toBe('text/html')
  const zipped = await observe(sandbox, 'gzip')
  expect(zipped.headers['content-encoding']).toBe('gzip')
  expect(zipped.pieces.length).toBeGreaterThan(1)
  expect(contentOf(eventsOf(gunzipSync(zipped.body).toString()))).toBe(whole)
  const slow = await observe(sandbox, 'byte-by-byte')
  expect(slow.pieces.length).toBeGreaterThan(200)
  const odd = await observe(sandbox, 'odd-headers')
  expect([odd.headers['x-ratelimit-limit'], odd.headers['retry-after']]).toEqual(['plenty', 'in a while'])
  const none = await observe(sandbox, 'no-headers')
  expect(Object.keys(none.headers).filter((name) => name.startsWith('x-'))).toEqual([])
  for (const seen of [typed, slow, odd, none]) expect(contentOf(eventsOf(text(seen)))).toBe(whole)
})

test('missing-fields leaves only required fields; extra-fields adds fields to every object', async () => {
  const sandbox = await start()
  const bare = JSON.parse(text(await observe(sandbox, 'missing-fields', { stream: false })))
  expect(bare).toEqual({ choices: [{ message: { content: expect.any(String) } }], usage: {} })
  const events = eventsOf(text(await observe(sandbox, 'missing-fields')))
  expect(JSON.parse(events[2] ?? '')).toEqual({ choices: [{ delta: { content: expect.any(String) } }] })
  const more = JSON.parse(text(await observe(sandbox, 'extra-fields', { stream: false })))
  for (const object of [more, more.choices[0], more.choices[0].message, more.usage])
    expect(object['x-extra'].unknown).toBe(true)
  const list = await json(ask(sandbox, '/v1/models', { headers: { 'x-sandbox-fault': 'missing-fields' } }))
  expect(Object.keys(list)).toEqual(['data'])
})

test('html-error and empty-error: errors without an error object; redirect: a redirect to another host', async () => {
  const sandbox = await start()
  const page = await observe(sandbox, 'html-error; status=503')
  expect([page.status, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
  const empty = await observe(sandbox, 'empty-error')
  expect([empty.status, empty.body.length, empty.whole]).toEqual([500, 0, true])
  const away = await observe(sandbox, 'redirect; to=http://127.0.0.1:9/x')
  expect([away.status, away.headers.location]).toEqual([307, 'http://127.0.0.1:9/x'])
})

test('every fault can be ordered by its model name, and the complete replies have text', { tags: 'long' }, async () => {
  const sandbox = await start()
  const silent = new Set(['stall', 'slow-headers', 'reset-before-headers'])
  for (const name of Object.keys(FAULTS).filter((one) => !silent.has(one))) {
    const reply = await chat(sandbox, { model: `fault/${name}`, stream: true })
    expect(reply.status, name).toBeGreaterThanOrEqual(200)
    await reply.text().catch((error: unknown) => expect(['cut', 'cut-utf8', 'gzip'], String(error)).toContain(name))
  }
  expect((await chat(sandbox, { model: 'fault/none-such' })).status).toBe(404)
})

test('a fault in the body works like one in the header, and sent output is billed', async () => {
  const sandbox = await start()
  const before = await json(ask(sandbox, '/v1/usage'))
  const reply = await chat(sandbox, {
    stream: true,
    sandbox: { tokens: 50, tokens_per_second: 0, fault: 'error-frame; after=6' },
  })
  expect(chunksOf(await reply.text()).at(-1).error.code).toBe('stream_failed')
  const after = await json(ask(sandbox, '/v1/usage'))
  expect(after.usage[0].tokens_out).toBe(5)
  expect(after.balance).toBeLessThan(before.balance)
})
