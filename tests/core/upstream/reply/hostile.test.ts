import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { openReply, type ReplyStream } from '../../../../src-main/core/upstream/reply/replyStream.ts'
import { loadTokenizer } from '../../../../src-main/core/upstream/reply/tokens.ts'
import { tries } from '../../../helpers/effort.ts'
import { heap } from './helpers/heap.ts'
import { chatStream, chunk, delta, event, relay, usageChunk } from './helpers/streams.ts'

// Loads the tokenizer's tables (30 MB) here, so that no measurement includes them.
beforeAll(() => loadTokenizer())

const both = [chatStream, { ...chatStream, stripUsage: true }]

test('an endless line uses bounded memory, and every byte of it passes', { tags: 'long' }, () => {
  for (const options of both) {
    for (const start of ['data: {"a":"', ': ', 'x', 'data: [', '\uFEFF']) {
      const meter = openReply(options)
      const piece = Buffer.alloc(64 * 1024, 120)
      let passed = meter.push(Buffer.from(start))?.bytes.length ?? 0
      const before = heap()
      for (let i = 0; i < 100; i++) passed += meter.push(piece)?.bytes.length ?? 0
      expect(heap() - before).toBeLessThan(4 * 1024 * 1024)
      expect(passed + (meter.end()?.bytes.length ?? 0)).toBe(Buffer.byteLength(start) + 100 * piece.length)
      expect(meter.isComplete).toBe(false)
      expect(() => meter.reading()).not.toThrow()
    }
  }
})

test('an event of 5 MB passes byte for byte and counts as output, and later events are read', { tags: 'long' }, () => {
  const bytes = Buffer.from(event(delta({ content: 'x'.repeat(5_000_000) })) + event(usageChunk) + event('[DONE]'))
  for (const options of both) {
    for (const cuts of [[], [100, 65_536, 3_000_000], Array.from({ length: 80 }, (_, i) => i * 65_000)]) {
      const { out, reading, complete } = relay(options, bytes, cuts)
      expect(out.length).toBe(bytes.length - (options.stripUsage ? event(usageChunk).length : 0))
      expect(reading).toMatchObject({ measured: true, output: true })
      expect(complete).toBe(true)
    }
  }
  const alone = relay(chatStream, Buffer.from(event(delta({ content: 'x'.repeat(5_000_000) }))), [9])
  expect(alone.reading.usage?.completionTokens).toBeGreaterThan(1_000_000)
})

test('an event too large to be read counts as output as it arrives, a comment does not', () => {
  const meter = openReply(chatStream)
  meter.push(Buffer.from('data: {"choices":[{"delta":{"content":"'))
  for (let i = 0; i < 50; i++) meter.push(Buffer.alloc(40_000, 120))
  expect(meter.reading()).toMatchObject({ output: true, usage: { completionTokens: Math.ceil(2_000_039 / 4) } })
  const commented = openReply(chatStream)
  for (let i = 0; i < 50; i++) commented.push(Buffer.alloc(40_000, 58))
  commented.push(Buffer.from('\n\n'))
  expect(commented.reading()).toMatchObject({ output: false, usage: { completionTokens: 0 } })
})

test('single bytes and endless events cost no more than their text', () => {
  const one = Buffer.from(event(delta({ content: 'a word ' })))
  const bytes = Array.from(one, (_, at) => one.subarray(at, at + 1))
  const feed = (meter: ReplyStream, singles: number, events: number): void => {
    for (let i = 0; i < singles; i++) for (const byte of bytes) meter.push(byte)
    for (let i = 0; i < events; i++) meter.push(one)
  }
  // The first run warms up compiled code and caches.
  feed(openReply({ ...chatStream, stripUsage: true }), 300, 20_000)
  const meter = openReply({ ...chatStream, stripUsage: true })
  const before = heap()
  feed(meter, 1000, 100_000)
  expect(heap() - before).toBeLessThan(384 * 1024)
  expect(meter.reading().usage?.completionTokens).toBeGreaterThan(150_000)
})

