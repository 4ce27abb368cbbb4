import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accumulate, emptyAccumulation } from '../../../helpers/accumulate.ts'
import { eventsIn, streamedReply } from '../../../helpers/replies.ts'
import { canary, collect, failure, json, serve, sse } from '../helpers/service.ts'

const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }

const content = (text: string): string => `{"choices":[{"delta":{"content":"${text}"}}]}`
const fixtures = {
  plain: `data: ${content('é€𝄞')}\n\ndata: [DONE]\n\n`,
  crlf: `data: ${content('a')}\r\n\r\ndata: ${content('b')}\r\n\r\n`,
  cr: `data: ${content('a')}\r\rdata: ${content('日本')}\r\r`,
  bom: `\uFEFFdata: ${content('a')}\n\n`,
  comments: ': hi é\n\nevent: x\nid: 7\nretry: 10\nunknown: y\ndata: {"choices":\ndata: [{"text":"1"}]}\n\n:\n\n',
  unfinished: `data:${content('a')}\n\ndata:${content('b')}`,
}

test.each(Object.entries(fixtures))('[SSE-06] %s: every byte split gives the same events', (_, text) => {
  const bytes = new TextEncoder().encode(text)
  const whole = eventsIn(bytes)
  expect(whole.filter(({ type }) => type === 'content').length).toBeGreaterThan(0)
  for (let i = 0; i <= bytes.length; i++) expect(eventsIn(bytes, [i])).toEqual(whole)
  expect(eventsIn(bytes, [...bytes.keys()])).toEqual(whole)
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 12 }), (cuts) => {
      expect(eventsIn(bytes, cuts)).toEqual(whole)
    }),
  )
})

test('an event of 5 MB is read, an endless one is a failure', () => {
  const line = Buffer.from(`data: ${content('x'.repeat(5_000_000))}\n\n`)
  expect(eventsIn(line, [100, 65_536, 3_000_000])).toContainEqual({
    type: 'content',
    choice: 0,
    text: 'x'.repeat(5_000_000),
  })
  const reply = streamedReply()
  reply.push(Buffer.from('data: {'))
  const piece = Buffer.alloc(1024 * 1024, 120)
  for (let i = 0; i < 20 && reply.failure === null; i++) reply.push(piece)
  expect(reply.failure).toMatchObject({ kind: 'malformed_reply' })
})

async function stream(text: string | Uint8Array, type = 'text/event-stream') {
  const { upstream } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': type })
    response.end(text)
  })
  const sum = emptyAccumulation()
  const error = await failure(
    (async () => {
      for await (const event of upstream.streamChatCompletion(chat)) accumulate(sum, event)
      throw new Error('ended')
    })(),
  )
  return { sum, error: error.message === 'ended' ? null : error }
}

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const delta = (d: unknown, index = 0, finish_reason: string | null = null): string =>
  frame({ choices: [{ index, delta: d, finish_reason }] })

test('[CHAT-09] [CHAT-12] choices, reasoning of both names, refusals and tool calls are merged by index', async () => {
  const { sum, error } = await stream(
    delta({ role: 'assistant', content: null, reasoning_content: 'think' }) +
      delta({ reasoning: 'ing' }) +
      delta({ content: 'B' }, 1) +
      delta({ content: 'A' }) +
      delta({ refusal: 'no' }, 1) +
      delta({ tool_calls: [{ index: 1, id: 'c1', function: { name: 'f', arguments: '{"a"' } }] }) +
      delta({ tool_calls: [{ index: 0, id: 'c0', function: { name: 'g', arguments: '{}' } }] }) +
      delta({ tool_calls: [{ index: 1, function: { arguments: ':1}' } }] }) +
      delta({}, 1, 'stop') +
      delta({}, 0, 'tool_calls') +
      'data: [DONE]\n\n',
  )
  expect(error).toBeNull()
  expect(sum.choices).toEqual([
    {
      index: 0,
      content: 'A',
      reasoning: 'thinking',
      refusal: '',
      toolCalls: [
        { index: 0, id: 'c0', name: 'g', arguments: '{}' },
        { index: 1, id: 'c1', name: 'f', arguments: '{"a":1}' },
      ],
      finishReason: 'tool_calls',
    },
    { index: 1, content: 'B', reasoning: '', refusal: 'no', toolCalls: [], finishReason: 'stop' },
  ])
})

