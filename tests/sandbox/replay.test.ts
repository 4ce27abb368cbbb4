import { describe, expect, it } from 'vitest'
import type { ReplayOptions } from '../../src-main/sandbox/replay/replayer.ts'
import { ask, start } from './ask.ts'

const path = '/v1/chat/completions'
const body = (content: string, more: object = {}) => ({ model: 'm-1', messages: [{ role: 'user', content }], ...more })
const event = (text: string): string => `data: {"choices":[{"delta":{"content":"${text}"}}]}\n\n`

/** An exchange with a streamed reply, whose pieces arrive at the times `at`, or with a whole one. */
const streamed = (content: string, texts: string[], at = texts.map((_, index) => index * 100)) => ({
  request: { method: 'POST', path, body: body(content, { stream: true }) },
  reply: {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    pieces: texts.map((text, index) => [at[index], event(text)]),
  },
})
const whole = (request: unknown, reply: unknown, status = 200, headers: Record<string, string> = {}) => ({
  request: { method: 'POST', path, body: request },
  reply: { status, headers: { 'content-type': 'application/json', ...headers }, pieces: [[0, JSON.stringify(reply)]] },
})
const fixture = (exchanges: unknown[], more: object = {}): string =>
  JSON.stringify({
    format: 'inference-studio.replay',
    version: 1,
    createdAt: '2026-11-29T00:00:00Z',
    exchanges,
    ...more,
  })

const replaying = (exchanges: unknown[], options: Partial<ReplayOptions> = {}) =>
  start({ replay: { fixture: fixture(exchanges), timing: 'immediate', ...options } })

