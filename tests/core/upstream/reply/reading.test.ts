import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import { expect, test } from 'vitest'
import { openReply, type ReplyOptions } from '../../../../src-main/core/upstream/reply/replyStream.ts'
import { chatStream, chunk, delta, event, relay, usage, usageChunk } from './helpers/streams.ts'

const reported = { promptTokens: 31, completionTokens: 9, totalTokens: 40, cachedTokens: 12 }
const read = (options: ReplyOptions, text: string | Uint8Array, cuts: number[] = []) =>
  relay(options, Buffer.from(text), cuts)
const stream = (...data: string[]): string => data.map((one) => event(one)).join('')
const whole: ReplyOptions = { ...chatStream, stream: false, contentType: 'application/json' }

test('[CHAT-15] [SSE-02] the service’s own usage is the reading, with cached tokens as a part of the prompt', () => {
  const { reading, complete } = read(chatStream, stream(delta({ content: 'x' }), usageChunk, '[DONE]'))
  const from = { model: 'writer-small', finishReason: null }
  expect(reading).toEqual({ usage: reported, measured: true, output: true, ...from })
  expect(complete).toBe(true)
})

test('a usage beside choices counts, and the last figures win', () => {
  const early = chunk({
    choices: [{ index: 0, delta: { content: 'a' } }],
    usage: { prompt_tokens: 31, completion_tokens: 1 },
  })
  expect(read(chatStream, stream(early)).reading.usage?.completionTokens).toBe(1)
  expect(read(chatStream, stream(early, usageChunk)).reading.usage).toEqual(reported)
  expect(read(chatStream, stream(usageChunk, chunk({ choices: [], usage: {} }))).reading.usage).toEqual(reported)
})

test.each([-1, 1.5, 1e300, '-9', '9.5', 'nine', '1e3', '', null, {}, [9]])('a count of %j is ignored', (odd) => {
  const { reading } = read(
    chatStream,
    stream(chunk({ choices: [], usage: { prompt_tokens: odd, completion_tokens: odd } })),
  )
  expect(reading).toEqual({
    usage: { promptTokens: 40, completionTokens: 0, totalTokens: 40, cachedTokens: null },
    measured: false,
    output: false,
    model: 'writer-small',
    finishReason: null,
  })
})

const text = 'The ships lay quiet.\n\nNobody said "hello" — not even the 船長. '.repeat(12)

function inPieces(value: string, of: (piece: string) => string, size = 5): string[] {
  return Array.from({ length: Math.ceil(value.length / size) }, (_, i) => of(value.slice(i * size, (i + 1) * size)))
}

test('[CHAT-18] without a usage, tokens are counted from the text and marked as an estimate', () => {
  const deltas = inPieces(text, (content) => delta({ content }))
  const { reading } = read(chatStream, stream(...deltas))
  const completionTokens = countTokens(text)
  expect(reading).toEqual({
    usage: { promptTokens: 40, completionTokens, totalTokens: 40 + completionTokens, cachedTokens: null },
    measured: false,
    output: true,
    model: 'writer-small',
    finishReason: null,
  })
  expect(read({ ...chatStream, tokensIn: null }, stream(...deltas)).reading.usage).toMatchObject({
    promptTokens: null,
    totalTokens: null,
    completionTokens,
  })
})

test('alternating choices, reasoning, refusals and calls are counted separately', () => {
  const content = inPieces(text, (piece) => delta({ content: piece }))
  const second = inPieces(text, (piece) => delta({ content: piece }, 1))
  const reasoning = inPieces(text, (piece) => delta({ reasoning_content: piece, reasoning: piece }))
  const refusal = inPieces(text, (piece) => delta({ refusal: piece }))
  const call = inPieces(text, (piece) => delta({ tool_calls: [{ index: 1, function: { arguments: piece } }] }))
  const turns = content.flatMap((one, i) =>
    [one, second[i], reasoning[i], refusal[i], call[i]].filter((x) => x !== undefined),
  )
  expect(read(chatStream, stream(...turns)).reading.usage?.completionTokens).toBe(5 * countTokens(text))
})