const call = (index: number | null, id: string | null, name: string | null, args: string): string =>
  delta({
    tool_calls: [
      { ...(index === null ? {} : { index }), ...(id === null ? {} : { id }), function: { name, arguments: args } },
    ],
  })

async function callsOf(...pieces: string[]) {
  const { sum, error } = await stream(`${pieces.join('') + delta({}, 0, 'tool_calls')}data: [DONE]\n\n`)
  expect(error).toBeNull()
  return sum.choices[0]?.toolCalls.map(({ id, name, arguments: args }) => [id, name, args])
}

test.each([
  ['at index 0', 0],
  ['without an index', null],
])('[CHAT-12] two calls %s with two ids are two calls, each with its later pieces', async (_, index) => {
  const calls = [call(index, 'a', 'read', '{"x"'), call(index, null, null, ':1}'), call(index, 'b', 'read', '{"y"')]
  expect(await callsOf(...calls, call(index, null, null, ':2}'), call(1, 'c', 'list', '{}'))).toEqual([
    ['a', 'read', '{"x":1}'],
    ['b', 'read', '{"y":2}'],
    ['c', 'list', '{}'],
  ])
})

test('[CHAT-12] a call that repeats its id and name, or has another id with each piece, is one call', async () => {
  for (const ids of [
    ['a', 'a', 'a'],
    ['a', 'b', 'c'],
    ['a', '', null],
  ] as const) {
    const name = ids[1] === 'a' ? 'lists' : null
    const pieces = [call(0, ids[0], 'lists', '{"x"'), call(0, ids[1], name, ':'), call(0, ids[2], name, '1}')]
    expect(await callsOf(...pieces)).toEqual([['a', 'lists', '{"x":1}']])
  }
})

test('[CHAT-12] calls with the highest index are distinct too', async () => {
  const highest = Number.MAX_SAFE_INTEGER
  const calls = ['a', 'b', 'c'].map((id) => call(highest, id, 'read', `{"${id}":1}`))
  expect((await callsOf(...calls))?.map(([id]) => id).sort()).toEqual(['a', 'b', 'c'])
})

test('[SSE-02] [CHAT-15] a usage with empty choices is neither text nor the end of the stream', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, prompt_tokens_details: { cached_tokens: 3 } }
  const { sum, error } = await stream(
    `${frame({ choices: [], usage }) + delta({ content: 'x' }, 0, 'stop')}data: [DONE]\n\n`,
  )
  expect(error).toBeNull()
  expect(sum.usage).toEqual({ promptTokens: 5, completionTokens: 2, totalTokens: 7, cachedTokens: 3 })
  expect(sum.choices[0]?.content).toBe('x')
})

test('[SSE-03] a finish reason ends a stream without [DONE]; a stream without both is incomplete', async () => {
  expect((await stream(delta({ content: 'x' }, 0, 'stop'))).error).toBeNull()
  expect((await stream(delta({ content: 'x' }))).error).toMatchObject({
    kind: 'incomplete_stream',
    facts: { outputStarted: true },
  })
  expect((await stream('')).error).toMatchObject({ kind: 'incomplete_stream', facts: { outputStarted: false } })
  expect((await stream(frame({ choices: [], usage: {} }))).error).toMatchObject({ kind: 'incomplete_stream' })
  // The stream ends cleanly, but inside an event and inside a character.
  expect((await stream(`${delta({ content: 'x' })}data: {"choi`)).error).toMatchObject({ kind: 'incomplete_stream' })
  expect((await stream(Buffer.from(`${delta({ content: 'x' })}data: {"a":"é`).subarray(0, -1))).error).toMatchObject({
    kind: 'incomplete_stream',
  })
  // One of two choices broke off.
  expect((await stream(delta({ content: 'x' }, 1) + delta({}, 0, 'stop'))).error).toMatchObject({
    kind: 'incomplete_stream',
  })
})

