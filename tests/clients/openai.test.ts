import { createReadStream, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from 'fast-png'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appKey } from '../helpers/appRequest.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { lighthouse, openService, question, type Service } from './helpers/service.ts'

// Tests the official package with only the two settings that a person copies from the Local API page.
let service: Service
let client: OpenAI
const folder = temporaryFolder('studio-openai-')

beforeAll(async () => {
  service = await openService()
  client = new OpenAI({ baseURL: service.gateway.url, apiKey: appKey })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

const messages = [{ role: 'user' as const, content: 'Write a line about lighthouses.' }]
const pngOf = (width: number, height: number): string =>
  `data:image/png;base64,${Buffer.from(encode({ width, height, data: new Uint8Array(width * height * 3).fill(200), channels: 3 })).toString('base64')}`

const streamed = (options: Partial<OpenAI.ChatCompletionCreateParamsStreaming>) =>
  client.chat.completions.create({ model: 'writer-small', messages, ...options, stream: true })

describe('the official openai package with the local /v1', () => {
  it('lists the models', async () => {
    const models = await client.models.list()
    expect(models.data.map((model) => model.id)).toContain('writer-small')
  })

  it('gets a reply', async () => {
    const reply = await client.chat.completions.create({ model: 'mirror', messages })
    expect(reply.choices[0]?.message.content).toContain('lighthouses')
    expect(reply.usage?.total_tokens).toBeGreaterThan(0)
  })

  it('gets several choices', async () => {
    const reply = await client.chat.completions.create({ model: 'writer-small', messages, n: 3, max_tokens: 8 })
    expect(reply.choices.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(reply.choices.every(({ message }) => (message.content ?? '').length > 0)).toBe(true)
  })

  it('streams a reply in pieces, with usage at its end if requested', async () => {
    const stream = await streamed({ max_tokens: 20, stream_options: { include_usage: true } })
    let [text, pieces, tokens] = ['', 0, 0]
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta.content
      if (delta) [text, pieces] = [text + delta, pieces + 1]
      tokens = chunk.usage?.completion_tokens ?? tokens
    }
    expect(pieces).toBeGreaterThan(5)
    expect(text.length).toBeGreaterThan(20)
    expect(tokens).toBeGreaterThan(0)
  })

  it('receives no usage event in a stream if it did not request one', async () => {
    const stream = await streamed({ max_tokens: 5 })
    for await (const chunk of stream) {
      expect(chunk.choices.length).toBeGreaterThan(0)
      expect(chunk.usage ?? null).toBeNull()
    }
  })

  it('calls a tool in a stream, and the next reply contains its result', async () => {
    const { name, description, parameters, answer } = lighthouse
    const tools = [{ type: 'function' as const, function: { name, description, parameters: { ...parameters } } }]
    const asked = [{ role: 'user' as const, content: question }]
    const first = await client.chat.completions
      .stream({ model: 'tool-caller', messages: asked, tools })
      .finalChatCompletion()
    const message = first.choices[0]?.message
    const call = message?.tool_calls?.[0]
    if (!message || call?.type !== 'function') throw new Error('No tool was called.')
    expect(call.function.name).toBe(name)
    expect(JSON.parse(call.function.arguments)).toEqual({ name: 'Pharos' })
    const second = await client.chat.completions
      .stream({
        model: 'tool-caller',
        messages: [...asked, message, { role: 'tool', tool_call_id: call.id, content: answer }],
        tools,
      })
      .finalContent()
    expect(second).toContain(answer)
  })

  it('sends an image as a data URL', async () => {
    const reply = await client.chat.completions.create({
      model: 'vision',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: pngOf(7, 5) } },
          ],
        },
      ],
    })
    expect(reply.choices[0]?.message.content).toMatch(/7\s*(x|×|by)\s*5/)
  })

  it('aborts, and the service sees the close', async () => {
    const { reached } = await service.during(async () => {
      const stream = await client.chat.completions.create({ model: 'writer-small', messages, stream: true })
      for await (const chunk of stream) {
        if (chunk.choices[0]?.delta.content) break
      }
      stream.controller.abort()
    })
    expect((await service.sandbox.observe.whenClosed(reached[0]?.id ?? '')).closedByClient).toBe(true)
  })

  it('generates speech that can be transcribed', async () => {
    const speech = await client.audio.speech.create({
      model: 'tts-1',
      voice: 'alloy',
      input: 'The light turns once a minute.',
      response_format: 'wav',
    })
    expect(speech.headers.get('content-type')).toBe('audio/wav')
    const file = join(folder, 'speech.wav')
    writeFileSync(file, Buffer.from(await speech.arrayBuffer()))
    const heard = await client.audio.transcriptions.create({ model: 'whisper-1', file: createReadStream(file) })
    expect(heard.text).toContain('light turns')
    const cues = await client.audio.transcriptions.create({
      model: 'whisper-1',
      file: createReadStream(file),
      response_format: 'vtt',
    })
    expect(String(cues)).toMatch(/^WEBVTT/)
  })

  it('generates images, as data and at a URL that it can fetch with its own key', async () => {
    const ask = { prompt: 'a lighthouse at night', n: 1 }
    const isPng = (bytes: Buffer) => bytes.subarray(1, 4).toString() === 'PNG'
    const data = await client.images.generate({ ...ask, response_format: 'b64_json' })
    expect(isPng(Buffer.from(data.data?.[0]?.b64_json ?? '', 'base64'))).toBe(true)
    const linked = await client.images.generate({ ...ask, response_format: 'url' })
    const url = linked.data?.[0]?.url ?? ''
    expect(new URL(url).origin).toBe(new URL(service.gateway.url).origin)
    const picture = await fetch(url, { headers: { authorization: `Bearer ${appKey}` } })
    expect(isPng(Buffer.from(await picture.arrayBuffer()))).toBe(true)
  })
})