describe('a replay', () => {
  it('sends a recorded stream with its recorded timing: first byte, pauses and bytes', async () => {
    const sandbox = await replaying([streamed('Hi', ['a', 'é', 'c'], [300, 700, 705])], { timing: 'recorded' })
    const from = performance.now()
    const reply = await ask(sandbox, path, {}, body('Hi', { stream: true }))
    expect(performance.now() - from).toBeGreaterThanOrEqual(299)
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const arrived: [ms: number, text: string][] = []
    for await (const chunk of reply.body ?? []) {
      arrived.push([performance.now() - from, Buffer.from(chunk).toString()])
    }
    expect(arrived.map(([, text]) => text).join('')).toBe(event('a') + event('é') + event('c'))
    expect(arrived[0]?.[1]).toBe(event('a'))
    // Later on a busy computer, but never earlier.
    expect(arrived.find(([, text]) => text.includes('é'))?.[0]).toBeGreaterThanOrEqual(699)
  })

  it('sends everything at once when it is told to', async () => {
    const sandbox = await replaying([streamed('Hi', ['a', 'b'], [0, 3_600_000])])
    const reply = await ask(sandbox, path, {}, body('Hi', { stream: true }))
    expect(await reply.text()).toBe(event('a') + event('b'))
    expect(reply.headers.get('x-sandbox-replay')).toBe('exact')
  })

  it('ends a waiting reply when the program leaves', async () => {
    const sandbox = await replaying([streamed('Hi', ['a', 'b'], [0, 3_600_000])], { timing: 'recorded' })
    const leaving = new AbortController()
    const reply = await ask(sandbox, path, { signal: leaving.signal }, body('Hi', { stream: true }))
    const id = reply.headers.get('x-request-id') ?? ''
    await reply.body?.getReader().read()
    leaving.abort()
    expect(await sandbox.observe.whenClosed(id)).toMatchObject({ closedByClient: true, stream: true, model: 'm-1' })
  })

  it('finds a request by its content: order of members, and members without effect, do not count', async () => {
    const sandbox = await replaying(
      [whole(body('One', { temperature: 1 }), { n: 1 }), whole(body('Two', { temperature: 1 }), { n: 2 })],
      { isExact: true },
    )
    const sent = { user: 'me', metadata: { run: '7' }, stream: false, stop: null, stream_options: {}, temperature: 1 }
    const reply = await ask(sandbox, path, {}, { ...sent, messages: [{ content: 'Two', role: 'user' }], model: 'm-1' })
    expect([reply.status, await reply.json()]).toEqual([200, { n: 2 }])
  })

  it('answers equal requests in their order, and then with the last reply', async () => {
    const again = body('Poll')
    const sandbox = await replaying([1, 2, 3].map((n) => whole(again, { n })))
    const replies: unknown[] = []
    for (let round = 0; round < 5; round++) replies.push(await (await ask(sandbox, path, {}, again)).json())
    expect(replies).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 3 }, { n: 3 }])
  })

  it('gives a request that equals none the next unused reply of its path, streamed or not as it asks', async () => {
    const sandbox = await replaying([
      whole(body('Mon'), { n: 1 }),
      streamed('Tue', ['x']),
      whole(body('Wed'), { n: 2 }),
    ])
    const asked = async (content: string, more = {}) => {
      const reply = await ask(sandbox, path, {}, body(content, more))
      return [reply.status, reply.headers.get('x-sandbox-replay'), await reply.text()]
    }
    expect(await asked('Today')).toEqual([200, 'order', '{"n":1}'])
    expect(await asked('Wed')).toEqual([200, 'exact', '{"n":2}'])
    expect(await asked('Today', { stream: true })).toEqual([200, 'order', event('x')])
    expect((await asked('Today'))[0]).toBe(404)
  })

  it('refuses what matches nothing, and says which members differ from the closest request', async () => {
    const sandbox = await replaying([whole(body('Hi', { temperature: 1 }), {}), whole(body('Ho', { top_p: 1 }), {})], {
      isExact: true,
    })
    const refused = async (at: string, sent: unknown) => {
      const reply = await ask(sandbox, at, {}, sent)
      return [reply.status, await reply.json()]
    }
    const words = (message: string) => ({ error: { message, type: 'not_found_error', code: 'replay_no_match' } })
    expect(await refused(path, body('Hi', { temperature: 2 }))).toEqual([
      404,
      words(
        `No recorded request to ${path} matches this one. 0 of its 2 replies were used. The closest recorded request differs in: temperature.`,
      ),
    ])
    expect(await refused('/v1/embeddings', { input: 'x' })).toEqual([
      404,
      words('The fixture has no request to /v1/embeddings.'),
    ])
  })

  it('repeats recorded errors with their status and their time to wait, and lists the recorded models', async () => {
    const limited = { error: { message: 'Slow down.', type: 'rate_limit_error', code: 'rate_limited' } }
    const sandbox = await replaying([
      whole(body('Hi'), limited, 429, { 'retry-after': '7', 'x-should-retry': 'false' }),
    ])
    const reply = await ask(sandbox, path, {}, body('Hi'))
    expect([reply.status, reply.headers.get('retry-after'), reply.headers.get('x-should-retry')]).toEqual([
      429,
      '7',
      'false',
    ])
    expect(await reply.json()).toEqual(limited)
    const models = await (await ask(sandbox, '/v1/models')).json()
    expect(models.data).toMatchObject([{ id: 'm-1', owned_by: 'replay' }])
  })

  it('costs nothing, has no limit of requests in practice, and still wants its key', async () => {
    const sandbox = await replaying([whole(body('Hi'), { n: 1 })])
    const before = await (await ask(sandbox, '/v1/usage')).json()
    const reply = await ask(sandbox, path, {}, body('Hi'))
    expect(reply.status).toBe(200)
    expect(Number(reply.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(900_000)
    expect((await (await ask(sandbox, '/v1/usage')).json()).balance).toEqual(before.balance)
    expect((await ask(sandbox, path, { key: 'nobody' }, body('Hi'))).status).toBe(401)
  })

  it('obeys faults that a request orders', async () => {
    const sandbox = await replaying([whole(body('Hi'), { n: 1 })])
    const reply = await ask(sandbox, path, { headers: { 'x-sandbox-fault': 'refuse; status=503' } }, body('Hi'))
    expect(reply.status).toBe(503)
  })
})

describe('a file that is no fixture', () => {
  const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  it.each([
    ['is not JSON', '{', 'The file is not JSON.'],
    ['is another file', '{"format":"x","version":1}', /no replay fixture: its "format" is not/],
    ['is newer', fixture([], { version: 2 }), /has version 2 of the format, and this program reads version 1/],
    ['has nothing', fixture([]), /damaged at exchanges/],
    [
      'sets other headers',
      fixture([whole({}, {}, 200, { 'set-cookie': 'a' })]),
      /damaged at exchanges\.0\.reply\.headers/,
    ],
    [
      'adds a header',
      fixture([whole({}, {}, 200, { 'retry-after': '1\r\nx: y' })]),
      /damaged at exchanges\.0\.reply\.headers/,
    ],
    ['has no status', fixture([whole({}, {}, 99)]), /damaged at exchanges\.0\.reply\.status/],
    [
      'is nested too deeply',
      fixture([whole('BODY', {})]).replace('"BODY"', `{"model":${deep(50_000)}}`),
      /nested too deeply|not JSON/,
    ],
  ])('and %s is refused with the reason', async (_, text, words) => {
    await expect(start({ replay: { fixture: text, timing: 'immediate' } })).rejects.toMatchObject({
      code: 'bad_fixture',
      message: typeof words === 'string' ? words : expect.stringMatching(words),
    })
  })
})