test('[SSE-04] an event that is not JSON, or an error, ends the stream and preserves the text before it', async () => {
  const broken = await stream(`${delta({ content: 'kept' })}data: {"choices": [ ${canary}\n\n`)
  expect(broken.error).toMatchObject({ kind: 'malformed_reply', facts: { outputStarted: true } })
  expect(broken.sum.choices[0]?.content).toBe('kept')
  expect(JSON.stringify(broken.error)).not.toContain('canary')
  const error = await stream(delta({ content: 'kept' }) + frame({ error: { message: 'boom', code: 'x', type: 't' } }))
  expect(error.error).toMatchObject({
    message: 'boom',
    kind: 'internal',
    facts: { code: 'x', type: 't', outputStarted: true },
  })
})

test('[CHAT-05] a JSON reply to a stream request is read, a stream with a wrong content type too, words and pages are errors', async () => {
  const whole = JSON.stringify({ id: 'c', choices: [{ message: { content: 'all' }, finish_reason: 'stop' }] })
  expect((await stream(whole, 'application/json')).sum.choices[0]?.content).toBe('all')
  const wrong = await stream(delta({ content: 'x' }, 0, 'stop'), 'text/plain')
  expect([wrong.error, wrong.sum.choices[0]?.content]).toEqual([null, 'x'])
  expect((await stream('<p>Sign in</p>', 'text/html')).error).toMatchObject({
    ...{ kind: 'malformed_reply', message: expect.stringContaining('text/html'), facts: { raw: '<p>Sign in</p>' } },
  })
})

/** Chunks as a hostile service may send them. */
const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(null, [], {}, 'x', 0))
const choice = fc.oneof(
  odd,
  fc.record(
    {
      index: odd,
      delta: fc.oneof(odd, fc.record({ content: odd, tool_calls: odd, reasoning: odd })),
      finish_reason: odd,
    },
    { requiredKeys: [] },
  ),
)
const chunk = fc.oneof(
  odd,
  fc.record({ id: odd, choices: fc.oneof(odd, fc.array(choice)), usage: odd, error: odd }, { requiredKeys: [] }),
)

test('[GEN-02] [GEN-06] [CHAT-14] any JSON event gives chat events or a StudioError, never a crash', async () => {
  let body = ''
  const { upstream } = await serve((_, response) => {
    sse(response)
    response.end(body)
  })
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 4 }), async (chunks) => {
      body = `${chunks.map(frame).join('')}data: [DONE]\n\n`
      const result = await collect(upstream.streamChatCompletion(chat)).catch((error: unknown) => error)
      if (!Array.isArray(result))
        expect(['malformed_reply', 'internal', 'unexpected_status']).toContain(Reflect.get(Object(result), 'kind'))
    }),
    { numRuns: 150 },
  )
})

test('[CHAT-02] [CHAT-03] [CHAT-06] [CHAT-07] [CHAT-13] requests that the specification forbids are refused before a byte is sent', async () => {
  const { upstream, requests } = await serve((_, response) => json(response, 200, {}))
  const bad = [
    { ...chat, messages: [] },
    { ...chat, max_tokens: 0 },
    { ...chat, stop: 'x' as unknown as string[] },
    { ...chat, model: '' },
    {
      ...chat,
      messages: [{ role: 'user' as const, content: [{ type: 'image_url', image_url: {} as { url: string } }] }],
    },
  ]
  for (const request of bad) {
    await expect(collect(upstream.streamChatCompletion(request))).rejects.toMatchObject({ kind: 'bad_input' })
  }
  expect(requests).toEqual([])
})
