import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openReply } from '../../../../src-main/core/upstream/reply/replyStream.ts'
import { type Sandbox, startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { askForUsage, readParameters } from '../helpers/wholeBody.ts'
import { chatStream, relay } from './helpers/streams.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

const tools = ['look_up', 'write_file'].map((name) => ({
  type: 'function',
  function: {
    name,
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, lines: { type: 'array', items: { type: 'string' }, minItems: 3 } },
      required: ['path', 'lines'],
    },
  },
}))

interface Answer {
  bytes: Buffer
  contentType: string | null
}

async function ask(body: Record<string, unknown>, asks: (body: Buffer) => Uint8Array, fault?: string): Promise<Answer> {
  const response = await fetch(`${sandbox.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sandbox.apiKey}`,
      'content-type': 'application/json',
      'x-sandbox-tokens-per-second': '0',
      'accept-encoding': 'identity',
      ...(fault === undefined ? {} : { 'x-sandbox-fault': fault }),
    },
    body: new Uint8Array(asks(Buffer.from(JSON.stringify(body)))),
  })
  expect(response.status).toBe(200)
  return { bytes: Buffer.from(await response.arrayBuffer()), contentType: response.headers.get('content-type') }
}

const asItIs = (body: Buffer): Uint8Array => body
const withUsage = (body: Buffer): Uint8Array => askForUsage(body, readParameters('chat', body)) ?? body

async function tokensCharged(): Promise<{ in: number; out: number }> {
  const response = await fetch(`${sandbox.baseUrl}/v1/keys/current/usage`, {
    headers: { authorization: `Bearer ${sandbox.apiKey}` },
  })
  const totals = (await response.json()) as { total_tokens_in: number; total_tokens_out: number }
  return { in: totals.total_tokens_in, out: totals.total_tokens_out }
}

const models: [string, Record<string, unknown>][] = [
  ['mirror', {}],
  ['writer-small', {}],
  ['writer-large', { n: 2, sandbox: { tokens: 300 } }],
  ['writer-small', { response_format: { type: 'json_object' } }],
  ['reasoner', {}],
  ['reasoner-alt', { max_tokens: 40 }],
  ['tool-caller', { tools }],
  ['vision', {}],
]

test.each(models)(
  '[SSE-02] [CHAT-15] %s: the usage that the relay asked for equals the charge, and its event is cut out',
  async (model, more) => {
    const body = { model, stream: true, messages: [{ role: 'user', content: 'look_up and write_file: 港 é' }], ...more }
    const before = await tokensCharged()
    const { bytes } = await ask(body, withUsage)
    const charged = await tokensCharged()
    const cuts = Array.from({ length: 50 }, (_, i) => i * 197)
    const stripped = relay({ ...chatStream, stripUsage: true }, bytes, cuts)
    expect(stripped.reading).toMatchObject({
      measured: true,
      output: true,
      usage: { promptTokens: charged.in - before.in, completionTokens: charged.out - before.out },
    })
    expect(stripped.complete).toBe(true)
    expect(stripped.reading.model).toBe(model)
    // A client that did not ask for the usage gets the same stream, except for ids (and `mirror`, which echoes its request).
    const sansIds = (text: string): string => text.replace(/chatcmpl-[0-9a-f]+|"created":\d+/g, '')
    const unasked = (await ask(body, asItIs)).bytes.toString('latin1')
    if (model !== 'mirror') expect(sansIds(stripped.out)).toBe(sansIds(unasked))
    // Without a usage event, the count equals that of the service. The sandbox does not charge names of tools.
    const counted = relay(chatStream, Buffer.from(stripped.out, 'latin1'), cuts).reading
    const names = model === 'tool-caller' ? countTokens('look_up') + countTokens('write_file') : 0
    expect(counted.measured).toBe(false)
    expect(counted.usage?.completionTokens).toBe(charged.out - before.out + names)
  },
)

test.each(models)('[CHAT-15] %s: a whole reply’s usage is what the service charged', async (model, more) => {
  const body = { model, messages: [{ role: 'user', content: 'look_up and write_file: 港 é' }], ...more }
  const before = await tokensCharged()
  const { bytes, contentType } = await ask(body, asItIs)
  const charged = await tokensCharged()
  const { reading } = relay({ ...chatStream, stream: false, contentType }, bytes, [10, 200])
  expect(reading).toMatchObject({
    measured: true,
    output: true,
    usage: { promptTokens: charged.in - before.in, completionTokens: charged.out - before.out },
  })
  expect(reading.model).toBe(model)
})

test.each([
  'crlf',
  'cr',
  'comments',
  'multi-line',
  'split-utf8',
  'extra-fields',
  'byte-by-byte; size=7',
  'crlf, comments, multi-line',
  'huge-line; bytes=200000',
  'huge-line; bytes=3000000',
  'malformed',
  'content-type; type=text/plain',
])('[SSE-06] under the fault %s the reading is the same, and exactly one event is cut out', async (fault) => {
  const body = {
    model: 'writer-small',
    stream: true,
    messages: [{ role: 'user', content: 'Hi' }],
    sandbox: { tokens: 40 },
  }
  const { bytes, contentType } = await ask(body, withUsage, fault)
  for (const cuts of [[], Array.from({ length: 300 }, (_, i) => i * 53)]) {
    const plain = relay({ ...chatStream, contentType }, bytes, cuts)
    const stripped = relay({ ...chatStream, contentType, stripUsage: true }, bytes, cuts)
    expect(plain.out).toBe(bytes.toString('latin1'))
    expect(plain.reading).toMatchObject({ measured: true, output: true })
    expect(stripped.reading).toEqual(plain.reading)
    const missing = bytes.length - stripped.out.length
    expect(missing).toBeGreaterThan(100)
    expect(missing).toBeLessThan(700)
    expect(stripped.out).not.toContain('prompt_tokens')
    expect(stripped.out).toContain('[DONE]')
  }
})

test.each(['no-done', 'no-done-no-finish', 'error-frame', 'cut; bytes=1500'])(
  '[SSE-03] [SSE-04] the meter knows whether a stream under the fault %s was complete',
  async (fault) => {
    const body = { model: 'writer-small', stream: true, messages: [{ role: 'user', content: 'Hi' }] }
    const meter = openReply(chatStream)
    const response = await fetch(`${sandbox.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sandbox.apiKey}`,
        'content-type': 'application/json',
        'x-sandbox-fault': fault,
        'x-sandbox-tokens-per-second': '0',
      },
      body: JSON.stringify(body),
    })
    try {
      for await (const bytes of response.body ?? []) meter.push(bytes)
      meter.end()
    } catch {
      // After a cut, the result is read in the current state.
    }
    expect(meter.isComplete).toBe(fault === 'no-done')
    expect(meter.reading()).toMatchObject({ measured: false, output: true })
  },
)
