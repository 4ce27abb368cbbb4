import { ApiError, type Content, FunctionCallingConfigMode, GoogleGenAI, type Part, Type } from '@google/genai'
import { encode } from 'fast-png'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appKey } from '../helpers/appRequest.ts'
import { lighthouse, openService, question, type Service } from './helpers/service.ts'

// The official package of the Gemini API, with the address and the key of the Local API page.
let service: Service
let client: GoogleGenAI

beforeAll(async () => {
  service = await openService()
  // The package adds `/v1beta` itself.
  client = new GoogleGenAI({ apiKey: appKey, httpOptions: { baseUrl: service.gateway.url.replace(/\/v1$/, '') } })
})
afterAll(() => service.close())

const contents = 'Write a line about lighthouses.'
const { name, description, answer } = lighthouse
const functionDeclarations = [
  {
    name,
    description,
    parameters: {
      type: Type.OBJECT,
      properties: { name: { type: Type.STRING, enum: ['Pharos'] } },
      required: ['name'],
    },
  },
]
const png = Buffer.from(encode({ width: 7, height: 5, data: new Uint8Array(105).fill(200), channels: 3 }))

describe('the official @google/genai package', () => {
  it('generates content', async () => {
    const config = { systemInstruction: 'Be brief.', maxOutputTokens: 300 }
    const reply = await client.models.generateContent({ model: 'mirror', contents, config })
    expect(reply.text).toContain('lighthouses')
    expect(reply.candidates?.[0]?.finishReason).toBe('STOP')
    expect(reply.usageMetadata?.candidatesTokenCount).toBeGreaterThan(0)
    expect(reply.modelVersion).toBe('mirror')
  })

  it.each(['v1beta', 'v1'])('streams with the version %s', async (apiVersion) => {
    const stream = await client.models.generateContentStream({
      model: 'writer-small',
      contents,
      config: { maxOutputTokens: 20, httpOptions: { apiVersion } },
    })
    const pieces: string[] = []
    let last: string | undefined
    let tokens: number | undefined
    for await (const { text, candidates, usageMetadata } of stream) {
      if (text) pieces.push(text)
      last = candidates?.[0]?.finishReason
      tokens = usageMetadata?.candidatesTokenCount
    }
    expect(pieces.length).toBeGreaterThan(5)
    expect([last, tokens]).toEqual(['MAX_TOKENS', 20])
  })

  it('streams thoughts when they are asked for, and only then', async () => {
    const thoughts = async (includeThoughts: boolean): Promise<number> => {
      const config = { maxOutputTokens: 4000, thinkingConfig: { includeThoughts, thinkingBudget: 2000 } }
      const reply = await client.models.generateContent({ model: 'reasoner', contents, config })
      expect(reply.text).not.toBe('')
      return reply.candidates?.[0]?.content?.parts?.filter(({ thought }) => thought).length ?? 0
    }
    expect([await thoughts(true), await thoughts(false)]).toEqual([1, 0])
  })

  it.each([true, false])('calls a function and replies to its response (streamed: %s)', async (streamed) => {
    const config = {
      tools: [{ functionDeclarations }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
    }
    const ask = async (all: Content[]): Promise<Part[]> => {
      const request = { model: 'tool-caller', contents: all, config }
      if (!streamed) return (await client.models.generateContent(request)).candidates?.[0]?.content?.parts ?? []
      const parts: Part[] = []
      for await (const { candidates } of await client.models.generateContentStream(request))
        parts.push(...(candidates?.[0]?.content?.parts ?? []))
      return parts
    }
    const asked: Content[] = [{ role: 'user', parts: [{ text: question }] }]
    const first = await ask(asked)
    const call = first.find(({ functionCall }) => functionCall)?.functionCall
    expect([call?.name, call?.args]).toEqual([name, { name: 'Pharos' }])
    const response = { id: call?.id ?? '', name, response: { output: answer } }
    const second = await ask([
      ...asked,
      { role: 'model', parts: first },
      { role: 'user', parts: [{ functionResponse: response }] },
    ])
    expect(second.map(({ text = '' }) => text).join('')).toContain(answer)
  })

  it('holds a chat with its helper, whose history comes back', async () => {
    const chat = client.chats.create({ model: 'mirror' })
    expect((await chat.sendMessage({ message: 'My name is Ada.' })).text).toContain('Ada')
    await chat.sendMessage({ message: 'And now?' })
    const sent = service.gateway.requestLog.live()
    expect([chat.getHistory().length, sent]).toEqual([4, 0])
  })

  it('sends an image', async () => {
    const inlineData = { mimeType: 'image/png', data: png.toString('base64') }
    const reply = await client.models.generateContent({
      model: 'vision',
      contents: [{ role: 'user', parts: [{ text: 'What is this?' }, { inlineData }] }],
    })
    expect(reply.text).toMatch(/7\s*(x|×|by)\s*5/)
  })

  it('counts tokens without a request to the service', async () => {
    const { result, reached } = await service.during(() => client.models.countTokens({ model: 'mirror', contents }))
    expect(result.totalTokens).toBeGreaterThan(3)
    expect(reached).toHaveLength(0)
  })

  it('lists and reads models', async () => {
    const names: string[] = []
    for await (const model of await client.models.list({ config: { pageSize: 3 } })) names.push(model.name ?? '')
    expect(names).toContain('models/writer-small')
    expect(new Set(names).size).toBe(names.length)
    expect(await client.models.get({ model: 'mirror' })).toMatchObject({ name: 'models/mirror' })
    await expect(client.models.get({ model: 'none' })).rejects.toMatchObject({ status: 404 })
  })

  it.each([
    [400, 1, 'INVALID_ARGUMENT'],
    [402, 1, 'FAILED_PRECONDITION'],
    [404, 1, 'NOT_FOUND'],
    [503, 2, 'UNAVAILABLE'],
  ])('throws the error of a %i, sent %i times by the studio alone', async (status, times, word) => {
    const { result, reached } = await service.during(() =>
      client.models
        .generateContent({
          model: 'mirror',
          contents,
          config: { httpOptions: { headers: { 'x-sandbox-fault': `refuse; status=${status}` } } },
        })
        .catch((thrown: unknown) => thrown),
    )
    if (!(result instanceof ApiError)) throw new Error(`Not an ApiError: ${String(result)}`)
    expect([result.status, reached.length]).toEqual([status, times])
    expect(JSON.parse(result.message)).toMatchObject({ error: { code: status, status: word } })
  })

  it('throws the error of a stream that broke off', async () => {
    const stream = await client.models.generateContentStream({
      model: 'writer-small',
      contents,
      config: { maxOutputTokens: 500, httpOptions: { headers: { 'x-sandbox-fault': 'cut; bytes=2000' } } },
    })
    let text = ''
    const read = async (): Promise<void> => {
      for await (const piece of stream) text += piece.text ?? ''
    }
    await expect(read()).rejects.toMatchObject({ name: 'ApiError', status: 409 })
    expect(text).not.toBe('')
  })

  it('closes the request at the service when it is aborted', async () => {
    const gone = new AbortController()
    const { reached } = await service.during(async () => {
      const stream = await client.models.generateContentStream({
        model: 'writer-small',
        contents,
        config: { maxOutputTokens: 5000, abortSignal: gone.signal },
      })
      const read = async (): Promise<void> => {
        for await (const _ of stream) gone.abort()
      }
      await expect(read()).rejects.toThrow()
    })
    expect(await service.closedByClient(reached)).toBe(true)
  })
})
