import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Upstream } from '../../../src-main/core/upstream/client.ts'
import { type Sandbox, startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { accumulate, emptyAccumulation } from '../../helpers/accumulate.ts'
import { openClient } from '../../helpers/openClient.ts'
import { collect } from './helpers/service.ts'

let sandbox: Sandbox
let upstream: Upstream
let model: string
const opened: Upstream[] = []

function open(key: string): Upstream {
  const one = openClient(sandbox.baseUrl, key, {
    network: { idleTimeoutMs: 500, headersTimeoutMs: 10_000 },
    retry: { baseDelayMs: 1, maxDelayMs: 5, budgetMs: 1_500 },
  })
  opened.push(one)
  return one
}

beforeAll(async () => {
  sandbox = await startSandbox()
  upstream = open(sandbox.apiKey)
  const { value } = await upstream.listModels()
  model = value.data.find(({ id }) => /writer/.test(id))?.id ?? ''
})
afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()))
  await sandbox.close()
})

const ask = (fault?: string) => ({
  model,
  messages: [{ role: 'user' as const, content: 'Tell a story, é日本.' }],
  stream_options: { include_usage: true },
  sandbox: { tokens_per_second: 0, tokens: 40, seed: 's', ...(fault === undefined ? {} : { fault }) },
})

async function stream(fault?: string) {
  const sum = emptyAccumulation()
  let error: unknown = null
  try {
    for await (const event of upstream.streamChatCompletion(ask(fault))) accumulate(sum, event)
  } catch (thrown) {
    error = thrown
  }
  return { text: sum.choices[0]?.content ?? '', sum, error }
}