test('the estimate of a long text is within 3 % of its tokens, although only a sample is copied', () => {
  const prose = 'A harbour in the morning, before the boats have left, is a quiet place. '.repeat(900)
  const japanese = '港の朝は静かです。船はまだ出ていません。'.repeat(1200)
  const code = 'for (const [key, value] of Object.entries(map)) {\n  if (!value) continue\n}\n'.repeat(600)
  const all = prose + japanese + code
  const deltas = inPieces(all, (content) => delta({ content }), 4)
  const estimate = read(chatStream, stream(...deltas), [1000, 5000, 70_000]).reading.usage?.completionTokens ?? 0
  expect(Math.abs(estimate / countTokens(all) - 1)).toBeLessThan(0.03)
  const atOnce = read(chatStream, stream(delta({ content: all }))).reading.usage?.completionTokens ?? 0
  expect(Math.abs(atOnce / countTokens(all) - 1)).toBeLessThan(0.03)
})

test.each<[string, Record<string, unknown>, boolean]>([
  ['a role alone', { role: 'assistant', content: '' }, false],
  ['nothing', {}, false],
  ['null', { content: null, reasoning: null, tool_calls: null }, false],
  ['text', { content: 'x' }, true],
  ['parts', { content: [{ type: 'text', text: 'x' }] }, true],
  ['reasoning', { reasoning: 'x' }, true],
  ['reasoning_content', { reasoning_content: 'x' }, true],
  ['a refusal', { refusal: 'x' }, true],
  ['a tool call', { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] }, true],
  ['sound', { audio: { data: 'AAAA' } }, true],
  ['a picture', { images: [{ image_url: { url: 'data:' } }] }, true],
])('[CHAT-17] the meter knows whether output arrived: %s', (_, d, output) => {
  expect(read(chatStream, stream(delta(d))).reading.output).toBe(output)
  const message = JSON.stringify({ choices: [{ index: 0, message: d }] })
  expect(read(whole, message).reading.output).toBe(output)
})

test('[SSE-03] a stream is complete with [DONE], or when every choice that began has finished', () => {
  const done = (...data: string[]) => read(chatStream, stream(...data)).complete
  expect(done()).toBe(false)
  expect(done(delta({ content: 'x' }))).toBe(false)
  expect(done(delta({ content: '[DONE]' }))).toBe(false)
  expect(done('[DONE]')).toBe(false)
  expect(done(delta({ content: 'x' }), '[DONE]')).toBe(true)
  expect(done(delta({ content: 'x' }, 0, 'stop'))).toBe(true)
  expect(done(delta({ content: 'x' }), delta({ content: 'y' }, 1), delta({}, 0, 'stop'))).toBe(false)
  expect(done(delta({ content: 'x' }), delta({}, 1, 'stop'), delta({}, 0, 'length'))).toBe(true)
  expect(done(usageChunk)).toBe(false)
})

test('[SSE-03] a stream cut after the line of [DONE] is complete; one cut inside it is not', () => {
  for (const [line, complete] of [
    ['data: [DONE]\n', true],
    ['data: [DONE]', true],
    ['data:[DONE]\r', true],
    ['data: [DON', false],
  ] as const) {
    const meter = openReply({ ...chatStream, stripUsage: true })
    meter.push(Buffer.from(event(delta({ content: 'x' })) + line))
    expect(meter.isComplete, line).toBe(complete)
  }
})

test('a reading is available at any moment, also after a cut', () => {
  const meter = openReply(chatStream)
  expect(meter.reading()).toMatchObject({ output: false, usage: { completionTokens: 0 } })
  for (const piece of [' one', ' two', ' three']) meter.push(Buffer.from(event(delta({ content: piece }))))
  meter.push(Buffer.from('data: {"choices":[{"index":0,"delta":{"content":" fo'))
  expect(meter.reading()).toMatchObject({ output: true, measured: false, usage: { completionTokens: 3 } })
})

const reply = {
  model: 'reasoner',
  choices: [
    { index: 0, message: { role: 'assistant', reasoning_content: text, content: text }, finish_reason: 'stop' },
  ],
}

