import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Mask } from '../../../../src-main/core/upstream/reply/mask.ts'
import { ReplyReader } from '../../../../src-main/core/upstream/reply/rules.ts'
import type { ChatStreamEvent } from '../../../../src-main/core/upstream/types.ts'
import { eventsIn, streamedReply } from '../../../helpers/replies.ts'

type Chunk = Record<string, unknown>

const chunkOf = (delta: unknown, more: Chunk = {}): Chunk => ({
  id: 'chatcmpl-1',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
})
const eventOf = (data: unknown, end = '\n'): string => `data: ${JSON.stringify(data)}${end}${end}`
const finish: Chunk = {
  id: 'chatcmpl-1',
  model: 'm',
  choices: [0, 1].map((index) => ({ index, delta: {}, finish_reason: 'stop' })),
}
const done = 'data: [DONE]\n\n'

/** What the reader returns for these bytes, cut at these places. */
function readIn(bytes: Buffer, cuts: readonly number[] = []): ChatStreamEvent[] {
  const events = eventsIn(bytes, cuts)
  expect(events.at(-1)).toEqual({ type: 'done' })
  return events
}

/** What the rules say of the chunks one by one. */
function parsed(chunks: readonly Chunk[]): ChatStreamEvent[] {
  const reader = new ReplyReader(new Mask(null), 200)
  for (const chunk of chunks) reader.readEvent(JSON.stringify(chunk))
  reader.readEvent('[DONE]')
  return reader.take()
}

const text = fc.oneof(
  fc.constantFrom('', 'a', ' word', '"', '\\', '\n', '\u2028', 'é', '日本', '𝄞', '}\n\ndata: ', '"content":"x"', '\\"'),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.integer({ min: 150, max: 200 }).map((length) => 'x'.repeat(length)),
)
const index = fc.integer({ min: 0, max: 1 })
const delta = fc.oneof(
  { weight: 4, arbitrary: text.map((content) => ({ content })) },
  text.map((reasoning_content) => ({ reasoning_content })),
  fc.tuple(text, text).map(([reasoning_content, reasoning]) => ({ reasoning_content, reasoning })),
  text.map((reasoning) => ({ reasoning })),
  text.map((refusal) => ({ refusal })),
  text.map((part) => ({ content: [{ type: 'text', text: part }] })),
  fc.tuple(text, text).map(([content, reasoning]) => ({ content, reasoning })),
  fc.tuple(index, text).map(([at, piece]) => ({ tool_calls: [{ index: at, function: { arguments: piece } }] })),
  fc
    .tuple(index, text, text)
    .map(([at, name, piece]) => ({ tool_calls: [{ index: at, id: 'c', function: { name, arguments: piece } }] })),
)
const more = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  text.map((obfuscation) => ({ obfuscation })),
  text.map((content) => ({ content })),
  text.map((argumentsText) => ({ arguments: argumentsText })),
  index.map((at) => ({ choices: [{ index: at, delta: { content: 'other' } }] })),
  text.map((legacy) => ({ choices: [{ index: 0, text: legacy }] })),
  fc.nat(9).map((count) => ({ usage: { prompt_tokens: count, completion_tokens: 1 } })),
)
const chunks = fc.array(
  fc.tuple(delta, more).map(([part, rest]) => chunkOf(part, rest)),
  { maxLength: 30 },
)
const between = fc.constantFrom('', '', '', ': comment\n\n', 'id: 4\n', 'event: x\n', 'retry: 5\n\n')

test('a stream has the same events as its chunks parsed one by one, wherever its bytes are split', () => {
  fc.assert(
    fc.property(
      chunks,
      fc.array(between, { minLength: 30, maxLength: 30 }),
      fc.constantFrom('\n', '\n', '\r\n', '\r'),
      fc.array(fc.nat(6000), { maxLength: 20 }),
      (some, noise, lineEnd, cuts) => {
        const all = [...some, ...some, finish]
        const lines = all.map((chunk, at) => `${noise[at % noise.length] ?? ''}${eventOf(chunk, lineEnd)}`)
        const bytes = Buffer.from(lines.join('') + done)
        const places = cuts.map((cut) => Math.min(cut, bytes.length))
        expect(readIn(bytes, places)).toEqual(parsed(all))
      },
    ),
  )
})

test('a burst of many chunks in one read is not taken for a reply that is too large', () => {
  const all = [...Array.from({ length: 3000 }, (_, at) => chunkOf({ content: `w${at}`, at })), finish]
  const events = readIn(Buffer.from(all.map((chunk) => eventOf(chunk)).join('') + done))
  expect(events.filter(({ type }) => type === 'content')).toHaveLength(3000)
})

test('bytes that are not UTF-8 fail', () => {
  const reply = streamedReply()
  const like = eventOf(chunkOf({ content: 'abc' }))
  expect(reply.push(Buffer.from(like.repeat(3)))?.events).toHaveLength(4)
  const wrong = Buffer.from(like)
  wrong[wrong.indexOf('abc')] = 0xff
  expect(reply.push(wrong)?.events.map(({ type }) => type)).toEqual(['error'])
  expect(reply.failure).toMatchObject({ kind: 'malformed_reply' })
})