const post = (path: string, body: object): Promise<Response> =>
  fetch(sandbox.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The same chat as one JSON document. */
async function whole(): Promise<{
  choices: { message: { content: string }; finish_reason: string }[]
  usage: { completion_tokens: number }
}> {
  return JSON.parse(await (await post('/v1/chat/completions', ask())).text())
}

test('[MOD-01] models have ids', async () => {
  const { value, facts } = await upstream.listModels()
  expect(value.data.length).toBeGreaterThan(3)
  expect(facts.status).toBe(200)
  expect(model).not.toBe('')
})

test('[CHAT-05] [CHAT-14] [CHAT-15] the JSON reply and the stream have the same content', async () => {
  const value = await whole()
  const { text, sum, error } = await stream()
  expect(error).toBeNull()
  expect(text).toBe(value.choices[0]?.message.content)
  expect(text.length).toBeGreaterThan(20)
  expect(sum.usage?.completionTokens).toBe(value.usage.completion_tokens)
  expect(sum.choices[0]?.finishReason).toBe(value.choices[0]?.finish_reason)
})

test('[LEG-01] the legacy route is not implemented', async () => {
  expect((await post('/v1/completions', { model, prompt: 'x' })).status).toBe(501)
})

test('[KEY-01] [KEY-02] [KEY-03] [KEY-04] keys and their usage', async () => {
  const current = (await upstream.getCurrentKey()).value
  const all = (await upstream.listKeys()).value.api_keys ?? []
  expect(all.map((key) => key.id)).toContain(current.id)
  expect(all.some((key) => typeof key.revoked_at === 'string')).toBe(true)
  expect(all.some((key) => key.rate_limit_rpm === null)).toBe(true)
  const id = current.id ?? ''
  expect((await upstream.getKeyUsage(id)).value.total_requests).toBeTypeOf('number')
  expect((await upstream.getCurrentKeyUsage()).value.total_cost_sc).toMatch(/^[\d.e-]+$/)
  expect((await upstream.getKeyDailyUsage(id)).value.usage?.[0]?.date).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect((await upstream.getCurrentKeyDailyUsage()).value.usage?.length).toBeGreaterThan(0)
  await expect(upstream.getKeyUsage('00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({
    kind: 'not_found',
  })
  await expect(upstream.getKeyUsage('../usage')).rejects.toMatchObject({ kind: 'bad_input' })
})

test('[USE-01] [USE-02] [LIM-01] [LIM-02] usage and rate limits', async () => {
  const usage = (await upstream.getUsage()).value
  expect(usage.balance).toMatch(/^\d/)
  expect(usage.total_spent).toMatch(/^\d/)
  expect(usage.usage?.[0]?.date).toMatch(/T/)
  const limits = (await upstream.getRateLimit()).value
  for (const bucket of ['rpm', 'rph', 'rpd', 'tph', 'tpd'] as const)
    expect(limits[`limit_${bucket}`]).toBeTypeOf('number')
  expect(limits.banned).toBe(false)
  expect(
    await open(sandbox.keys.banned)
      .getRateLimit()
      .catch((error: unknown) => error),
  ).toBeDefined()
})

test('[IMG-03] [GEN-01] [AUTH-01] images arrive as addresses and as base64', async () => {
  const byUrl = (await upstream.createImage({ prompt: 'a boat', n: 2 })).value
  expect(byUrl.length).toBe(2)
  const file = await upstream.fetchFile(byUrl[0]?.url ?? '')
  const png = Buffer.concat(await collect(file.bytes))
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  const [inline] = (await upstream.createImage({ prompt: 'a boat', response_format: 'b64_json' })).value
  if (!inline?.content || inline.content.isText) throw new Error('There is no image.')
  expect(Buffer.concat(inline.content.bytes).toString('latin1', 1, 4)).toBe('PNG')
})

test('[TTS-02] [TTS-03] [TTS-05] [STT-01] [STT-02] [STT-03] [STT-04] speech arrives as bytes, and its transcript by content type', async () => {
  const speech = await upstream.createSpeech({ input: 'Hello there.', response_format: 'wav', voice: 'nova' })
  expect(speech.facts.contentType).toBe('audio/wav')
  const wav = Buffer.concat(await collect(speech.bytes))
  expect(wav.subarray(0, 4).toString()).toBe('RIFF')
  for (const [response_format, format] of [
    ['json', 'json'],
    ['text', 'text'],
    ['vtt', 'vtt'],
  ] as const) {
    const file = format === 'json' ? new Blob([wav], { type: 'audio/wav' }) : wav
    const transcript = await upstream.createTranscription({
      file,
      fileName: 'a "b".wav',
      response_format,
      language: 'en',
      model: 'whisper-1',
    })
    expect(transcript.format).toBe(format)
    expect(transcript.text).not.toBe('')
  }
})

test('[AUTH-02] [ERR-04] each invalid key gets its own error', async () => {
  await expect(open('sk-nobody-knows-this').listModels()).rejects.toMatchObject({ kind: 'unauthorized' })
  await expect(collect(open(sandbox.keys.noPermission).streamChatCompletion(ask()))).rejects.toMatchObject({
    kind: 'forbidden',
  })
  await expect(collect(open(sandbox.keys.noCredit).streamChatCompletion(ask()))).rejects.toMatchObject({
    kind: 'insufficient_credits',
  })
  await expect(collect(upstream.streamChatCompletion({ ...ask(), model: 'none' }))).rejects.toMatchObject({
    kind: 'not_found',
  })
})

describe('faults that do not change the content', () => {
  test.each([
    'no-done',
    'crlf',
    'cr',
    'comments',
    'multi-line',
    'gzip',
    'byte-by-byte',
    'extra-fields',
    'odd-headers',
    'no-headers',
    'fail; times=2; id=contract',
    'slow-headers; ms=50',
  ])('[SSE-06] [GEN-03] [LIM-04] %s', async (fault) => {
    const plain = await stream()
    const { text, error } = await stream(fault)
    expect(error).toBeNull()
    expect(text).toBe(plain.text)
  })

  test('[SSE-06] split-utf8', async () => {
    expect((await stream('split-utf8')).text).toContain('naïve café, Grüße, 你好, 🌍🏡')
  })

  test('[GEN-02] missing-fields, huge-line', async () => {
    expect((await stream('missing-fields')).error).toSatisfy(
      (e) => e === null || Reflect.get(Object(e), 'kind') === 'incomplete_stream',
    )
    expect((await stream('huge-line')).error).toBeNull()
  })
})

describe('faults that end the reply', () => {
  test.each([
    ['refuse; status=429; retry-after=30', 'rate_limited'],
    ['refuse; status=503', 'unavailable'],
    ['refuse; status=504', 'gateway_timeout'],
    ['refuse; status=500', 'internal'],
    ['html-error', 'bad_gateway'],
    ['empty-error', 'internal'],
    ['reset-before-headers', 'connection_lost'],
    ['redirect', 'unexpected_status'],
    ['stall', 'idle_timeout'],
    ['cut', 'connection_lost'],
    ['cut-utf8', 'connection_lost'],
    ['malformed', 'malformed_reply'],
    ['error-frame', ''],
    ['no-done-no-finish', 'incomplete_stream'],
  ])('[ERR-01] [SSE-04] %s is %s', async (fault, kind) => {
    const { error, text } = await stream(fault)
    expect(error).toMatchObject(kind === '' ? { name: 'StudioError' } : { kind })
    expect(Reflect.get(Object(Reflect.get(Object(error), 'facts')), 'outputStarted')).toBe(text !== '')
  })
})

test('a stream uses its slot until it is closed, by its end or by leaving early [LIM-05] [SSE-05]', async () => {
  const alone = openClient(sandbox.baseUrl, sandbox.keys.oneAtATime, { retry: { maxAttempts: 1 } })
  opened.push(alone)
  const long = { ...ask(), sandbox: { tokens_per_second: 50, tokens: 5_000, seed: 's' } }
  const first = alone.streamChatCompletion(long)
  await first.next()
  await expect(collect(alone.streamChatCompletion(ask()))).rejects.toMatchObject({ kind: 'rate_limited' })
  await first.return(undefined)
  await expect.poll(() => sandbox.observe.openStreams()).toBe(0)
  expect((await collect(alone.streamChatCompletion(ask()))).at(-1)).toEqual({ type: 'done' })
})

test('tool arguments are the text that the model wrote; the client neither parses nor runs them [CHAT-11]', () => {
  for (const written of ['{"path":"/etc', '__proto__', '{"__proto__":{"polluted":true}}', '']) {
    const sum = emptyAccumulation()
    const pieces = [written.slice(0, 5), written.slice(5)]
    for (const [at, piece] of pieces.entries()) {
      const event = {
        type: 'tool_call',
        choice: 0,
        index: 0,
        id: at ? null : 'call_1',
        name: at ? null : 'read',
        arguments: piece,
      } as const
      accumulate(sum, event)
    }
    expect(JSON.stringify(sum)).toContain(JSON.stringify(written))
    expect({}).not.toHaveProperty('polluted')
  }
})
