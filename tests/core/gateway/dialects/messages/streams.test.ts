import Anthropic from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { wholeReply } from '../../../../helpers/replies.ts'
import { anyReply, mixedDeltas, type ServiceReply } from './helpers/arbitraries.ts'
import { chunk, details, streamBytes, translate, translatedStream, usageChunk } from './helpers/streams.ts'

const chunksOf = ({ deltas, finish, usage }: ServiceReply): JsonObject[] => [
  chunk({ role: 'assistant' }),
  ...deltas.map((delta) => chunk(delta)),
  chunk({}, finish),
  ...(usage === null ? [] : [usageChunk(usage)]),
]

/** The official SDK, which receives this text as the reply to its request. */
const client = (text: string) =>
  new Anthropic({
    apiKey: 'key',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  })
const params = { model: 'claude-x', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] }

/** What the SDK's stream helper builds from the events, without what the helper adds. */
async function accumulated(text: string): Promise<unknown> {
  const { parsed_output: _, ...message } = JSON.parse(
    JSON.stringify(await client(text).messages.stream(params).finalMessage()),
  )
  for (const block of message.content) delete block.parsed
  return message
}

it('any stream gives the same events however its bytes are split', async () => {
  await fc.assert(
    fc.asyncProperty(anyReply, fc.array(fc.nat(), { maxLength: 30 }), async (reply, cuts) => {
      const bytes = streamBytes(chunksOf(reply))
      expect((await translatedStream(bytes, cuts)).text).toBe((await translatedStream(bytes)).text)
    }),
  )
})

it('a stream gives the same events when it is split at every byte', async () => {
  const reply = fc.sample(anyReply, 1)[0]
  if (reply === undefined) throw new Error('No sample.')
  const bytes = streamBytes(chunksOf(reply))
  const whole = (await translatedStream(bytes)).text
  for (let at = 0; at < bytes.length; at++) expect((await translatedStream(bytes, [at])).text).toBe(whole)
})

it('the events, accumulated by the official SDK, are the reply that is not streamed', async () => {
  await fc.assert(
    fc.asyncProperty(anyReply, async (reply) => {
      const { text, stream } = await translatedStream(streamBytes(chunksOf(reply)))
      const whole = wholeReply(translate(), reply.whole, details)
      expect(await accumulated(text)).toEqual(whole)
      expect(stream.result()).toEqual(whole)
    }),
  )
})

it('mixed pieces of several tool calls are sorted into blocks without loss', async () => {
  await fc.assert(
    fc.asyncProperty(mixedDeltas, async (deltas) => {
      const chunks = [...deltas.map((delta) => chunk(delta)), chunk({}, 'tool_calls')]
      const { text, stream } = await translatedStream(streamBytes(chunks))
      const message = (await accumulated(text)) as { content: { type: string; input?: JsonObject; text?: string }[] }
      expect(stream.result()).toEqual(message)
      const joined = new Map<number, string>()
      let content = ''
      for (const delta of deltas) {
        if (typeof delta.content === 'string') content += delta.content
        for (const { index, function: called } of (delta.tool_calls ?? []) as {
          index: number
          function: { arguments: string }
        }[]) {
          joined.set(index, (joined.get(index) ?? '') + called.arguments)
        }
      }
      const inputs = message.content.filter(({ type }) => type === 'tool_use').map(({ input }) => input)
      expect(inputs).toEqual([...joined.values()].map((args) => JSON.parse(args)))
      expect(message.content.map((block) => block.text ?? '').join('')).toBe(content)
    }),
  )
})

it('a stream that breaks off anywhere never has an end, and fails in the official SDK', async () => {
  await fc.assert(
    fc.asyncProperty(anyReply, fc.nat(), async (reply, place) => {
      const chunks = chunksOf(reply)
      const finished = chunks.findIndex(({ choices }) => (choices as { finish_reason: unknown }[])[0]?.finish_reason)
      const stream = translate({ stream: true })
      const { text } = await translatedStream(streamBytes(chunks.slice(0, place % finished), false))
      expect(stream.stream).toBe(true)
      expect(text).not.toContain('message_stop')
      await expect(client(text).messages.stream(params).finalMessage()).rejects.toThrow('broke off')
    }),
    { numRuns: 30 },
  )
})

it('the beta client of the official SDK reads the events too', async () => {
  const chunks = [chunk({ reasoning: 'Hm' }), chunk({ content: 'Yes' }), chunk({}, 'stop')]
  const { text } = await translatedStream(streamBytes(chunks))
  const message = await client(text)
    .beta.messages.stream({ ...params, betas: ['any-beta'] })
    .finalMessage()
  expect(message).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'Yes' },
    ],
    stop_reason: 'end_turn',
  })
})

it('an error body is an error of the official SDK with its type', async () => {
  const { messagesDialect } = await import('../../../../../src-main/core/gateway/dialects/messages/messagesDialect.ts')
  const body = messagesDialect.errorBody(
    { status: 429, message: 'Slow down.', type: null, code: null, param: null },
    'req_1',
  )
  const failing = new Anthropic({
    apiKey: 'key',
    maxRetries: 0,
    fetch: async () =>
      new Response(JSON.stringify(body), { status: 429, headers: { 'content-type': 'application/json' } }),
  })
  await expect(failing.messages.create(params)).rejects.toMatchObject({ status: 429, type: 'rate_limit_error' })
})
