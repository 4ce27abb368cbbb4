import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openMeter } from '../../../../src-main/core/upstream/meter/meter.ts'
import { heap } from './helpers/heap.ts'
import { chatStream, chunk, delta, event, relay, usageChunk } from './helpers/streams.ts'

const both = [chatStream, { ...chatStream, stripUsage: true }]

test('an endless line is held in bounded memory, and every byte of it goes on', () => {
  for (const options of both) {
    for (const start of ['data: {"a":"', ': ', 'x', 'data: [', '\uFEFF']) {
      const meter = openMeter(options)
      const piece = Buffer.alloc(64 * 1024, 120)
      let passed = meter.push(Buffer.from(start))?.length ?? 0
      const before = heap()
      for (let i = 0; i < 1600; i++) passed += meter.push(piece)?.length ?? 0
      expect(heap() - before).toBeLessThan(8 * 1024 * 1024)
      expect(passed + (meter.end()?.length ?? 0)).toBe(Buffer.byteLength(start) + 1600 * piece.length)
      expect(meter.complete).toBe(false)
      expect(() => meter.reading()).not.toThrow()
    }
  }
})

test('an event of 5 MB passes byte for byte, is output, and what follows is read', () => {
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

test('bytes one by one and events without end cost no more than their text', () => {
  const meter = openMeter({ ...chatStream, stripUsage: true })
  const before = heap()
  const one = Buffer.from(event(delta({ content: 'a word ' })))
  for (let i = 0; i < 2000; i++) for (let at = 0; at < one.length; at++) meter.push(one.subarray(at, at + 1))
  for (let i = 0; i < 100_000; i++) meter.push(one)
  expect(heap() - before).toBeLessThan(256 * 1024)
  expect(meter.reading().usage?.completionTokens).toBeGreaterThan(150_000)
})

test('choices, calls and names without end are bounded', () => {
  const meter = openMeter(chatStream)
  const before = heap()
  for (let i = 0; i < 20_000; i++) {
    meter.push(
      Buffer.from(
        event(delta({ tool_calls: [{ index: i, function: { name: 'f'.repeat(50), arguments: `${i}` } }] }, i)),
      ),
    )
  }
  expect(heap() - before).toBeLessThan(1024 * 1024)
  expect(meter.reading().output).toBe(true)
})

test('deep nesting, odd shapes and __proto__ change nothing and never throw', () => {
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
      const { reading, model, complete } = relay(options, bytes, [5])
      expect(reading.measured).toBe(false)
      expect(model).toBeNull()
      expect(complete).toBe(false)
    }
  }
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('text without spaces and text that looks like control tokens is counted in good time', () => {
  const started = performance.now()
  const { reading } = relay(chatStream, Buffer.from(event(delta({ content: `<|endoftext|>${'a'.repeat(900_000)}` }))))
  expect(reading.usage?.completionTokens).toBeGreaterThan(1000)
  expect(performance.now() - started).toBeLessThan(5000)
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

test('[SSE-06] any mixture of lines, events and bytes: the splits change nothing, and nothing but usage events is missing', () => {
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
      // What a client reads of it: the same output, ends and nothing else, but no event that only brings the usage.
      const seen = relay(chatStream, Buffer.from(stripped.out, 'latin1'))
      expect(seen.reading.output).toBe(plain.reading.output)
      expect(seen.complete).toBe(plain.complete)
    }),
    { numRuns: 2000 },
  )
})
