import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openReply } from '../../../../src-main/core/upstream/reply/replyStream.ts'
import { chatStream, chunk, delta, event, piecesOf, relay, usage, usageChunk } from './helpers/streams.ts'

const words = ['Hel', 'lo', ' wörld', ' 日本', ' 𝄞', '\n', ' "q"', ' \\', '.']
const said = [delta({ role: 'assistant', content: '' }), ...words.map((content) => delta({ content }))]
const finish = delta({}, 0, 'stop')
const done = '[DONE]'

interface Fixture {
  text: string
  /** Bytes of the usage events that a client who did not ask for them must not see. */
  cut: string[]
}

function lines(end: string): Fixture {
  return {
    text: [...said, finish, usageChunk, done].map((data) => event(data, end)).join(''),
    cut: [event(usageChunk, end)],
  }
}

const spread = `data: {"id":"x",\ndata: "choices":[],\ndata:"usage":${JSON.stringify(usage)}\ndata: }\n\n`
const noisy = `event: message\nid: 7\nunknown\ndata: ${usageChunk}\n: inside\n\n`

const fixtures: Record<string, Fixture> = {
  LF: lines('\n'),
  'CR LF': lines('\r\n'),
  CR: lines('\r'),
  'mixed line ends': {
    text: `data: ${said[1]}\r\n\ndata: ${said[2]}\n\r\ndata: ${said[2]}\r\rdata: ${usageChunk}\n\rdata: ${said[3]}\r\r\ndata: [DONE]\r\n\r\n`,
    cut: [`data: ${usageChunk}\n\r`],
  },
  'a byte order mark': {
    text: `\uFEFF${event(said[1] ?? '')}${event(usageChunk)}${event(done)}`,
    cut: [event(usageChunk)],
  },
  'the usage event first, after a byte order mark': {
    text: `\uFEFF${event(usageChunk)}${event(said[1] ?? '')}${event(done)}`,
    cut: [`\uFEFF${event(usageChunk)}`],
  },
  'comments and keep-alives': {
    text: `: hi é\n\n:\n: two\ndata:${said[1]}\n\n: before usage\ndata: ${usageChunk}\n\n: after\n\n\n\ndata: [DONE]\n\n`,
    cut: [`data: ${usageChunk}\n\n`],
  },
  'several data lines': {
    text: `data: {"choices":[{"index":0,"delta":\ndata: {"content":"ab c"},\ndata: "finish_reason":null}]}\n\n${spread}${event(done)}`,
    cut: [spread],
  },
  'an empty data line first': {
    text: `${event(said[1] ?? '')}data:\ndata: ${usageChunk}\n\n${event(done)}`,
    cut: [`data:\ndata: ${usageChunk}\n\n`],
  },
  'other fields': { text: `${event(said[2] ?? '')}${noisy}retry: 10\n\n${event(done)}`, cut: [noisy] },
  'usage null on every chunk': {
    text: `${words.map((content) => event(chunk({ choices: [{ index: 0, delta: { content } }], usage: null }))).join('')}${event(usageChunk)}${event(done)}`,
    cut: [event(usageChunk)],
  },
  'usage beside choices': {
    text: `${words.map((content) => event(chunk({ choices: [{ index: 0, delta: { content } }], usage }))).join('')}${event(done)}`,
    cut: [],
  },
  'two usage events, one of them early': {
    text: `${event(usageChunk)}${event(said[1] ?? '')}${event(usageChunk)}${event(done)}`,
    cut: [event(usageChunk), event(usageChunk)],
  },
  'no usage': { text: [...said, finish, done].map((data) => event(data)).join(''), cut: [] },
  'an empty list of choices without usage': {
    text: `${event(chunk({ choices: [], prompt_filter_results: [] }))}${event(said[1] ?? '')}${event(done)}`,
    cut: [],
  },
  'bytes after the end': { text: `${event(said[1] ?? '')}${event(done)}\r\ntrailing: é \u0000 bytes`, cut: [] },
  'an end without its blank line': { text: `${event(said[1] ?? '')}data: [DONE]`, cut: [] },
  'a usage event without its blank line at the end': {
    text: `${event(said[1] ?? '')}data: ${usageChunk}`,
    cut: [`data: ${usageChunk}`],
  },
  'broken off inside an event': { text: `${event(said[1] ?? '')}data: {"choices":[{"index"`, cut: [] },
  'not JSON': {
    text: `${event('{"choices":[{')}${event('hello')}${event(said[1] ?? '')}${event(usageChunk)}`,
    cut: [event(usageChunk)],
  },
  'an error': { text: `${event(said[1] ?? '')}${event('{"error":{"message":"no"}}')}`, cut: [] },
  'escaped differently': {
    text: ['a\\u00e9', '\\/', '\\ud83d', '\\ude00', 'x']
      .map((t) => event(`{"choices":[{"delta":{"content":"${t}"}}]}`))
      .join(''),
    cut: [],
  },
}

