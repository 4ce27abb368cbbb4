import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openForm } from '../../../../src-main/core/upstream/request/parameters.ts'
import { askForUsage, readParameters } from '../helpers/wholeBody.ts'

import { heap } from '../reply/helpers/heap.ts'

const bytes = (text: string): Buffer => Buffer.from(text)
const asked = (body: unknown) => readParameters('chat', bytes(JSON.stringify(body)))
const hi = [{ role: 'user', content: 'hi' }]

test('the parameters of a chat request are read from its whole body', () => {
  expect(asked({ model: 'm', messages: hi, stream: true, max_tokens: 5, n: 3 })).toEqual({
    model: 'm',
    modelAt: { from: 9, to: 12 },
    namesModel: true,
    selectors: [],
    stream: true,
    usage: 'absent',
    usageEdit: { from: 1, to: 1, text: '"stream_options":{"include_usage":true},' },
    adaptations: [],
    tokensIn: 5,
    maxTokens: 5,
    count: 3,
    json: true,
  })
  expect(asked({ stream_options: { include_usage: true } })).toMatchObject({ usage: 'asked', usageEdit: null })
  expect(asked({ stream_options: { include_usage: false } })).toMatchObject({ usage: 'declined' })
  expect(asked({ stream_options: { include_usage: null } })).toMatchObject({ usage: 'absent' })
  expect(asked({ stream_options: null })).toMatchObject({ usage: 'absent' })
  expect(asked({ max_completion_tokens: 9, max_tokens: 4 }).maxTokens).toBe(9)
})

test.each(['', ' ', '[]', '"x"', '1', 'null', '{', '{"model":', '\uFEFF', '[{"model":"m"}]', '\u0000'])(
  'a body that is not a JSON object has no parameters: %j',
  (body) => {
    expect(readParameters('chat', bytes(body))).toMatchObject({ json: false, model: null, tokensIn: 0, count: 1 })
  },
)

test('invalid values are null or false, and no body throws', () => {
  const odd = { model: 7, stream: 'true', max_tokens: 'five', n: 'two', messages: { a: 1 }, stream_options: [] }
  expect(asked(odd)).toMatchObject({
    model: null,
    stream: false,
    maxTokens: null,
    count: 1,
    usage: 'absent',
    json: true,
  })
  expect(asked({ max_tokens: -1, n: -2 })).toMatchObject({ maxTokens: null, count: 1 })
  expect(readParameters('chat', bytes('{"__proto__":{"model":"m","stream":true},"constructor":1}'))).toMatchObject({
    model: null,
    stream: false,
  })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), fc.json().map(bytes), fc.string().map(bytes)), (body) => {
      readParameters('chat', body)
      askForUsage(body)
      readParameters('speech', body)
    }),
  )
})

test('a byte order mark and bytes of a view into a larger buffer are read', () => {
  expect(readParameters('chat', bytes('\uFEFF {"model":"m"}')).model).toBe('m')
  const inside = new Uint8Array(bytes('xx{"model":"é"}yy')).subarray(2, -2)
  expect(readParameters('chat', inside).model).toBe('é')
})

test('two different models in one body give null, however the second is written', () => {
  const cheap = '"model":"cheap"'
  const both = (second: string) => readParameters('chat', bytes(`{${cheap},"messages":[],${second}}`)).model
  expect(both('"model":"dear"')).toBeNull()
  expect(both('"mod\\u0065l":"dear"')).toBeNull()
  expect(both('"\\u006d\\u006f\\u0064\\u0065\\u006c":"dear"')).toBeNull()
  expect(both('"Model":"dear"')).toBeNull()
  expect(readParameters('speech', bytes('{"Model":"dear"}'))).toMatchObject({ model: null, namesModel: true })
  expect(readParameters('speech', bytes('{"model":["dear"]}'))).toMatchObject({ model: null, namesModel: true })
  const withNull = '{"model":"dear","model":null}'
  expect(readParameters('speech', bytes(withNull))).toMatchObject({ model: null, namesModel: true })
  expect(readParameters('speech', bytes('{"model":null}'))).toMatchObject({ model: null, namesModel: false })
  expect(both('"model" : "cheap"')).toBe('cheap')
  expect(both('"tools":[{"model":"other"}]')).toBe('cheap')
  expect(both('"x":"\\"model\\":\\"dear\\" \\u006d"')).toBe('cheap')
})