test('choices, calls and names without end are bounded', () => {
  const meter = openReply(chatStream)
  const before = heap()
  for (let i = 0; i < 20_000; i++) {
    meter.push(
      Buffer.from(
        event(delta({ tool_calls: [{ index: i, function: { name: 'f'.repeat(50), arguments: `${i}` } }] }, i)),
      ),
    )
  }
  expect(heap() - before).toBeLessThan(4 * 1024 * 1024)
  expect(meter.reading().output).toBe(true)
})

test('deep nesting, unexpected types and __proto__ change nothing and never throw', () => {
  const deep = '['.repeat(300_000)
  for (const data of [
    deep,
    `{"choices":${deep}${']'.repeat(300_000)}}`,
    '{"__proto__":{"usage":{"prompt_tokens":1,"completion_tokens":1}}}',
    '{"usage":{"__proto__":{"prompt_tokens":1,"completion_tokens":1}},"choices":[]}',
    '{"constructor":{"prototype":{"model":"x"}}}',
    'null',
    '[]',
    '7',
    '"[DONE]"',
    '{"choices":{"length":1e9}}',
    '{"choices":[null,7,"x",[],{"index":"__proto__","delta":{"content":{"a":1}}}]}',
    '{"choices":[{"delta":{"tool_calls":[null,{"index":-1,"function":7}],"content":[null,7,{"text":8}]}}]}',
  ]) {
    for (const options of both) {
      const bytes = Buffer.from(event(data))
      const { reading, complete } = relay(options, bytes, [5])
      expect(reading.measured).toBe(false)
      expect(reading.model).toBeNull()
      expect(complete).toBe(false)
    }
  }
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('text without spaces and text like control tokens is counted quickly', () => {
  const started = performance.now()
  const { reading } = relay(chatStream, Buffer.from(event(delta({ content: `<|endoftext|>${'a'.repeat(900_000)}` }))))
  expect(reading.usage?.completionTokens).toBeGreaterThan(1000)
  expect(performance.now() - started).toBeLessThan(20_000)
})

const fragment = fc.oneof(
  fc
    .constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\r\r',
      'data: ',
      'data:',
      'data',
      ':',
      ': c',
      'id: 1',
      '[DONE]',
      '{',
      '}',
      '\uFEFF',
      event(usageChunk),
      event(usageChunk, '\r'),
      event(usageChunk, '\r\n'),
      usageChunk,
      event(delta({ content: 'a' })),
      event(delta({ content: 'bé\n' })),
      event(delta({ content: 'c' }, 1), '\r'),
      event(delta({ content: 'd' }), '\r\n'),
      event(chunk({ choices: [{ delta: { content: 'e"' } }], usage: null })),
    )
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
)

test('a JSON body in place of a stream is read whole, wherever it is cut and however it ends', () => {
  for (const end of ['', '\n', '\n\n', '\r\n\r\n\n']) {
    const bytes = Buffer.from(`${usageChunk}${end}`)
    const plain = relay(chatStream, bytes)
    expect(plain.reading).toMatchObject({ measured: true, model: 'writer-small' })
    for (let cut = 0; cut <= bytes.length; cut += 1) expect(relay(chatStream, bytes, [cut])).toEqual(plain)
  }
})

test('[SSE-06] in any mixture of lines, events and bytes, splits change nothing and only usage events are missing', () => {
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 14 }), fc.array(fc.nat(3000), { maxLength: 20 }), (parts, cuts) => {
      const bytes = Buffer.concat(parts)
      const plain = relay(chatStream, bytes)
      expect(plain.out).toBe(bytes.toString('latin1'))
      expect(relay(chatStream, bytes, cuts)).toEqual(plain)
      const stripped = relay({ ...chatStream, stripUsage: true }, bytes)
      expect(relay({ ...chatStream, stripUsage: true }, bytes, cuts)).toEqual(stripped)
      expect({ ...stripped, out: '' }).toEqual({ ...plain, out: '' })
      if (!bytes.includes('"usage":{')) expect(stripped.out).toBe(plain.out)
      // The client sees the same output and ends, without usage-only events.
      const seen = relay(chatStream, Buffer.from(stripped.out, 'latin1'))
      expect(seen.reading.output).toBe(plain.reading.output)
      expect(seen.complete).toBe(plain.complete)
    }),
    { numRuns: tries(150, 1500) },
  )
})