function without(text: string, cut: readonly string[]): string {
  let left = text
  for (const part of cut) {
    const at = left.indexOf(part)
    expect(at).not.toBe(-1)
    left = left.slice(0, at) + left.slice(at + part.length)
  }
  return left
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

for (const [name, { text, cut }] of Object.entries(fixtures)) {
  const bytes = Buffer.from(text)

  test(`[SSE-02] [SSE-06] ${name}: at every split the same bytes pass, without the usage events that the client did not ask for`, () => {
    const kept = latin1(without(text, cut))
    const whole = relay(chatStream, bytes)
    for (const stripUsage of [false, true]) {
      const options = { ...chatStream, stripUsage }
      const expected = { ...whole, out: stripUsage ? kept : latin1(text) }
      expect(relay(options, bytes)).toEqual(expected)
      for (let at = 1; at < bytes.length; at++) expect(relay(options, bytes, [at]), `split at ${at}`).toEqual(expected)
      expect(relay(options, bytes, [...bytes.keys()])).toEqual(expected)
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
          expect(relay(options, bytes, cuts)).toEqual(expected)
        }),
        { numRuns: 30 },
      )
    }
  })
}

test('without stripping, every chunk passes at once as the same object', () => {
  const bytes = Buffer.from(fixtures['CR LF']?.text ?? '')
  for (const cuts of [[], [50, 51, 700], [...bytes.keys()]]) {
    const meter = openReply(chatStream)
    for (const piece of piecesOf(bytes, cuts)) expect(meter.push(piece)?.bytes).toBe(piece)
    expect(meter.end()?.bytes.length ?? 0).toBe(0)
  }
})

test('while stripping, whole events and comments pass at once as the same object', () => {
  const meter = openReply({ ...chatStream, stripUsage: true })
  for (const text of [
    ...said.map((data) => event(data)),
    ': keep-alive\n',
    ': keep-alive\n\n',
    'data: [DONE]\n',
    '\n',
  ]) {
    const piece = Buffer.from(text)
    expect(meter.push(piece)?.bytes).toBe(piece)
  }
  expect(meter.push(Buffer.from(event(usageChunk)))?.bytes.length ?? 0).toBe(0)
  expect(meter.end()?.bytes.length ?? 0).toBe(0)
})

test('an event over 64 KB is no longer held back while stripping, and passes whole', () => {
  const meter = openReply({ ...chatStream, stripUsage: true })
  const start = Buffer.from(`data: {"choices":[],"usage":${JSON.stringify(usage)},"x":"`)
  const filler = Buffer.alloc(30_000, 120)
  expect(meter.push(start)).toBeNull()
  expect(meter.push(filler)).toBeNull()
  expect(meter.push(filler)).toBeNull()
  expect(meter.push(filler)?.bytes.length).toBe(start.length + 3 * filler.length)
  const end = Buffer.from('"}\n\n')
  expect(meter.push(end)?.bytes).toBe(end)
  expect(meter.reading()).toMatchObject({ measured: true, usage: { completionTokens: 9 } })
})
