// `@ai-sdk/anthropic` checks every event and reply with its own schemas.
import { createAnthropic } from '@ai-sdk/anthropic'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { messagesDialect } from '../../../../../src-main/core/gateway/dialects/messages/messagesDialect.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import type { ChatRequest } from '../../../../../src-main/core/upstream/types.ts'
import { wholeReply } from '../../../../helpers/replies.ts'
import { chatRequest, toolOrderProblem } from '../specification.ts'
import { chunk, details, streamBytes, translatedStream, usageChunk } from './helpers/streams.ts'

const usage = { prompt_tokens: 12, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } }
const callDelta = (index: number, id: string, args: string) => ({
  tool_calls: [{ index, id, type: 'function', function: { name: 'weather', arguments: args } }],
})
const argsDelta = (index: number, args: string) => ({ tool_calls: [{ index, function: { arguments: args } }] })

/** The chunks of the service: two calls in the first reply, a text in the second. */
const repliesOf = (chat: ChatRequest): JsonObject[] =>
  chat.messages.some(({ role }) => role === 'tool')
    ? [chunk({ content: 'Warm ' }), chunk({ content: 'and wet.' }), chunk({}, 'stop'), usageChunk(usage)]
    : [
        chunk({ reasoning_content: 'Both.' }),
        chunk(callDelta(0, 'call:1', '{"city":')),
        chunk(callDelta(1, 'call:2', '')),
        chunk(argsDelta(0, '"Oslo"}')),
        chunk(argsDelta(1, '{"city":"Rome"}')),
        chunk({}, 'tool_calls'),
        usageChunk(usage),
      ]

/** A provider whose requests are translated, and the chat requests that the service would receive. */
function provider() {
  const received: ChatRequest[] = []
  const fetch = async (_url: unknown, init?: { body?: unknown }): Promise<Response> => {
    const body: JsonObject = JSON.parse(String(init?.body))
    const translation = messagesDialect.translate(body)
    const { chat, stream } = translation
    received.push(chat)
    const chunks = repliesOf(chat)
    if (stream) {
      const { text } = await translatedStream(streamBytes(chunks))
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    }
    const calls = ['Oslo', 'Rome'].map((city, index) => ({
      id: `call:${index + 1}`,
      function: { name: 'weather', arguments: JSON.stringify({ city }) },
    }))
    const isFirst = received.length === 1
    const message = isFirst ? { tool_calls: calls } : { content: 'Warm and wet.' }
    const finish_reason = isFirst ? 'tool_calls' : 'stop'
    return Response.json(wholeReply(translation, { choices: [{ index: 0, message, finish_reason }], usage }, details))
  }
  return { received, model: createAnthropic({ apiKey: 'key', fetch: fetch as typeof globalThis.fetch })('claude-x') }
}

const asked: string[] = []
const weather = tool({
  description: 'Weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    asked.push(city)
    return `Rain in ${city}`
  },
})
const loop = { prompt: 'Weather?', tools: { weather }, stopWhen: stepCountIs(3), maxRetries: 0, maxOutputTokens: 500 }

/** What the service received for the second step. */
function checkSecond(received: ChatRequest[]): void {
  expect(received).toHaveLength(2)
  for (const chat of received) {
    expect(chatRequest.safeParse(chat).error).toBeUndefined()
  }
  const [, second] = received
  expect(toolOrderProblem(chatRequest.parse(second).messages)).toBeNull()
  const results = second?.messages.filter(({ role }) => role === 'tool')
  expect(results?.map(({ tool_call_id }) => tool_call_id)).toEqual(['call:1', 'call:2'])
  expect(asked.splice(0)).toEqual(['Oslo', 'Rome'])
}

it('runs a loop with two tool calls, streamed', async () => {
  const { received, model } = provider()
  const result = streamText({ ...loop, model })
  let text = ''
  for await (const part of result.textStream) text += part
  expect(text).toBe('Warm and wet.')
  expect(await result.finishReason).toBe('stop')
  // Of both steps, 4 of each from a cache.
  expect((await result.usage).inputTokens).toBe(24)
  checkSecond(received)
})

it('runs a loop with two tool calls, not streamed', async () => {
  const { received, model } = provider()
  const { text } = await generateText({ ...loop, model })
  expect(text).toBe('Warm and wet.')
  checkSecond(received)
})
