import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonScan, maxDepth } from '../../../../src-main/core/upstream/json/jsonScan.ts'
import { type RequestParameters, RequestScan } from '../../../../src-main/core/upstream/request/parameters.ts'
import { askForUsage, readParameters } from '../helpers/wholeBody.ts'

import { heap } from '../reply/helpers/heap.ts'

const bytes = (text: string): Buffer => Buffer.from(text)

/** Pushes the body in pieces that end at the given offsets. */
function pushSplit<T extends JsonScan>(scan: T, body: Uint8Array, cuts: readonly number[]): T {
  const places = [...new Set(cuts.map((cut) => cut % (body.length + 1)))].sort((a, b) => a - b)
  let from = 0
  for (const to of [...places, body.length]) {
    // A copy, as from a socket: data kept from a chunk must not be a view of it.
    scan.push(Uint8Array.prototype.slice.call(body, from, to))
    from = to
  }
  return scan
}

const accepts = (body: Uint8Array, cuts: readonly number[] = []): boolean => pushSplit(new JsonScan(), body, cuts).end()
const everyPlace = (body: Uint8Array): number[] => Array.from(body.keys())

/** The platform's parser, which clients and services in JavaScript use. */
function parses(body: Uint8Array): boolean {
  if (!isUtf8(body)) return false
  try {
    JSON.parse(
      Buffer.from(body)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    )
    return true
  } catch {
    return false
  }
}

/** Pieces of JSON, valid and invalid, so that random texts get far into the grammar. */
const token = fc.oneof(
  fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', ' ', '\n', '\t', '\r', '\f', '\u0000', '\uFEFF', '/', "'"),
  fc.constantFrom('true', 'false', 'null', 'nul', 'tru', 'True', 'NaN', 'Infinity', 'undefined'),
  fc.constantFrom('0', '-', '1', '01', '-0', '1.', '.5', '1.5', '1e', '1e5', '1E+5', '1e-', '+1', '0x1', '1_0', '-a'),
  fc.constantFrom('"a"', '"é語🌍"', '"\\u00e9"', '"\\u12"', '"\\ud83d"', '"\\x"', '"\\""', '"\t"', '"\u007f"', '"\\/"'),
  fc.constantFrom('{"a":1}', '[1,2]', '{"a":{}}', '[[],{}]', '{"a":1,}', '[1,]', '{,}', '{"a"}', '{a:1}'),
)
const text = fc.array(token, { maxLength: 12 }).map((parts) => bytes(parts.join('')))
const whole = fc.json({ maxDepth: 6 }).map(bytes)
/** A JSON text with one byte changed. */
const damaged = fc.tuple(whole, fc.nat(), fc.nat(255)).map(([body, at, byte]) => {
  const copy = Buffer.from(body)
  copy[at % copy.length] = byte
  return copy
})
const anyBody = fc.oneof(whole, damaged, text, fc.uint8Array({ maxLength: 12 }))