test('the reading of a whole reply is its usage, else an estimate of its texts', () => {
  expect(read(whole, JSON.stringify({ ...reply, usage }))).toMatchObject({
    reading: { usage: reported, measured: true, output: true, model: 'reasoner', finishReason: 'stop' },
  })
  expect(read(whole, `\uFEFF${JSON.stringify(reply, null, 2)}`, [1, 2, 50]).reading).toMatchObject({
    measured: false,
    output: true,
    usage: { completionTokens: 2 * countTokens(text) },
  })
  const half = read(whole, Buffer.from(JSON.stringify(reply)).subarray(0, 400)).reading
  expect(half).toMatchObject({ measured: false, output: true, usage: { completionTokens: 100 } })
  expect(read(whole, '').reading).toMatchObject({ measured: false, output: false, usage: { completionTokens: 0 } })
})

test('a JSON document in reply to a stream request is read as a document', () => {
  const options = { ...chatStream, stripUsage: true, contentType: 'application/json; charset=utf-8' }
  const body = JSON.stringify({ ...reply, usage })
  expect(read(options, body, [10])).toMatchObject({
    out: Buffer.from(body).toString('latin1'),
    reading: { usage: reported },
  })
})

test('beyond 1 MB only top-level usage and model are read, at any split and in any order', () => {
  const decoy = '"usage":{"prompt_tokens":1,"completion_tokens":1}'
  const filler = '\\"usage\\":{},\\\\'.repeat(100_000)
  const bodies = [
    `{"model":"m\\u0031","x":{${decoy}},"choices":[{"message":{"content":"${filler}"}}],"\\u0075sage" : ${JSON.stringify(usage, null, 1)} }`,
    `{"usage":${JSON.stringify(usage)},"choices":["${filler}",{${decoy}}],"model":"m1"}`,
  ]
  for (const body of bodies) {
    const last = body.length - 200
    for (const cuts of [
      [],
      [last, last + 30, last + 60],
      Array.from({ length: 400 }, (_, i) => last - 200 + i),
      [1, 9, 12, 14, 40],
    ]) {
      expect(read(whole, body, cuts)).toMatchObject({
        reading: { usage: reported, measured: true, output: true, model: 'm1' },
      })
    }
  }
  const without = read(whole, `{"choices":["${filler}"]}`).reading
  expect(without).toMatchObject({ measured: false, output: true })
  expect(without.usage?.completionTokens).toBeGreaterThan(300_000)
  expect(read(whole, `[${bodies[0]}]`).reading.measured).toBe(false)
})

test.each(['speech', 'transcription', 'images'] as const)(
  '%s: any byte of a good reply is output, and there is no usage',
  (endpoint) => {
    const options: ReplyOptions = { ...chatStream, endpoint, stream: false, contentType: 'audio/mpeg' }
    expect(read(options, '').reading).toEqual({ usage: null, measured: false, output: false })
    expect(read(options, 'x').reading).toEqual({ usage: null, measured: false, output: true })
    expect(read({ ...options, status: 502 }, 'x').reading.output).toBe(false)
  },
)

test('read-outs and errors have no output and no usage', () => {
  const body = JSON.stringify({ usage: [{ date: '2026-01-01', prompt_tokens: 1, completion_tokens: 1 }] })
  for (const endpoint of ['models', 'account', 'files'] as const) {
    expect(read({ ...whole, endpoint }, body).reading).toEqual({ usage: null, measured: false, output: false })
  }
  expect(read({ ...whole, status: 429 }, JSON.stringify({ usage })).reading.usage).toBeNull()
  expect(read({ ...chatStream, status: 500 }, stream(usageChunk)).reading.usage).toBeNull()
})

test('a stream without a content type, or with a wrong one, is read and stripped', () => {
  for (const contentType of [null, 'text/plain']) {
    const relayed = read(
      { ...chatStream, contentType, stripUsage: true },
      stream(delta({ content: 'x' }), usageChunk, '[DONE]'),
    )
    expect(relayed).toMatchObject({
      out: stream(delta({ content: 'x' }), '[DONE]'),
      reading: { measured: true },
      complete: true,
    })
  }
})
