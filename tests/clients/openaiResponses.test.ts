import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import { encode } from 'fast-png'
import type OpenAI from 'openai'
import { APIError } from 'openai'
import { describe, expect, it } from 'vitest'
import { lighthouse, openOpenAiClient, question } from './helpers/service.ts'

// The official packages with the Responses API, set up with only the two settings that a person copies from the Local API page.
const { service, client } = await openOpenAiClient()

const input = 'Write a line about lighthouses.'
const { name, description, parameters, answer } = lighthouse
const tools = [{ type: 'function' as const, name, description, parameters: { ...parameters }, strict: true }]
const pngOf = (width: number, height: number): string =>
  `data:image/png;base64,${Buffer.from(encode({ width, height, data: new Uint8Array(width * height * 3).fill(200), channels: 3 })).toString('base64')}`

describe('client.responses of the official openai package', () => {
  it('creates a response', async () => {
    const response = await client.responses.create({ model: 'mirror', input, instructions: 'Be brief.' })
    expect(response.status).toBe('completed')
    expect(response.output_text).toContain('lighthouses')
    expect(response.usage?.total_tokens).toBeGreaterThan(0)
  })

  it('counts input tokens without a request at the service, as the service would', async () => {
    const before = service.sandbox.observe.requests().length
    const long = input.repeat(40)
    const counted = await client.responses.inputTokens.count({
      model: 'mirror',
      input: long,
      instructions: 'Be brief.',
    })
    expect(service.sandbox.observe.requests()).toHaveLength(before)
    const { usage } = await client.responses.create({ model: 'mirror', input: long, instructions: 'Be brief.' })
    expect(counted).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) })
    expect(Math.abs(counted.input_tokens / (usage?.input_tokens ?? 0) - 1)).toBeLessThan(0.34)
    const withTools = await client.responses.inputTokens.count({ model: 'mirror', input: long, tools })
    expect(withTools.input_tokens).toBeGreaterThan(counted.input_tokens)
  })

  it('streams the events of a reply in order', async () => {
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    const stream = await client.responses.create({ model: 'writer-small', input, stream: true, max_output_tokens: 20 })
    for await (const event of stream) events.push(event)
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.slice(0, 4).map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
    ])
    const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')
    const last = events.at(-1)
    if (last?.type !== 'response.incomplete') throw new Error(`The last event is ${last?.type}.`)
    expect(last.response.incomplete_details?.reason).toBe('max_output_tokens')
    const [item] = last.response.output
    expect(item?.type === 'message' && item.content[0]?.type === 'output_text' && item.content[0].text).toBe(text)
    expect(last.response.usage?.output_tokens).toBe(20)
  })

  it('streams reasoning apart from the text, with the helper of the package', { tags: 'long' }, async () => {
    let reasoning = ''
    const stream = client.responses.stream({ model: 'reasoner', input, reasoning: { effort: 'low', summary: 'auto' } })
    for await (const event of stream) {
      if (/reasoning.*\.delta$/.test(event.type) && 'delta' in event && typeof event.delta === 'string')
        reasoning += event.delta
    }
    const final = await stream.finalResponse()
    expect(reasoning.length).toBeGreaterThan(0)
    expect(final.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    expect(final.output_text.length).toBeGreaterThan(0)
  })

  it.each([true, false])('calls a tool and replies to its result (streamed: %s)', async (streamed) => {
    const ask = async (more: OpenAI.Responses.ResponseInput) => {
      const request = {
        model: 'tool-caller',
        input: [{ role: 'user' as const, content: question }, ...more],
        tools,
        store: false,
      }
      return streamed ? client.responses.stream(request).finalResponse() : client.responses.create(request)
    }
    const first = await ask([])
    const call = first.output.find((item) => item.type === 'function_call')
    if (call?.type !== 'function_call') throw new Error('No tool was called.')
    expect([call.name, JSON.parse(call.arguments)]).toEqual([name, { name: 'Pharos' }])
    const { call_id, arguments: given } = call
    const second = await ask([
      { type: 'function_call', call_id, name, arguments: given },
      { type: 'function_call_output', call_id, output: answer },
    ])
    expect(second.output_text).toContain(answer)
  })

  it('gets JSON by a schema', async () => {
    const schema = { type: 'object', properties: { height: { type: 'integer' } }, required: ['height'] }
    const format = { type: 'json_schema' as const, name: 'light', schema: { ...schema, additionalProperties: false } }
    const { output_text } = await client.responses.create({ model: 'writer-small', input, text: { format } })
    expect(Number.isInteger((JSON.parse(output_text) as { height: unknown }).height)).toBe(true)
  })

  it('sends an image', async () => {
    const { output_text } = await client.responses.create({
      model: 'vision',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: pngOf(7, 5), detail: 'auto' },
          ],
        },
      ],
    })
    expect(output_text).toMatch(/7\s*(x|×|by)\s*5/)
  })

  it('continues, reads, lists and deletes stored responses', async () => {
    const first = await client.responses.create({ model: 'mirror', input: 'My word is PHAROS.' })
    const { result: second, reached } = await service.during(() =>
      client.responses.create({ model: 'mirror', input: 'Which word?', previous_response_id: first.id }),
    )
    expect(reached).toHaveLength(1)
    expect(second.output_text).toContain('3 messages')
    expect(await client.responses.retrieve(second.id)).toMatchObject({ id: second.id, output_text: second.output_text })
    const items = []
    for await (const item of client.responses.inputItems.list(second.id, { order: 'asc', limit: 1 })) items.push(item)
    expect(items).toMatchObject([{ type: 'message', role: 'user' }])
    await client.responses.delete(second.id)
    await expect(client.responses.retrieve(second.id)).rejects.toMatchObject({ status: 404 })
    await expect(
      client.responses.create({ model: 'mirror', input: 'x', previous_response_id: second.id }),
    ).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' })
  })

  it.each([
    [400, 1],
    [402, 1],
    [404, 1],
    [503, 2],
  ])('throws the error of a %i, sent %i times by the studio alone', async (status, times) => {
    const { result, reached } = await service.during(() =>
      client.responses
        .create({ model: 'mirror', input }, { headers: { 'x-sandbox-fault': `refuse; status=${status}` } })
        .catch((thrown: unknown) => thrown),
    )
    if (!(result instanceof APIError)) throw new Error(`Not an APIError: ${String(result)}`)
    expect([result.status, reached.length]).toEqual([status, times])
    expect(result.message.length).toBeGreaterThan(10)
  })

  it.each([
    [{ background: true }, 'background'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt'],
  ])('says which field of %j is not supported', async (field, param) => {
    await expect(client.responses.create({ model: 'mirror', input, ...field })).rejects.toMatchObject({
      status: 400,
      param: expect.stringContaining(param),
    })
  })

  it('sees a stream that the service breaks off as failed, and sends nothing again', async () => {
    const types: string[] = []
    const { reached } = await service.during(async () => {
      const stream = await client.responses.create(
        { model: 'writer-small', input, stream: true },
        { headers: { 'x-sandbox-fault': 'cut; bytes=1500', 'x-sandbox-tokens-per-second': '0' } },
      )
      try {
        for await (const event of stream) types.push(event.type)
      } catch (thrown) {
        types.push(thrown instanceof APIError ? 'thrown' : String(thrown))
      }
    })
    expect(types).toContain('response.output_text.delta')
    expect(types.at(-1)).toMatch(/^(?:response\.failed|error|thrown)$/)
    expect(types).not.toContain('response.completed')
    expect(reached).toHaveLength(1)
  })

  it('aborts, and the service sees the close', async () => {
    const { reached } = await service.during(async () => {
      const stream = await client.responses.create({ model: 'writer-small', input, stream: true })
      for await (const event of stream) if (event.type === 'response.output_text.delta') break
      stream.controller.abort()
    })
    expect((await service.sandbox.observe.whenClosed(reached[0]?.id ?? '')).closedByClient).toBe(true)
  })
})

describe('@openai/agents with the Responses API', () => {
  it.each([true, false])('runs a loop with a tool (streamed: %s)', async (streamed) => {
    setTracingDisabled(true)
    const calls: unknown[] = []
    const height = tool({
      name,
      description,
      parameters: { ...parameters, properties: { ...parameters.properties }, required: ['name'] } as never,
      strict: true,
      execute: async (given: unknown) => {
        calls.push(given)
        return answer
      },
    })
    const agent = new Agent({ name: 'Keeper', model: 'tool-caller', instructions: 'Use the tool.', tools: [height] })
    const runner = new Runner({
      modelProvider: new OpenAIProvider({ openAIClient: client as never, useResponses: true }),
      tracingDisabled: true,
    })
    const { result, reached } = await service.during(async () => {
      if (!streamed) return (await runner.run(agent, question)).finalOutput
      const run = await runner.run(agent, question, { stream: true })
      for await (const event of run.toTextStream()) expect(typeof event).toBe('string')
      await run.completed
      return run.finalOutput
    })
    expect(calls).toEqual([{ name: 'Pharos' }])
    expect(result).toContain(answer)
    expect(reached).toHaveLength(2)
  })
})