test('the prompt is estimated from its texts, with a flat rate for images and audio', () => {
  const text = 'word '.repeat(400)
  const plain = asked({ messages: [{ role: 'user', content: text }] }).tokensIn
  expect(plain).toBeGreaterThan(490)
  expect(plain).toBeLessThan(520)
  expect(asked({ messages: [{ role: 'user', content: '語'.repeat(400) }] }).tokensIn).toBeGreaterThan(290)
  const url = `data:image/png;base64,${'A'.repeat(3_000_000)}`
  for (const part of [
    { type: 'image_url', image_url: { url } },
    { type: 'input_audio', input_audio: { data: url } },
    { type: 'file', file: { file_data: url } },
    { image_url: { url } },
  ]) {
    const tokens = asked({ messages: [{ role: 'user', content: [{ type: 'text', text }, part] }] }).tokensIn
    expect(tokens - plain).toBeGreaterThan(900)
    expect(tokens - plain).toBeLessThan(1100)
  }
  const tool = {
    type: 'function',
    function: { name: 'f', parameters: { properties: { file: { description: text } } } },
  }
  expect(asked({ messages: hi, tools: [tool] }).tokensIn).toBeGreaterThan(500)
  expect(readParameters('speech', bytes(JSON.stringify({ input: text }))).tokensIn).toBe(500)
  expect(readParameters('images', bytes(JSON.stringify({ prompt: text }))).tokensIn).toBe(500)
})

test('a body with a million levels is rejected at the maximum depth', () => {
  const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000)
  expect(readParameters('chat', bytes(`{"model":"m","messages":${deep}}`))).toMatchObject({ json: false, model: null })
  expect(askForUsage(bytes(`{"stream_options":{"x":${deep}}}`))).toBeNull()
  expect(askForUsage(bytes(`{"a":${deep}`))).toBeNull()
})

const put = (text: string): string | null => askForUsage(bytes(text))?.toString() ?? null
const wish = '"stream_options":{"include_usage":true}'

test('the usage option is inserted, and every other byte is unchanged', () => {
  expect(put('{}')).toBe(`{${wish}}`)
  expect(put(' { } \n')).toBe(` {${wish} } \n`)
  expect(put('\uFEFF{ "a":1}')).toBe(`\uFEFF{${wish}, "a":1}`)
  expect(put('{"a":1.00, "a":2e400,\r\n"b":"\\u00e9\\/"}')).toBe(`{${wish},"a":1.00, "a":2e400,\r\n"b":"\\u00e9\\/"}`)
  expect(put('{"stream_options":{}}')).toBe('{"stream_options":{"include_usage":true}}')
  expect(put('{"a":{"stream_options":7},"stream_options" : { "x":1}}')).toBe(
    '{"a":{"stream_options":7},"stream_options" : {"include_usage":true, "x":1}}',
  )
  expect(put('{"a":"\\"stream_options\\":{}"}')).toBe(`{${wish},"a":"\\"stream_options\\":{}"}`)
  expect(put('{"stream\\u005foptions":{"x":1}}')).toBe('{"stream\\u005foptions":{"include_usage":true,"x":1}}')
})

test('a null usage option is replaced', () => {
  expect(put('{"stream_options": null,"a":1}')).toBe('{"stream_options": {"include_usage":true},"a":1}')
  expect(put('{"stream_options":{"include_usage":null}}')).toBe('{"stream_options":{"include_usage":true}}')
})

test.each(['', 'null', '[]', '{', '{a:1}', '{"stream_options":{"a":1}', '{"stream_options":{}}{'])(
  'a body that is not one JSON object is unchanged: %j',
  (text) => {
    expect(put(text)).toBeNull()
  },
)