/** Shapes in which the place of the text could be mistaken, each with a text and a number. */
const shapes: ((text: string, number: number) => string)[] = [
  (text) => `{"choices":[{"delta":{"content":${text}}}]}`,
  (text, n) => `{"content":"x${n}","choices":[{"delta":{"content":${text}}}]}`,
  (text) => `{"choices":[{"delta":{"content":${text}}}],"more":{"content":"y"}}`,
  (text) => `{"choices":[{"delta":{"c\\u006fntent":${text}}}],"more":{"content":${text}}}`,
  (text) => `{"choices":[{"delta":{"c\\u006fntent":"a"}}],"more":{"content":${text}}}`,
  (text) => `{"more":{"content":${text}},"choices":[{"delta":{"cont\\u0065nt":"a"}}]}`,
  (text) => `{"choices":[{"delta":{"content":"a"}}],"choices":[{"delta":{"content":${text}}}]}`,
  (text) => `{"choices":[{"delta":{"content":"a","content":${text}}}]}`,
  (text) => `{"quote":"\\"content\\":\\"","choices":[{"delta":{"content":${text}}}]}`,
  (text, n) => `{"choices":[{"index":${n},"delta":{"content":${text}}}]}`,
  (text) => `{"choices":[{"delta":{"content" : ${text}}}]}`,
  (text) => `{"choices":[{"delta":{"content":${text},"reasoning":${text}}}]}`,
  (text) => `{"choices":[{"delta":{"reasoning_content":${text},"reasoning":"b"}}]}`,
  (text) => `{"choices":[{"delta":{"content":${text}},"finish_reason":"stop"}]}`,
  (text) => `{"choices":[{"delta":{"content":${text}}}],"usage":{"prompt_tokens":1}}`,
  (text, n) => `{"choices":[{"delta":{"tool_calls":[{"index":${n},"function":{"arguments":${text}}}]}}]}`,
  (text) => `{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":${text}}}]}}]}`,
  (text) => `{"choices":[],"content":${text}}`,
  (text) => `{"choices":[{"delta":{"content":${text}}}]`,
]

/** JSON strings as services write them, and some invalid ones. */
const written = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.string({ maxLength: 300 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"\\u00e9"',
    '"\\/"',
    '"\\ud83d"',
    '"\\ude00"',
    '"\\n\\t\\\\"',
    '""',
    'null',
    '"\\x"',
    '"\u0001"',
    '"a',
    '"\\"',
    '" word"',
  ),
)

test('events that match a template are read as if each had been parsed', () => {
  const one = fc.record({
    shape: fc.nat(shapes.length - 1),
    text: written,
    number: fc.nat(2),
    end: fc.constantFrom('\n', '\r', '\r\n'),
  })
  const runs = fc.array(fc.tuple(one, fc.array(written, { maxLength: 6 })), { maxLength: 6 })
  fc.assert(
    fc.property(runs, (all) => {
      const events = all.flatMap(([{ shape, text, number, end }, texts]) =>
        [text, ...texts].map((each) => Buffer.from(event(shapes[shape]?.(each, number) ?? '', end))),
      )
      const bytes = Buffer.concat(events)
      // An event that is cut inside can't match a template, so it is always parsed.
      const inside = events.map((_, i) => events.slice(0, i).reduce((sum, each) => sum + each.length, 7))
      expect(relay(chatStream, bytes)).toEqual(relay(chatStream, bytes, inside))
    }),
    { numRuns: tries(100, 1000) },
  )
})

test('a character split between two events is broken text, at every split', () => {
  const start = Buffer.from('data: {"choices":[{"delta":{"content":"')
  const end = Buffer.from('"}}]}\n\n')
  const halves = [Buffer.from([0xe2, 0x82]), Buffer.from([0xac])]
  const pieces = [Buffer.from('word'), ...halves, ...halves, ...halves, ...halves, ...halves, Buffer.from('é')]
  const bytes = Buffer.concat(pieces.flatMap((piece) => [start, piece, end]))
  const parsed = relay(chatStream, bytes, [...bytes.keys()])
  for (let at = 0; at < bytes.length; at++) expect(relay(chatStream, bytes, [at]), `split at ${at}`).toEqual(parsed)
})