describe('its errors', () => {
  const failing = (fault: string) => () =>
    client.chat.completions
      .create({ model: 'mirror', messages }, { headers: { 'x-sandbox-fault': fault } })
      .catch((thrown: unknown) => thrown)

  it.each([
    ['BadRequestError', 400, 1],
    ['AuthenticationError', 401, 1],
    ['APIError', 402, 1],
    ['PermissionDeniedError', 403, 1],
    ['NotFoundError', 404, 1],
    ['InternalServerError', 502, 2],
    ['InternalServerError', 503, 2],
    ['InternalServerError', 504, 2],
  ] as const)(
    'are %s for %i with the words of the service, asked %i times by one loop [ERR-10]',
    async (name, status, times) => {
      const { result, reached } = await service.during(failing(`refuse; status=${status}`))
      if (!(result instanceof OpenAI[name])) throw new Error(`Not ${name}: ${String(result)}`)
      expect(result.status).toBe(status)
      expect(result.error).toMatchObject({ message: expect.any(String), type: expect.any(String) })
      expect(reached).toHaveLength(times)
    },
  )

  it('are RateLimitError with Retry-After, which the gateway obeys once between its two attempts [ERR-05]', async () => {
    const { result, reached } = await service.during(failing('refuse; status=429; retry-after=1'))
    if (!(result instanceof OpenAI.RateLimitError)) throw new Error(`Not RateLimitError: ${String(result)}`)
    expect(result.headers.get('retry-after')).toBe('1')
    expect(result.headers.get('x-should-retry')).toBe('false')
    expect(reached).toHaveLength(2)
    expect((reached[1]?.startedAt ?? 0) - (reached[0]?.startedAt ?? 0)).toBeGreaterThanOrEqual(1000)
  })

  it('are not visible when a retry succeeded', async () => {
    const { result, reached } = await service.during(failing('fail; status=503; times=1; id=openai-once'))
    expect(result).toMatchObject({ object: 'chat.completion' })
    expect(reached).toHaveLength(2)
  })

  it('of a 500 without x-should-retry follow one attempt by the studio', async () => {
    const once = client.withOptions({ maxRetries: 0, defaultHeaders: { 'x-sandbox-fault': 'refuse; status=500' } })
    const { result, reached } = await service.during(() =>
      once.chat.completions.create({ model: 'mirror', messages }).catch((thrown: unknown) => thrown),
    )
    expect(result).toBeInstanceOf(OpenAI.InternalServerError)
    expect(reached).toHaveLength(1)
  })

  it.each([
    ['PermissionDeniedError', 403, { models: ['writer-small'] }],
    ['PermissionDeniedError', 403, { endpoints: ['models'] }],
    ['APIError', 402, { budgetTotal: '0' }],
    ['RateLimitError', 429, { tokensPerMinute: 1 }],
  ] as const)(
    'are %s, %i, where the limits of its own key forbid it, and the service hears nothing',
    async (name, status, limits) => {
      const change = (settings: object) => service.gateway.change(settings)
      const none = Object.fromEntries(Object.keys(limits).map((limit) => [limit, null]))
      change(limits)
      const { result, reached } = await service.during(() =>
        client.chat.completions
          .create({ model: 'mirror', messages }, { maxRetries: 0 })
          .catch((thrown: unknown) => thrown)
          .finally(() => change(none)),
      )
      if (!(result instanceof OpenAI[name])) throw new Error(`Not ${name}: ${String(result)}`)
      expect(result).toMatchObject({ status, type: 'studio_limit' })
      expect(reached).toEqual([])
    },
  )

  it('have Retry-After when its key exceeds its limit per minute', async () => {
    service.gateway.change({ requestsPerMinute: 1 })
    const ask = () => client.models.list({ maxRetries: 0 }).catch((thrown: unknown) => thrown)
    const { result, reached } = await service.during(async () => [await ask(), await ask()] as const)
    service.gateway.change({ requestsPerMinute: null })
    const [first, second] = result
    expect(first).toMatchObject({ object: 'list' })
    if (!(second instanceof OpenAI.RateLimitError)) throw new Error(`Not RateLimitError: ${String(second)}`)
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(second.headers.get('x-should-retry')).not.toBe('true')
    expect(reached).toHaveLength(1)
  })

  it('report a wrong key with a message of this program', async () => {
    const stranger = new OpenAI({ baseURL: service.gateway.url, apiKey: 'isk_nobody' })
    const error: unknown = await stranger.models.list().catch((thrown: unknown) => thrown)
    if (!(error instanceof OpenAI.AuthenticationError)) throw new Error(`Not AuthenticationError: ${String(error)}`)
    expect(error.type).toBe('studio_refused')
    expect(error.headers.get('x-studio-answer')).toBe('studio_refused')
  })

  it('are thrown by an interrupted stream, without invented text after the interruption [SSE-04]', async () => {
    const { result, reached } = await service.during(async () => {
      let text = ''
      try {
        const stream = await client.chat.completions.create(
          { model: 'writer-small', messages, stream: true },
          { headers: { 'x-sandbox-fault': 'cut; bytes=1500', 'x-sandbox-tokens-per-second': '0' } },
        )
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      } catch (thrown) {
        return { text, thrown }
      }
      return { text, thrown: null }
    })
    expect(result.thrown).toBeInstanceOf(Error)
    expect(result.text.length).toBeGreaterThan(0)
    expect(reached).toHaveLength(1)
  })
})