test.each(['true', 'false', '0'])('a usage option that is present is unchanged: %s', (value) => {
  expect(put(`{"stream_options":{"include_usage":${value}}}`)).toBeNull()
  expect(put(`{"stream_options":{"include_us\\u0061ge":${value}}}`)).toBeNull()
})

test.each([
  '{"stream_options":"x"}',
  '{"stream_options":[]}',
  '{"stream_options":{},"stream_options":{}}',
  '{"stream_options":{"include_usage":null,"include_usage":null}}',
])('nothing changes where the usage option can’t be inserted safely: %s', (text) => {
  expect(put(text)).toBeNull()
})

const spaced = fc.constantFrom(undefined, 1, '\t')
const options = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 })
  .map(({ include_usage: _, ...rest }) => rest)

test('for any JSON object the parsed body differs only in the usage option, and the other bytes are the original', () => {
  const body = fc.record(
    { model: fc.string(), text: fc.string({ unit: 'binary' }), stream_options: options },
    { requiredKeys: [] },
  )
  const extra = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 })
  fc.assert(
    fc.property(extra, body, spaced, fc.boolean(), (rest, named, space, mark) => {
      const { stream_options: _, ...other } = rest
      const value: Record<string, unknown> = { ...other, ...named }
      const text = (mark ? '\uFEFF' : '') + JSON.stringify(value, null, space)
      const known = readParameters('chat', bytes(text))
      const result = put(text)
      expect(askForUsage(bytes(text), known)?.toString()).toBe(result)
      const expected = { ...value, stream_options: { ...named.stream_options, include_usage: true } }
      expect(JSON.parse((result ?? '').replace(/^\uFEFF/, ''))).toEqual(JSON.parse(JSON.stringify(expected)))
      const inserted = named.stream_options === undefined ? wish : '"include_usage":true'
      const originals = [`${inserted},`, inserted].map((part) => result?.replace(part, ''))
      expect(originals).toContain(text)
    }),
    { numRuns: 150 },
  )
})

// Multipart

