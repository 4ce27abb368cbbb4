import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, stepCountIs, streamText } from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appKey } from '../helpers/appRequest.ts'
import { aiSdkTool } from './helpers/aiSdkTool.ts'
import { lighthouse, openService, question, refusals, type Service } from './helpers/service.ts'

// Configured as by its set-up text, with `includeUsage` and `maxRetries: 0`.
let service: Service
let studio: ReturnType<typeof createOpenAICompatible>

beforeAll(async () => {
  service = await openService()
  studio = createOpenAICompatible({
    name: 'inference-studio',
    baseURL: service.gateway.url,
    apiKey: appKey,
    includeUsage: true,
  })
})
afterAll(() => service.close())

const prompt = 'Write a line about lighthouses.'

describe('the Vercel AI SDK with the local /v1', () => {
  it('streams text in pieces, and reports its usage', async () => {
    const reply = streamText({ model: studio('writer-small'), prompt, maxOutputTokens: 20, maxRetries: 0 })
    const pieces: string[] = []
    for await (const piece of reply.textStream) pieces.push(piece)
    expect(pieces.length).toBeGreaterThan(5)
    expect(pieces.join('')).toBe(await reply.text)
    expect((await reply.usage).outputTokens).toBeGreaterThan(0)
    expect(await reply.finishReason).toBe('length')
  })

  it('streams the reasoning separately from the text', async () => {
    const reply = streamText({
      model: studio('reasoner'),
      prompt,
      maxRetries: 0,
      headers: { 'x-sandbox-tokens-per-second': '0', 'x-sandbox-tokens': '10' },
    })
    expect((await reply.reasoningText)?.length).toBeGreaterThan(0)
    expect((await reply.text).length).toBeGreaterThan(0)
  })

  it('calls a tool and streams the reply to its result', async () => {
    const calls: unknown[] = []
    const { result, reached } = await service.during(async () => {
      const reply = streamText({
        model: studio('tool-caller'),
        prompt: question,
        maxRetries: 0,
        stopWhen: stepCountIs(3),
        tools: aiSdkTool(calls),
      })
      return reply.text
    })
    expect(calls).toEqual([{ name: 'Pharos' }])
    expect(result).toContain(lighthouse.answer)
    expect(reached.map(({ stream }) => stream)).toEqual([true, true])
  })

  it('aborts, and the service sees the close', async () => {
    const abort = new AbortController()
    const { reached } = await service.during(async () => {
      const { textStream } = streamText({
        model: studio('writer-small'),
        prompt,
        maxRetries: 0,
        abortSignal: abort.signal,
        onError: () => undefined,
      })
      for await (const _ of textStream) break
      abort.abort()
    })
    expect(await service.closedByClient(reached)).toBe(true)
  })

  it.each(refusals)(
    'throws the error of a %i with its words, asked %i times by the studio alone',
    async (status, times) => {
      const { result, reached } = await service.during(() =>
        generateText({
          model: studio('mirror'),
          prompt,
          maxRetries: 0,
          headers: { 'x-sandbox-fault': `refuse; status=${status}` },
        }).catch((thrown: unknown) => thrown),
      )
      if (!APICallError.isInstance(result)) throw new Error(`Not an APICallError: ${String(result)}`)
      expect(result.statusCode).toBe(status)
      expect(JSON.parse(result.responseBody ?? '')).toMatchObject({ error: { message: result.message } })
      expect(reached).toHaveLength(times)
    },
  )

  it('reports an interrupted stream as an error', async () => {
    const errors: unknown[] = []
    const { textStream } = streamText({
      model: studio('writer-small'),
      prompt,
      maxRetries: 0,
      headers: { 'x-sandbox-fault': 'cut; bytes=1500', 'x-sandbox-tokens-per-second': '0' },
      onError: ({ error }) => {
        errors.push(error)
      },
    })
    let text = ''
    try {
      for await (const piece of textStream) text += piece
    } catch (thrown) {
      errors.push(thrown)
    }
    expect(text.length).toBeGreaterThan(0)
    expect(errors.length).toBeGreaterThan(0)
  })
})
