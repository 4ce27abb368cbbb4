import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { generateText, stepCountIs, streamText } from 'ai'
import { encode } from 'fast-png'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appKey } from '../helpers/appRequest.ts'
import { aiSdkTool } from './helpers/aiSdkTool.ts'
import { lighthouse, openService, question, type Service } from './helpers/service.ts'

// The official package with the Messages API, and the Vercel AI SDK with its Anthropic provider.
let service: Service
let client: Anthropic

beforeAll(async () => {
  service = await openService()
  // The package adds `/v1` itself.
  client = new Anthropic({ baseURL: service.gateway.url.replace(/\/v1$/, ''), apiKey: appKey, maxRetries: 2 })
})
afterAll(() => service.close())

const prompt = 'Write a line about lighthouses.'
const messages = [{ role: 'user' as const, content: prompt }]
const { name, description, parameters, answer } = lighthouse
const input_schema = { type: 'object' as const, properties: { ...parameters.properties }, required: ['name'] }
const tools = [{ name, description, input_schema }]
const png = Buffer.from(encode({ width: 7, height: 5, data: new Uint8Array(105).fill(200), channels: 3 }))

const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')

describe('the official @anthropic-ai/sdk package', () => {
  it('creates a message', async () => {
    const message = await client.messages.create({ model: 'mirror', max_tokens: 300, messages, system: 'Be brief.' })
    expect(textOf(message)).toContain('lighthouses')
    expect([message.role, message.stop_reason]).toEqual(['assistant', 'end_turn'])
    expect(message.usage.output_tokens).toBeGreaterThan(0)
    expect(message._request_id).toMatch(/^req_/)
  })

  it('streams with its helper', async () => {
    const pieces: string[] = []
    const stream = client.messages.stream({ model: 'writer-small', max_tokens: 20, messages })
    stream.on('text', (text) => pieces.push(text))
    const message = await stream.finalMessage()
    expect(pieces.length).toBeGreaterThan(5)
    expect(pieces.join('')).toBe(textOf(message))
    expect([message.stop_reason, message.usage.output_tokens]).toEqual(['max_tokens', 20])
  })

  it('streams reasoning as thinking', { tags: 'long' }, async () => {
    const message = await client.messages
      .stream({
        model: 'reasoner',
        max_tokens: 4000,
        messages,
        thinking: { type: 'enabled', budget_tokens: 2000 },
      })
      .finalMessage()
    expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
  })

  it.each([true, false])('calls a tool and replies to its result (streamed: %s)', async (streamed) => {
    const asked: Anthropic.MessageParam[] = [{ role: 'user', content: question }]
    const ask = async (all: Anthropic.MessageParam[]): Promise<Anthropic.Message> => {
      const request = { model: 'tool-caller', max_tokens: 500, messages: all, tools }
      return streamed ? client.messages.stream(request).finalMessage() : client.messages.create(request)
    }
    const first = await ask(asked)
    const call = first.content.find((block) => block.type === 'tool_use')
    if (!call) throw new Error('No tool was called.')
    expect([call.name, call.input, first.stop_reason]).toEqual([name, { name: 'Pharos' }, 'tool_use'])
    const second = await ask([
      ...asked,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: answer }] },
    ])
    expect(textOf(second)).toContain(answer)
  })

  it('runs a tool loop with beta.messages.toolRunner, which asks for a stored thread first', async () => {
    const run = (given: string): string => `${given} stands 103.6 metres high`
    const tool = { name, description, input_schema, run: (input: unknown) => run((input as { name: string }).name) }
    const { result, reached } = await service.during(() =>
      client.beta.messages
        .toolRunner({
          model: 'tool-caller',
          max_tokens: 500,
          messages: [{ role: 'user', content: question }],
          tools: [{ ...tool, parse: (input: unknown) => input }],
        })
        .runUntilDone(),
    )
    expect(JSON.stringify(result.content)).toContain(answer)
    // The refused requests reached no service.
    expect(reached).toHaveLength(2)
  })

  it('has errors of the API for paths that are not here, such as the Files API', async () => {
    const { result, reached } = await service.during(() => client.beta.files.list().catch((thrown: unknown) => thrown))
    if (!(result instanceof APIError)) throw new Error(`Not an APIError: ${String(result)}`)
    expect(result.status).toBe(404)
    expect(result.error).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
    expect(reached).toHaveLength(0)
  })

  it('sends an image', async () => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: png.toString('base64') }
    const message = await client.messages.create({
      model: 'vision',
      max_tokens: 300,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', source },
          ],
        },
      ],
    })
    expect(textOf(message)).toMatch(/7\s*(x|×|by)\s*5/)
  })

  it('counts tokens without a request to the service', async () => {
    const { result, reached } = await service.during(() => client.messages.countTokens({ model: 'mirror', messages }))
    expect(result.input_tokens).toBeGreaterThan(3)
    expect(reached).toHaveLength(0)
  })

  it('lists and reads models', async () => {
    const ids: string[] = []
    for await (const model of client.models.list({ limit: 3 })) ids.push(model.id)
    expect(ids).toContain('writer-small')
    expect(new Set(ids).size).toBe(ids.length)
    expect(await client.models.retrieve('mirror')).toMatchObject({ type: 'model', id: 'mirror' })
    await expect(client.models.retrieve('none')).rejects.toMatchObject({ status: 404 })
  })

  it.each([
    [400, 1, 'invalid_request_error'],
    [402, 1, 'billing_error'],
    [404, 1, 'not_found_error'],
    [503, 2, null],
  ])('throws the error of a %i, sent %i times by the studio alone', async (status, times, type) => {
    const { result, reached } = await service.during(() =>
      client.messages
        .create(
          { model: 'mirror', max_tokens: 5, messages },
          { headers: { 'x-sandbox-fault': `refuse; status=${status}` } },
        )
        .catch((thrown: unknown) => thrown),
    )
    if (!(result instanceof APIError)) throw new Error(`Not an APIError: ${String(result)}`)
    expect([result.status, reached.length]).toEqual([status, times])
    if (type !== null) expect(result.error).toMatchObject({ type: 'error', error: { type } })
    expect(result.requestID).toMatch(/^req_/)
  })

  it('throws for a stream that the service breaks off, and sends nothing again', async () => {
    let text = ''
    const { result, reached } = await service.during(async () => {
      try {
        const stream = client.messages.stream(
          { model: 'writer-small', max_tokens: 500, messages },
          { headers: { 'x-sandbox-fault': 'cut; bytes=1500', 'x-sandbox-tokens-per-second': '0' } },
        )
        stream.on('text', (piece) => {
          text += piece
        })
        return await stream.finalMessage()
      } catch (thrown) {
        return thrown
      }
    })
    expect(text.length).toBeGreaterThan(0)
    expect(result).toBeInstanceOf(APIError)
    expect(reached).toHaveLength(1)
  })

  it('aborts, and the service sees the close', async () => {
    const { reached } = await service.during(async () => {
      const stream = await client.messages.create({ model: 'writer-small', max_tokens: 500, messages, stream: true })
      for await (const event of stream) if (event.type === 'content_block_delta') break
      stream.controller.abort()
    })
    expect((await service.sandbox.observe.whenClosed(reached[0]?.id ?? '')).closedByClient).toBe(true)
  })

  it('refuses an unknown key in its own error class', async () => {
    const stranger = new Anthropic({ baseURL: service.gateway.url.replace(/\/v1$/, ''), apiKey: 'isk_x_wrong' })
    await expect(stranger.messages.create({ model: 'mirror', max_tokens: 5, messages })).rejects.toBeInstanceOf(
      Anthropic.AuthenticationError,
    )
  })
})

describe('the Vercel AI SDK with @ai-sdk/anthropic', () => {
  const calls: unknown[] = []
  const toolSet = aiSdkTool(calls)

  it.each([true, false])('runs a loop with a tool (streamed: %s)', async (streamed) => {
    calls.length = 0
    const studio = createAnthropic({ baseURL: service.gateway.url, apiKey: appKey })
    const request = {
      model: studio('tool-caller'),
      prompt: question,
      maxRetries: 0,
      stopWhen: stepCountIs(3),
      tools: toolSet,
    }
    const { result, reached } = await service.during(async () =>
      streamed ? await streamText(request).text : (await generateText(request)).text,
    )
    expect(calls).toEqual([{ name: 'Pharos' }])
    expect(result).toContain(answer)
    expect(reached).toHaveLength(2)
  })
})
