import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { tries } from '../../../../helpers/effort.ts'
import { wholeReply } from '../../../../helpers/replies.ts'
import { anyReply, mixedDeltas, type ServiceReply } from '../messages/helpers/arbitraries.ts'
import { chunk, streamBytes, usageChunk } from '../messages/helpers/streams.ts'
import { chat, details, generate, linesOf, translatedStream } from './streams.ts'

const chunksOf = ({ deltas, finish, usage }: ServiceReply): JsonObject[] => [
  chunk({ role: 'assistant' }),
  ...deltas.map((delta) => chunk(delta)),
  chunk({}, finish),
  ...(usage === null ? [] : [usageChunk(usage)]),
]
const lines = (chunks: JsonObject[], done = true, request = chat()) =>
  translatedStream(streamBytes(chunks, done), [], request).lines
const callDelta = (args: string, more: JsonObject = { id: 'c1', function: { name: 'look', arguments: args } }) => ({
  tool_calls: [{ index: 0, ...more }],
})
type Message = { content: string; thinking?: string; tool_calls?: JsonObject[] }
const messagesIn = (all: JsonObject[]): Message[] => all.map(({ message }) => message as Message)

describe('a streamed reply', () => {
  it('has a line for each piece, and its counts and reason in the last one', () => {
    const all = lines([
      chunk({ reasoning: 'Hm.' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
      usageChunk({ prompt_tokens: 12, completion_tokens: 3 }),
    ])
    const head = { model: 'served', created_at: '2023-11-14T22:13:20.000Z' }
    expect(all).toEqual([
      { ...head, message: { role: 'assistant', content: '', thinking: 'Hm.' }, done: false },
      { ...head, message: { role: 'assistant', content: 'Hel' }, done: false },
      { ...head, message: { role: 'assistant', content: 'lo' }, done: false },
      {
        ...head,
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'stop',
        total_duration: 0,
        load_duration: 0,
        prompt_eval_count: 12,
        prompt_eval_duration: 0,
        eval_count: 3,
        eval_duration: 0,
      },
    ])
  })

  it('of /api/generate has its text in response', () => {
    const all = lines([chunk({ reasoning: 'Hm.' }), chunk({ content: 'Hi' }), chunk({}, 'length')], true, generate())
    expect(
      all.map(({ response, thinking, done_reason, message }) => [response, thinking, done_reason, message]),
    ).toEqual([
      ['', 'Hm.', undefined, undefined],
      ['Hi', undefined, undefined, undefined],
      ['', undefined, 'length', undefined],
    ])
  })

  it.each([
    ['stop', 'stop'],
    ['tool_calls', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['unheard_of', 'unheard_of'],
  ])('that the service ended with %s ends with %s', (finish, reason) => {
    expect(lines([chunk({ content: 'x' }), chunk({}, finish)]).at(-1)).toMatchObject({
      done: true,
      done_reason: reason,
    })
  })

  it('has the calls whole in one line, with their ids and arguments as objects', () => {
    const all = lines([
      chunk(callDelta('{"a"')),
      chunk({ tool_calls: [{ index: 1, id: 'c1', function: { name: 'look', arguments: '' } }] }),
      chunk(callDelta(':[1]}', { function: { arguments: ':[1]}' } })),
      chunk({}, 'tool_calls'),
    ])
    expect(all).toHaveLength(2)
    expect(messagesIn(all)[0]?.tool_calls).toEqual([
      { id: 'c1', function: { index: 0, name: 'look', arguments: { a: [1] } } },
      { id: 'call_1_1', function: { index: 1, name: 'look', arguments: {} } },
    ])
  })

  it.each(['[1]', '{"a":', 'words', '"text"', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`])(
    'has arguments that no tool accepts when they are no object: %s',
    (text) => {
      const [first] = messagesIn(lines([chunk(callDelta(text)), chunk({}, 'tool_calls')]))
      expect(first?.tool_calls?.[0]?.function).toEqual({ index: 0, name: 'look', arguments: { INVALID_JSON: text } })
    },
  )

  it('leaves thinking out when it was turned off, and still sends signs of life', () => {
    const pieces = Array.from({ length: 70 }, () => chunk({ reasoning: 'Hm.' }))
    const all = lines([...pieces, chunk({ content: 'x' }), chunk({}, 'stop')], true, chat({ think: false }))
    expect(JSON.stringify(all)).not.toContain('Hm.')
    expect(messagesIn(all).map(({ content }) => content)).toEqual(['', '', '', 'x', ''])
  })

  it('that broke off ends with an error line, and its calls are never sent', () => {
    for (const chunks of [
      [chunk({ content: 'x' })],
      [chunk(callDelta('{"a":1}'))],
      [chunk({ content: 'x' }, 'error')],
    ]) {
      const all = lines(chunks, false)
      expect(all.at(-1)).toEqual({ error: expect.stringMatching(/\w/) })
      expect(all.some(({ done }) => done === true)).toBe(false)
      expect(JSON.stringify(all)).not.toContain('tool_calls')
    }
  })

  it('says how long things took on this computer', () => {
    let now = 1_700_000_000_000
    const timed = { ...details, clock: { startedMs: now - 500, nowMs: () => now } }
    const stream = chat().openReply(timed, false)
    stream.push({ type: 'content', choice: 0, text: 'x' })
    now += 1500
    stream.push({ type: 'finish', choice: 0, reason: 'stop' })
    expect(linesOf(stream.end()).at(-1)).toMatchObject({
      created_at: '2023-11-14T22:13:21.500Z',
      total_duration: 2_000_000_000,
      prompt_eval_duration: 500_000_000,
      eval_duration: 1_500_000_000,
    })
  })

  it('is over after 64 MB, and says why', () => {
    const stream = chat().openReply(details, true)
    const piece = 'x'.repeat(1024 * 1024)
    for (let count = 0; count < 65; count++) stream.push({ type: 'content', choice: 0, text: piece })
    expect(stream.failure).toMatch(/too large/)
    expect(() => stream.result()).toThrow(/too large/)
  })

  it('is bounded in its calls too, and in the values of their arguments', () => {
    const stream = chat().openReply(details, true)
    for (let index = 0; stream.failure === null && index < 400_000; index++) {
      stream.push({ type: 'tool_call', choice: 0, index, id: null, name: null, arguments: '' })
    }
    expect(stream.failure).toMatch(/too large/)
    const many = `{"a":[${'1,'.repeat(150_000)}1]}`
    const [first] = messagesIn(lines([chunk(callDelta(many)), chunk({}, 'tool_calls')]))
    expect(first?.tool_calls?.[0]?.function).toMatchObject({ arguments: { INVALID_JSON: many } })
  })
})

it('any stream gives the same lines however its bytes are split', () => {
  fc.assert(
    fc.property(anyReply, fc.array(fc.nat(), { maxLength: 30 }), (reply, cuts) => {
      const bytes = streamBytes(chunksOf(reply))
      expect(translatedStream(bytes, cuts).text).toBe(translatedStream(bytes).text)
    }),
    { numRuns: tries(100, 1000) },
  )
})

it('a stream gives the same lines when it is split at every byte', () => {
  const [reply] = fc.sample(anyReply, 1)
  if (reply === undefined) throw new Error('No sample.')
  const bytes = streamBytes(chunksOf(reply))
  const whole = translatedStream(bytes).text
  for (let at = 0; at < bytes.length; at++) expect(translatedStream(bytes, [at]).text).toBe(whole)
})

it('the lines, put together, are the reply that is not streamed', () => {
  fc.assert(
    fc.property(anyReply, fc.boolean(), (reply, isGenerate) => {
      const request = isGenerate ? generate() : chat()
      const { lines: all, stream } = translatedStream(streamBytes(chunksOf(reply)), [], request)
      const whole = wholeReply(request, reply.whole, details)
      expect(stream.result()).toEqual(whole)
      const put = (key: 'content' | 'thinking' | 'response'): string =>
        all.map((line) => (((line.message ?? line) as JsonObject)[key] as string | undefined) ?? '').join('')
      const calls = all.flatMap((line) => ((line.message ?? line) as JsonObject).tool_calls ?? [])
      const said = (whole.message ?? whole) as JsonObject
      expect(put(isGenerate ? 'response' : 'content')).toBe(isGenerate ? said.response : said.content)
      expect(put('thinking')).toBe(said.thinking ?? '')
      expect(calls).toEqual(said.tool_calls ?? [])
      const { message: _, response: _r, thinking: _t, tool_calls: _c, ...last } = all.at(-1) ?? {}
      expect(whole).toMatchObject(last)
    }),
    { numRuns: tries(100, 1000) },
  )
})

it('every prefix of a stream ends as one that broke off, with an error line and without calls', () => {
  fc.assert(
    fc.property(anyReply, fc.nat(), (reply, at) => {
      const bytes = streamBytes(chunksOf(reply))
      const part = bytes.slice(0, at % bytes.length)
      const { lines: all } = translatedStream(part)
      const last = all.at(-1)
      // With a finish reason and without `[DONE]` the reply is complete.
      if (last?.done === true) return
      expect(last).toEqual({ error: expect.stringMatching(/\w/) })
      expect(JSON.stringify(all)).not.toContain('tool_calls')
    }),
    { numRuns: tries(200, 2000) },
  )
})

it('calls whose pieces are mixed have their own arguments', () => {
  fc.assert(
    fc.property(mixedDeltas, (deltas) => {
      const { lines: all } = translatedStream(
        streamBytes([...deltas.map((delta) => chunk(delta)), chunk({}, 'tool_calls')]),
      )
      const calls = messagesIn(all.slice(0, -1)).flatMap((message) => message.tool_calls ?? [])
      const texts = new Map<number, string>()
      for (const { tool_calls } of deltas) {
        for (const { index, function: called } of (tool_calls ?? []) as {
          index: number
          function: { arguments: string }
        }[]) {
          texts.set(index, (texts.get(index) ?? '') + called.arguments)
        }
      }
      const given = [...texts.values()].map((text) => JSON.parse(text) as unknown)
      expect(calls.map((each) => (each.function as JsonObject).arguments)).toEqual(given)
    }),
  )
})

it('no line has half of a character', () => {
  const [high, low] = ['\ud83d', '\ude00']
  const { text } = translatedStream(
    streamBytes([chunk({ content: `a${high}` }), chunk({ content: low }), chunk({ content: high }), chunk({}, 'stop')]),
  )
  expect(text.isWellFormed()).toBe(true)
  expect(messagesIn(linesOf(text)).map(({ content }) => content)).toEqual(['a', '😀', '\ufffd', ''])
})
