import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { type Gateway, openGateway, toolKey } from '../helpers/gateway.ts'

// The official package with nothing set but the two things that a person copies from the Proxy page.
let sandbox: Sandbox
let gateway: Gateway
let client: OpenAI
const folder = mkdtempSync(join(tmpdir(), 'studio-openai-'))

beforeAll(async () => {
  sandbox = await startSandbox()
  gateway = await openGateway(sandbox.baseUrl, sandbox.apiKey, { retry: { baseDelayMs: 5, maxDelayMs: 20 } })
  client = new OpenAI({ baseURL: gateway.url, apiKey: toolKey })
})
afterAll(async () => {
  await gateway.close()
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
})

const messages = [{ role: 'user' as const, content: 'Write a line about lighthouses.' }]

describe('the official openai package, pointed at the local /v1', () => {
  it('lists the models', async () => {
    const models = await client.models.list()
    expect(models.data.map((model) => model.id)).toContain('writer-small')
  })

  it('gets a reply', async () => {
    const reply = await client.chat.completions.create({ model: 'mirror', messages })
    expect(reply.choices[0]?.message.content).toContain('lighthouses')
    expect(reply.usage?.total_tokens).toBeGreaterThan(0)
  })

  it('streams a reply with usage at its end', async () => {
    const stream = await client.chat.completions.create({
      model: 'writer-small',
      messages,
      stream: true,
      max_tokens: 20,
      stream_options: { include_usage: true },
    })
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

  it('aborts, and the service sees the close', async () => {
    const stream = await client.chat.completions.create({ model: 'writer-small', messages, stream: true })
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) break
    }
    const record = sandbox.observe.requests().at(-1)
    stream.controller.abort()
    expect((await sandbox.observe.whenClosed(record?.id ?? '')).closedByClient).toBe(true)
  })

  it('speaks, and what it spoke can be transcribed', async () => {
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

  it('draws images', async () => {
    const images = await client.images.generate({ prompt: 'a lighthouse at night', n: 2, response_format: 'b64_json' })
    expect(images.data).toHaveLength(2)
    for (const { b64_json } of images.data ?? []) {
      expect(
        Buffer.from(b64_json ?? '', 'base64')
          .subarray(1, 4)
          .toString(),
      ).toBe('PNG')
    }
  })

  it.each([
    ['BadRequestError', 400],
    ['AuthenticationError', 401],
    ['PermissionDeniedError', 403],
    ['NotFoundError', 404],
    ['RateLimitError', 429],
    ['InternalServerError', 503],
  ] as const)('throws %s for %i, asked by one loop alone', async (name, status) => {
    const id = `${name}-${status}`
    const from = sandbox.observe.requests().length
    const error = await client.chat.completions
      .create(
        { model: 'mirror', messages },
        { headers: { 'x-sandbox-fault': `refuse; status=${status}`, 'x-case': id } },
      )
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OpenAI[name])
    const asked = sandbox.observe.requests().slice(from)
    expect(asked.length).toBe(status === 429 || status === 503 ? 4 : 1)
  })

  it('is refused with a wrong key', async () => {
    const stranger = new OpenAI({ baseURL: gateway.url, apiKey: 'isk_nobody' })
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
  })
})