const boundary = '----b0undary'
const formType = `multipart/form-data; boundary=${boundary}`
const field = (name: string, value: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const fileField = (name: string, value: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n${value}\r\n`
const close = `--${boundary}--\r\n`

/** The models of a form that is pushed in pieces of `step` bytes; null when it is unclear. */
function modelsOf(body: Uint8Array, step: number, type = formType): string[] | null {
  const form = openForm(type)
  for (let at = 0; at < body.length; at += step) form?.push(body.subarray(at, at + step))
  return form === null || form.unclear ? null : [...form.models]
}

test('[STT-01] the model of a multipart upload is read before or after its file, at every split', () => {
  const before = bytes(field('model', 'whisper-1') + fileField('file', 'x'.repeat(300)) + close)
  const after = bytes(
    fileField('file', 'x'.repeat(300)) + field('language', 'de') + field('model', 'whisper-1') + close,
  )
  for (const body of [before, after]) {
    for (const step of [1, 2, 3, 7, 50, body.length]) expect(modelsOf(body, step)).toEqual(['whisper-1'])
    for (let at = 1; at < body.length; at++) {
      const form = openForm(formType)
      form?.push(body.subarray(0, at))
      const early = [...(form?.models ?? [])]
      form?.push(body.subarray(at))
      expect([...(form?.models ?? [])], `split at ${at}`).toEqual(['whisper-1'])
      expect(form?.ended).toBe(true)
      // A model counts as soon as the delimiter behind it has arrived.
      const end = body.indexOf('whisper-1') + 'whisper-1'.length + `\r\n--${boundary}`.length
      expect(early, `split at ${at}`).toEqual(at >= end ? ['whisper-1'] : [])
    }
  }
})

test('every model that an upload names is reported once', () => {
  expect(modelsOf(bytes(field('model', 'a') + field('model', 'b') + field('model', 'a') + close), 10)).toEqual([
    'a',
    'b',
  ])
  expect(modelsOf(bytes(field('x', 'model') + close), 10)).toEqual([])
  expect(modelsOf(bytes(field('model', '') + close), 3)).toEqual([''])
})

test.each<[what: string, body: string]>([
  ['a model that is a file', fileField('model', 'a') + close],
  ['a model with an empty file name', field('model"; filename="', 'a') + close],
  ['an endless model', field('model', 'a'.repeat(100_000)) + close],
  ['20 models', Array.from({ length: 20 }, (_, at) => field('model', `model-${at}`)).join('') + close],
  ['Model', field('Model', 'a') + close],
  ['model[]', field('model[]', 'a') + close],
  ['an encoded name', field('mo%64el', 'a') + close],
  ['an escaped name', field('mo\\del', 'a') + close],
  ['a name with an escaped quote', field('x\\"; name=\\"model', 'a') + close],
  ['a name twice', field('x"; name="model', 'a') + close],
  ['a name by RFC 5987', field('x"; name*="utf-8\'\'model', 'a') + close],
  ['another disposition', (field('model', 'a') + close).replace('form-data', 'attachment')],
  [
    'two dispositions',
    (field('x', 'a') + close).replace('Content', 'Content-Disposition: form-data; name="model"\r\nContent'),
  ],
  ['a folded header', (field('model', 'a') + close).replace('; name', ';\r\n name')],
  [
    'quoted-printable',
    (field('model', '=61') + close).replace('Content', 'Content-Transfer-Encoding: quoted-printable\r\nContent'),
  ],
  [
    'a multipart in a part',
    (field('x', 'a') + close).replace('Content', 'Content-Type: multipart/mixed; boundary=c\r\nContent'),
  ],
  ['no disposition', `--${boundary}\r\n\r\na\r\n${close}`],
  ['lines that end with LF', (field('model', 'a') + close).replaceAll('\r\n', '\n')],
  [
    'a delimiter after LF alone',
    field('x', `a\n--${boundary}\nContent-Disposition: form-data; name="model"\n\nb`) + close,
  ],
  ['the boundary in the middle of a line', field('x', `a--${boundary}`) + close],
  ['a longer boundary', field('x', `a\r\n--${boundary}b`) + close],
  ['spaces behind a delimiter', (field('model', 'a') + close).replace(`${boundary}\r\n`, `${boundary} \r\n`)],
  [
    'a content without its line end',
    `--${boundary}\r\nContent-Disposition: form-data; name="x"\r\n\r\n${field('model', 'a')}${close}`,
  ],
  ['a preamble', `hello\r\n${field('model', 'a')}${close}`],
  ['a part behind the end', field('x', 'a') + close + field('model', 'late') + close],
  ['no form', 'no form at all'],
  ['a head without an end', `--${boundary}\r\n${'X-Header: y\r\n'.repeat(10_000)}`],
])('%s is unclear, at every split', (_what, body) => {
  for (const step of [1, 3, 50, body.length]) expect(modelsOf(bytes(body), step)).toBeNull()
})

test.each([
  '',
  'application/json',
  'multipart/form-data',
  'multipart/form-data; x=1',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=a; boundary=b',
  'multipart/form-data; boundary="a b"',
  'multipart/form-data; boundary=a,b',
  'multipart/form-data; boundary*=a',
  'multipart/form-data; boundary=a; charset=utf-16',
  'multipart/mixed; boundary=a',
  `multipart/form-data; boundary=${'a'.repeat(71)}`,
])('the content type %j has no reader', (type) => {
  expect(openForm(type)).toBeNull()
})

test('the content types of usual clients have a reader', () => {
  for (const type of [
    'multipart/form-data; boundary=----formdata-undici-012345678901',
    'multipart/form-data; boundary="00000000-aaaa-bbbb-cccc-000000000000"',
    'Multipart/Form-Data;boundary=b0;charset=UTF-8',
    'multipart/form-data; charset=utf-8; boundary=b0',
  ]) {
    expect(openForm(type)).not.toBeNull()
  }
})

/** The values of `model` by the parsers of two packages, in order; null when one refuses the form. */
async function othersRead(body: Buffer, type: string): Promise<(string[] | null)[]> {
  const busboy = new Promise<string[] | null>((resolve) => {
    const found: string[] = []
    try {
      const parser = new Busboy({ headers: { 'content-type': type } })
      parser.on('field', (name: string, value: string) => name === 'model' && found.push(value))
      parser.on('file', (name: string, stream: Readable) => {
        if (name === 'model') found.push('(a file)')
        stream.resume()
      })
      parser.on('error', () => resolve(null))
      parser.on('finish', () => resolve(found))
      parser.end(body)
    } catch {
      resolve(null)
    }
  })
  const ofFetch = new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData().then(
    (form) => form.getAll('model').map((value) => (typeof value === 'string' ? value : '(a file)')),
    () => null,
  )
  return Promise.all([busboy, ofFetch])
}

test('other parsers read the same models from a clear and whole form', async () => {
  const piece = fc.constantFrom(
    ...[
      field('model', 'a'),
      field('model', 'b'),
      field('x', 'model'),
      fileField('file', 'RIFF'),
      fileField('model', 'c'),
      close,
    ],
    ...[`--${boundary}`, '--', '\r\n', '\n', '\r', ' ', '"', ';', '\\', 'a', 'model', '\0', `\r\n--${boundary}--`],
    ...[
      'Content-Disposition: form-data; name="model"',
      '; name=model',
      '; filename="x"',
      "; filename*=utf-8''x",
      '\r\n\r\n',
    ],
    ...['Content-Type: text/plain; charset=utf-8\r\n', 'X: 1\r\n', `${boundary}`, 'form-data', 'name='],
  )
  /** A form with a piece of another inserted, or with some of its bytes removed. */
  const bent = fc
    .tuple(
      fc.array(fc.constantFrom(field('model', 'a'), field('y', 'z'), fileField('file', 'RIFF')), { maxLength: 3 }),
      piece,
      fc.nat(),
      fc.nat(3),
    )
    .map(([parts, put, place, cut]) => {
      const text = parts.join('') + close
      const at = place % (text.length + 1)
      return text.slice(0, at) + put + text.slice(at + cut)
    })
  const built = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join('') + close)
  let compared = 0
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 3, arbitrary: bent }, built),
      fc.integer({ min: 1, max: 40 }),
      async (text, step) => {
        const form = openForm(formType)
        const body = bytes(text)
        for (let at = 0; at < body.length; at += step) form?.push(body.subarray(at, at + step))
        if (form === null || form.unclear || !form.ended) return
        for (const read of await othersRead(body, formType)) {
          if (read === null) continue
          compared += 1
          expect([...new Set(read)], text).toEqual([...form.models])
        }
      },
    ),
    { numRuns: 3000 },
  )
  expect(compared).toBeGreaterThan(200)
})

test('any bytes in any pieces never throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.integer({ min: 1, max: 50 }), (body, step) => {
      modelsOf(Buffer.concat([bytes(`--${boundary}\r\n`), body]), step)
      modelsOf(Buffer.concat([bytes(fileField('file', '')), body]), step)
    }),
    { numRuns: 200 },
  )
})

test('an upload of 200 MB passes in bounded memory', { tags: 'long' }, () => {
  const form = openForm(formType)
  const chunk = Buffer.alloc(65_536, 0x2d)
  form?.push(bytes(fileField('file', '').slice(0, -2)))
  const before = heap()
  let most = 0
  for (let i = 0; i < 3200; i++) {
    form?.push(chunk)
    if (i % 400 === 399) most = Math.max(most, heap() - before)
  }
  form?.push(bytes(`\r\n${field('model', 'whisper-large-v3')}${close}`))
  expect([...(form?.models ?? [])]).toEqual(['whisper-large-v3'])
  expect(most).toBeLessThan(8 * 1024 * 1024)
})