describe('the scanner of JSON texts', () => {
  test('accepts exactly what JSON.parse accepts, in UTF-8, at any split', () => {
    fc.assert(
      fc.property(anyBody, fc.array(fc.nat(), { maxLength: 5 }), (body, cuts) => {
        const expected = parses(body)
        expect(accepts(body)).toBe(expected)
        expect(accepts(body, cuts)).toBe(expected)
        expect(accepts(body, everyPlace(body))).toBe(expected)
      }),
      { numRuns: 5000 },
    )
  })

  test.each([
    '-',
    '1.',
    '1e',
    '1e+',
    '"',
    '"\\',
    '"\\u12',
    '[',
    '{',
    '{"a"',
    '{"a":',
    '[1',
    '[1,',
    'tru',
    '\uFEFF',
    '',
  ])('refuses a text that ends early: %j', (part) => {
    expect(accepts(bytes(part))).toBe(false)
    expect(accepts(bytes(part), everyPlace(bytes(part)))).toBe(false)
  })

  test.each([
    ['a byte that is never UTF-8', [0x22, 0xff, 0x22]],
    ['a character cut short', [0x22, 0xe2, 0x82, 0x22]],
    ['a character cut short by the end', [0x22, 0x61, 0x22, 0x20, 0xe2]],
    ['an overlong quote', [0x22, 0xc0, 0xa2, 0x22]],
    ['half of a surrogate pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('refuses %s, at any split', (_what, given) => {
    const body = Uint8Array.from(given)
    for (const cuts of [[], everyPlace(body)]) {
      const scan = pushSplit(new JsonScan(), body, cuts)
      expect(scan.end()).toBe(false)
      expect(scan.problem).not.toBe('depth')
    }
  })

  test('refuses one level more than it accepts, whatever follows', () => {
    const nested = (depth: number) => bytes(`${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`)
    expect(accepts(nested(maxDepth))).toBe(true)
    const scan = new JsonScan()
    scan.push(nested(maxDepth + 2))
    expect(scan.problem).toBe('depth')
    scan.push(bytes(']]]]'))
    expect(scan.problem).toBe('depth')
  })

  test('retains nothing of a text of 200 MB', { tags: 'long' }, () => {
    const scan = new RequestScan('chat')
    scan.push(bytes('{"messages":['))
    const item = bytes(`{"role":"user","content":"${'x'.repeat(65_000)}"},`)
    const before = heap()
    for (let at = 0; at < 3000; at++) scan.push(item)
    expect(heap() - before).toBeLessThan(1024 * 1024)
    scan.push(bytes('0]}'))
    expect(scan.asked().json).toBe(true)
  })
})

/** The parameters of a request by JSON.parse. */
function parsed(body: Buffer): Partial<RequestParameters> {
  const value: unknown = JSON.parse(body.toString('utf8'))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { json: false }
  const fields = value as Record<string, unknown>
  return {
    json: true,
    model: typeof fields.model === 'string' ? fields.model : null,
    namesModel: (fields.model ?? null) !== null,
    stream: fields.stream === true,
  }
}

describe('the parameters of a request, read as it arrives', () => {
  const scanned = (body: Buffer, cuts: readonly number[]) => pushSplit(new RequestScan('chat'), body, cuts).asked()

  test('are the same at every split, and equal to those of a parser', { tags: 'long' }, () => {
    const part = fc.record(
      {
        type: fc.constantFrom('text', 'image_url', 'file', 'input_audio'),
        text: fc.string({ unit: 'binary', maxLength: 20 }),
        image_url: fc.record({ url: fc.string() }),
        file: fc.string(),
      },
      { requiredKeys: [] },
    )
    const message = fc.record({ role: fc.string(), content: fc.oneof(fc.string(), fc.array(part, { maxLength: 4 })) })
    const request = fc.record(
      {
        model: fc.oneof(fc.string(), fc.constant(null), fc.integer()),
        messages: fc.array(message, { maxLength: 4 }),
        tools: fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 2 }),
        stream: fc.oneof(fc.boolean(), fc.constant('true')),
        max_tokens: fc.oneof(fc.nat(), fc.constant(null)),
        n: fc.integer({ min: 1, max: 9 }),
        stream_options: fc.oneof(
          fc.constant(null),
          fc.record({ include_usage: fc.boolean() }),
          fc.constant({ x: [1] }),
        ),
      },
      { requiredKeys: [] },
    )
    const other = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    const cuts = fc.array(fc.nat(), { maxLength: 6 })
    fc.assert(
      fc.property(other, request, cuts, fc.constantFrom(undefined, 1, '\t'), (rest, named, places, space) => {
        const body = bytes(JSON.stringify({ ...rest, ...named }, null, space))
        const once = readParameters('chat', body)
        expect(once).toMatchObject(parsed(body))
        expect(scanned(body, places)).toEqual(once)
        expect(scanned(body, everyPlace(body))).toEqual(once)
      }),
      { numRuns: 500 },
    )
  })

  test('count the texts of messages by their decoded length', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 5 }), (texts) => {
        // Written in two ways: plain, and with every unit escaped.
        const escaped = texts.map((each) =>
          [...Array(each.length).keys()]
            .map((at) => `\\u${each.charCodeAt(at).toString(16).padStart(4, '0')}`)
            .join(''),
        )
        const plain = texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0)
        const asked = readParameters('chat', bytes(`{"messages":[${escaped.map((each) => `"${each}"`).join()}]}`))
        // Half of a surrogate pair counts as half a character.
        const lone =
          texts.join('').match(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g)?.length ?? 0
        expect(Math.abs(asked.tokensIn - Math.ceil((plain - lone) / 4))).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('a body that two parsers read differently', () => {
  const read = (members: string) => readParameters('chat', bytes(`{${members}}`))

  test.each([
    ['twice', '"max_tokens":9000,"max_tokens":1'],
    ['twice, the large one last', '"max_tokens":1,"max_tokens":9000'],
    ['under both names', '"max_tokens":1,"max_completion_tokens":9000'],
    ['with an escaped name', '"max_t\\u006fkens":9000,"max_tokens":1'],
    ['in another case, as Go reads it', '"MAX_TOKENS":9000,"max_tokens":1'],
    ['with a long s and the sign for kelvin, as Go folds them', '"max_to\u212Aen\u017F":9000,"max_tokens":1'],
    ['in quotes, as Pydantic reads it', '"max_tokens":"9000"'],
    ['as a fraction', '"max_tokens":8999.5'],
    ['with an exponent', '"max_tokens":9e3'],
  ])('that gives the reply’s length %s counts with the largest', (_how, members) => {
    expect(read(members).maxTokens).toBe(9000)
  })

  test.each(['1e400', '123456789012345678901234567890', `9${'0'.repeat(70_000)}`, `1.${'0'.repeat(70_000)}1`])(
    'whose number is beyond all sense counts as the most there can be',
    (number) => {
      expect(read(`"max_tokens":${number}`).maxTokens).toBe(1_000_000_000)
      expect(read(`"n":${number}`).count).toBe(1_000_000)
    },
  )

  test('that asks for several choices in two ways counts with the larger number', () => {
    expect(read('"n":50,"n":1').count).toBe(50)
    expect(read('"N":50,"n":1').count).toBe(50)
  })

  test('with two lists of messages counts both', () => {
    const once = read(`"messages":["${'x'.repeat(400)}"]`).tokensIn
    expect(read(`"messages":["${'x'.repeat(400)}"],"messages":[]`).tokensIn).toBe(once)
    expect(read(`"messages":["${'x'.repeat(400)}"],"messages":["${'x'.repeat(400)}"]`).tokensIn).toBe(2 * once)
  })

  test('has no model when an invalid byte may hide the name of its key', () => {
    const body = Buffer.concat([bytes('{"model":"cheap","mod'), Buffer.from([0xff]), bytes('el":"dear"}')])
    expect(readParameters('chat', body)).toMatchObject({ json: false, model: null })
  })

  test.each([
    '"stream_options":{},"stream_options":{}',
    '"stream_options":{},"stream\\u005foptions":{}',
    '"Stream_Options":{}',
    `"stream_options":{"x":"${'y'.repeat(70_000)}"}`,
  ])('does not get the usage option: %.50s', (members) => {
    expect(askForUsage(bytes(`{${members}}`))).toBeNull()
  })

  test('has no model when there are two, or when its case is ambiguous', () => {
    expect(read('"model":"a","model":"a"').model).toBe('a')
    for (const members of [
      '"model":"a","model":"b"',
      '"model":"a","MODEL":"a"',
      '"Model":"a"',
      '"model":"a","model":1',
    ]) {
      expect(read(members)).toMatchObject({ model: null, namesModel: true })
    }
    expect(read(`"model":"${'m'.repeat(70_000)}"`)).toMatchObject({ model: null, namesModel: true })
  })
})
