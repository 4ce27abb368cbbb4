import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appKey } from '../helpers/appRequest.ts'
import { lighthouse, openService, question, refusals, type Service } from './helpers/service.ts'

// Configured as by its set-up text, with `maxRetries: 0`.
let service: Service
const open = (model: string, headers: Record<string, string> = {}): ChatOpenAI =>
  new ChatOpenAI({
    model,
    apiKey: appKey,
    configuration: { baseURL: service.gateway.url, defaultHeaders: headers },
    maxRetries: 0,
  })

beforeAll(async () => {
  service = await openService()
})
afterAll(() => service.close())

const prompt = 'Write a line about lighthouses.'

/** All pieces of a stream as one message. */
async function whole(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let message: AIMessageChunk | undefined
  for await (const chunk of stream) message = message?.concat(chunk) ?? chunk
  if (!message) throw new Error('The stream was empty.')
  return message
}

describe('LangChain with the local /v1', () => {
  it('streams text in pieces, and reports its usage', async () => {
    const pieces: AIMessageChunk[] = []
    const quick = open('writer-small', { 'x-sandbox-tokens': '20' })
    for await (const chunk of await quick.stream(prompt)) pieces.push(chunk)
    expect(pieces.filter(({ text }) => text !== '').length).toBeGreaterThan(5)
    expect(pieces.at(-1)).toMatchObject({ usage_metadata: { input_tokens: expect.any(Number), output_tokens: 20 } })
  })

  it('calls a tool and streams the reply to its result', async () => {
    const { name, description, parameters, answer } = lighthouse
    const model = open('tool-caller').bindTools([{ type: 'function', function: { name, description, parameters } }])
    const { result, reached } = await service.during(async () => {
      const asked = new HumanMessage(question)
      const first = await whole(await model.stream([asked]))
      const [call] = first.tool_calls ?? []
      expect(call).toMatchObject({ name, args: { name: 'Pharos' } })
      const given = new ToolMessage({ content: answer, tool_call_id: call?.id ?? '' })
      return whole(await model.stream([asked, first, given]))
    })
    expect(result.text).toContain(answer)
    expect(reached.map(({ stream }) => stream)).toEqual([true, true])
  })

  it('aborts, and the service sees the close', async () => {
    const abort = new AbortController()
    const { reached } = await service.during(async () => {
      const stream = await open('writer-small').stream(prompt, { signal: abort.signal })
      for await (const { text } of stream) if (text !== '') break
      abort.abort()
    })
    expect(await service.closedByClient(reached)).toBe(true)
  })

  it.each(refusals)(
    'throws the error of a %i with its words, asked %i times by the studio alone',
    async (status, times) => {
      const { result, reached } = await service.during(() =>
        open('mirror', { 'x-sandbox-fault': `refuse; status=${status}` })
          .invoke(prompt)
          .catch((thrown: unknown) => thrown),
      )
      expect(result).toBeInstanceOf(Error)
      expect(result).toMatchObject({ status, error: { message: expect.any(String), type: expect.any(String) } })
      expect(reached).toHaveLength(times)
    },
  )

  it('reports an interrupted stream as an error', async () => {
    const model = open('writer-small', { 'x-sandbox-fault': 'cut; bytes=1500', 'x-sandbox-tokens-per-second': '0' })
    await expect(model.stream(prompt).then(whole)).rejects.toThrow()
  })
})
