import { encode } from 'fast-png'
import { type ChatResponse, type Message, Ollama } from 'ollama'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appKey } from '../helpers/appRequest.ts'
import { lighthouse, openService, question, type Service } from './helpers/service.ts'

// The official package, which can send no key by itself, at the address with key.
let service: Service
let root: string
let client: Ollama

beforeAll(async () => {
  service = await openService()
  root = service.gateway.url.replace(/\/v1$/, '')
  client = new Ollama({ host: `${root}/app/${appKey}` })
})
afterAll(() => service.close())

/** The package with headers for the sandbox. */
const clientWith = (headers: Record<string, string>) => new Ollama({ host: `${root}/app/${appKey}`, headers })

const messages: Message[] = [{ role: 'user', content: 'Write a line about lighthouses.' }]
const { name, description, answer } = lighthouse
const tools = [
  {
    type: 'function',
    function: {
      name,
      description,
      parameters: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', description: 'Its name', enum: ['Pharos'] } },
      },
    },
  },
]
const png = Buffer.from(encode({ width: 7, height: 5, data: new Uint8Array(105).fill(200), channels: 3 }))

/** Reads a stream to its end, and returns its lines. */
async function read<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const lines: T[] = []
  for await (const line of stream) lines.push(line)
  return lines
}

describe('the official ollama package', () => {
  it('creates a reply', async () => {
    const reply = await client.chat({ model: 'mirror:latest', messages })
    expect(reply.message.content).toContain('lighthouses')
    expect([reply.message.role, reply.done, reply.done_reason]).toEqual(['assistant', true, 'stop'])
    expect(reply.eval_count).toBeGreaterThan(0)
    expect(reply.total_duration).toBeGreaterThan(0)
  })

  it('streams a reply', async () => {
    const lines = await read(
      await client.chat({ model: 'writer-small', messages, stream: true, options: { num_predict: 20 } }),
    )
    expect(lines.length).toBeGreaterThan(5)
    expect(lines.map(({ message }) => message.content).join('')).not.toBe('')
    expect(lines.at(-1)).toMatchObject({ done: true, done_reason: 'length', eval_count: 20 })
    for (const { created_at } of lines)
      expect(Math.abs(Date.now() - Date.parse(String(created_at)))).toBeLessThan(600_000)
  })

  it('generates from a prompt', async () => {
    const reply = await client.generate({ model: 'mirror', prompt: 'About lighthouses.', system: 'Be brief.' })
    expect(reply.response).toContain('lighthouses')
    const lines = await read(await client.generate({ model: 'mirror', prompt: 'About lighthouses.', stream: true }))
    expect(lines.map(({ response }) => response).join('')).toContain('lighthouses')
  })

  it('shows that a model thinks once it has', async () => {
    const shown = async () => (await client.show({ model: 'reasoner' })).capabilities
    expect(await shown()).not.toContain('thinking')
    await client.chat({ model: 'reasoner', messages, options: { num_predict: 20 } })
    expect(await shown()).toContain('thinking')
  })

  it('reads thinking beside the reply', { tags: 'long' }, async () => {
    const lines = await read(await client.chat({ model: 'reasoner', messages, stream: true, think: 'low' }))
    expect(lines.map(({ message }) => message.thinking ?? '').join('')).not.toBe('')
    expect(lines.map(({ message }) => message.content).join('')).not.toBe('')
  })

  it.each([true, false])('calls a tool and replies to its result (streamed: %s)', async (streamed) => {
    const ask = async (all: Message[]): Promise<ChatResponse['message']> => {
      const request = { model: 'tool-caller', messages: all, tools }
      if (!streamed) return (await client.chat(request)).message
      const lines = await read(await client.chat({ ...request, stream: true }))
      return {
        role: 'assistant',
        content: lines.map(({ message }) => message.content).join(''),
        tool_calls: lines.flatMap(({ message }) => message.tool_calls ?? []),
      }
    }
    const asked: Message[] = [{ role: 'user', content: question }]
    const first = await ask(asked)
    expect(first.tool_calls).toEqual([
      expect.objectContaining({ function: { index: 0, name, arguments: { name: 'Pharos' } } }),
    ])
    const second = await ask([...asked, first, { role: 'tool', content: answer, tool_name: name }])
    expect(second.content).toContain(answer)
  })

  it('sends an image', async () => {
    const reply = await client.chat({
      model: 'vision',
      messages: [{ role: 'user', content: 'What is this?', images: [new Uint8Array(png)] }],
    })
    expect(reply.message.content).toMatch(/7\s*(x|×|by)\s*5/)
  })

  it('asks for JSON of a schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
    const reply = await client.chat({ model: 'writer-small', messages, format: schema })
    expect(JSON.parse(reply.message.content)).toEqual({ a: expect.any(Number) })
  })

  it('lists and shows models, and says its version', async () => {
    const { models } = await client.list()
    expect(models.map(({ model }) => model)).toContain('writer-small')
    const { result, reached } = await service.during(() => client.show({ model: 'writer-small' }))
    expect(result.capabilities).toEqual(['completion', 'tools'])
    expect(reached).toEqual([])
    expect((await client.ps()).models).toEqual([])
    expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('is told clearly what this address can’t do', async () => {
    const { reached } = await service.during(async () => {
      await expect(client.embed({ model: 'm', input: 'x' })).rejects.toMatchObject({
        status_code: 400,
        error: expect.stringContaining('embeddings'),
      })
      await expect(client.pull({ model: 'm' })).rejects.toThrow(/Models are at the service/)
      await expect(client.push({ model: 'm' })).rejects.toThrow(/Models are at the service/)
      await expect(client.create({ model: 'm', from: 'n' })).rejects.toThrow(/Models are at the service/)
      await expect(client.copy({ source: 'm', destination: 'n' })).rejects.toThrow(/Models are at the service/)
      await expect(client.delete({ model: 'm' })).rejects.toThrow(/Models are at the service/)
    })
    expect(reached).toEqual([])
  })

  it.each([
    [400, 1],
    [402, 1],
    [404, 1],
    [503, 2],
  ])('throws the error of a %i, sent %i times by the studio alone', async (status, times) => {
    const { result, reached } = await service.during(() =>
      clientWith({ 'x-sandbox-fault': `refuse; status=${status}` })
        .chat({ model: 'mirror', messages, stream: true })
        .catch((thrown: unknown) => thrown),
    )
    expect(result).toMatchObject({ name: 'ResponseError', status_code: status, error: expect.stringMatching(/\w/) })
    expect(reached).toHaveLength(times)
  })

  it('throws for a stream that the service breaks off, and sends nothing again', async () => {
    let text = ''
    const { result, reached } = await service.during(async () => {
      try {
        const faulty = clientWith({ 'x-sandbox-fault': 'cut; bytes=1500', 'x-sandbox-tokens-per-second': '0' })
        const stream = await faulty.chat({
          model: 'writer-small',
          messages,
          stream: true,
          options: { num_predict: 500 },
        })
        for await (const { message } of stream) text += message.content
        return null
      } catch (thrown) {
        return thrown
      }
    })
    expect(text).not.toBe('')
    expect(result).toBeInstanceOf(Error)
    expect((result as Error).message).not.toMatch(/Did not receive/)
    expect(reached).toHaveLength(1)
  })

  it('aborts, and the service sees the close', async () => {
    const { reached } = await service.during(async () => {
      const stream = await client.chat({ model: 'writer-small', messages, stream: true, options: { num_predict: 500 } })
      for await (const { message } of stream) {
        if (message.content === '') continue
        stream.abort()
        break
      }
    })
    expect(await service.closedByClient(reached)).toBe(true)
  })

  it('works with the key as a header too, and not without any', async () => {
    const withHeader = new Ollama({ host: root, headers: { authorization: `Bearer ${appKey}` } })
    expect((await withHeader.chat({ model: 'mirror', messages })).message.content).not.toBe('')
    await expect(new Ollama({ host: root }).list()).rejects.toMatchObject({
      status_code: 401,
      error: expect.stringContaining('app key'),
    })
  })
})
