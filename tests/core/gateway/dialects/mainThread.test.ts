import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, vi } from 'vitest'
import { ask, jsonWithKey } from '../../../helpers/appRequest.ts'
import type { Gateway } from '../../../helpers/gateway.ts'
import { SocketClient } from '../../../helpers/responsesSocket.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// Long conversations are parsed and written on another thread, so that they block no other request.

const { beforeService, closers } = testGateways()

const megabyte = 1024 * 1024
const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"Words"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
const whole = '{"choices":[{"index":0,"message":{"content":"Words"},"finish_reason":"stop"}]}'
const open = () =>
  beforeService((_request, response, body) => {
    const isStream = body.subarray(-500).includes('"stream":true')
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    response.end(isStream ? chunk : whole)
  })

/** A message of the user of so many bytes. */
const said = (content: string) => ({ role: 'user', content })
const long = 'x'.repeat(3 * megabyte)
const answered = { role: 'assistant', content: 'y'.repeat(2 * megabyte) }

const post = (gateway: Gateway, path: string, body: string) =>
  ask(`${gateway.url}${path}`, { method: 'POST', headers: jsonWithKey, body })

/** The longest JSON that this thread parses and writes during `act`, UTF-16 units. */
async function longestJson(act: () => Promise<void>): Promise<number> {
  const parse = vi.spyOn(JSON, 'parse')
  const stringify = vi.spyOn(JSON, 'stringify')
  try {
    await act()
    const parsed = parse.mock.calls.map(([json]) => String(json).length)
    const written = stringify.mock.results.map(({ value }) => (typeof value === 'string' ? value.length : 0))
    return Math.max(0, ...parsed, ...written)
  } finally {
    parse.mockRestore()
    stringify.mockRestore()
  }
}
/** Far below the conversations of these tests. */
const short = 100_000

describe('no long JSON is parsed or written on the main thread for', () => {
  it('a compaction, and its reply has the messages of the user', { tags: 'long' }, async () => {
    const { far, gateway } = await open()
    const body = JSON.stringify({ model: 'm', input: [said(long), answered, said('Go on')] })
    let reply: Buffer = Buffer.alloc(0)
    const longest = await longestJson(async () => {
      reply = (await post(gateway, '/responses/compact', body)).body
    })
    expect(longest).toBeLessThan(short)
    const { id, output } = JSON.parse(reply.toString()) as { id: string; output: Record<string, unknown>[] }
    const suffix = id.slice('resp_'.length)
    expect(output).toMatchObject([
      { type: 'message', role: 'user', id: `msg_${suffix}_in0`, content: [{ type: 'input_text', text: long }] },
      { type: 'message', role: 'user', id: `msg_${suffix}_in1`, content: [{ text: 'Go on' }] },
      { type: 'compaction', id: `cmp_${suffix}` },
    ])
    const { messages } = JSON.parse(far.requests[0]?.body.toString() ?? '') as { messages: { content: string }[] }
    expect(messages.map(({ content }) => content.length).slice(0, 3)).toEqual([long.length, 2 * megabyte, 5])
    await expect.poll(() => gateway.memory.held).toBe(0)
  })

  it('a compaction of a long stored conversation', { tags: 'long' }, async () => {
    const { gateway } = await open()
    const first = await post(gateway, '/responses', JSON.stringify({ model: 'm', input: [said(long), answered] }))
    const { id } = JSON.parse(first.body.toString()) as { id: string }
    const body = JSON.stringify({ model: 'm', previous_response_id: id, input: 'And now' })
    let reply: Buffer = Buffer.alloc(0)
    const longest = await longestJson(async () => {
      reply = (await post(gateway, '/responses/compact', body)).body
    })
    expect(longest).toBeLessThan(short)
    const { output } = JSON.parse(reply.toString()) as { output: { content?: { text: string }[] }[] }
    expect(output.map(({ content }) => content?.[0]?.text.length)).toEqual([long.length, 7, undefined])
    await expect.poll(() => gateway.memory.held).toBe(0)
  })

  it('a conversation on a WebSocket that is not stored, also when it continues a stored one', {
    tags: 'long',
  }, async () => {
    const { far, gateway } = await open()
    const stored = await post(gateway, '/responses', JSON.stringify({ model: 'm', input: [said(long)] }))
    const { id } = JSON.parse(stored.body.toString()) as { id: string }
    const client = await SocketClient.open(gateway)
    const second = JSON.stringify({
      type: 'response.create',
      model: 'm',
      store: false,
      previous_response_id: id,
      input: [{ ...answered, id: 'msg_mine' }, said('Two')],
    })
    const longest = await longestJson(async () => {
      client.socket.send(second)
      const { response } = (await client.rest()).at(-1) ?? {}
      const third = await client.turn({ input: 'Three', store: false, previous_response_id: response?.id })
      expect(third.type).toBe('response.completed')
      // By its id an item is found too.
      const input = [
        { type: 'item_reference', id: `msg_${third.response?.id.slice('resp_'.length)}_in0` },
        said('Four'),
      ]
      const fourth = await client.turn({ input, store: true, previous_response_id: third.response?.id })
      // It can't be stored, because what it continues is not stored.
      expect(fourth).toMatchObject({ type: 'response.completed', response: { store: false } })
    })
    expect(longest).toBeLessThan(short)
    const { messages } = JSON.parse(far.requests.at(-1)?.body.toString() ?? '') as { messages: { content: string }[] }
    expect(messages.map(({ content }) => (content.length > 100 ? content.length : content))).toEqual([
      ...[long.length, 'Words', 2 * megabyte, 'Two', 'Words', 'Three', 'Words', 'Three', 'Four'],
    ])
    client.socket.close()
    await expect.poll(() => gateway.memory.held).toBe(0)
  })

  it('a count of tokens, which is the same as for a short request', { tags: 'long' }, async () => {
    const { far, gateway } = await open()
    const count = async (messages: unknown[]) => {
      const body = JSON.stringify({ model: 'm', messages })
      let reply: Buffer = Buffer.alloc(0)
      const longest = await longestJson(async () => {
        reply = (await post(gateway, '/messages/count_tokens', body)).body
      })
      expect(longest).toBeLessThan(short)
      return JSON.parse(reply.toString()) as { input_tokens: number }
    }
    const image = (bytes: number) => ({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(bytes) },
    })
    const messages = (bytes: number) => [said('What is this?'), { role: 'user', content: [image(bytes)] }]
    expect(await count(messages(4 * megabyte))).toEqual(await count(messages(4)))
    expect(far.requests).toHaveLength(0)
    const wrong = await post(
      gateway,
      '/messages/count_tokens',
      `{"model":"m","messages":[{"role":"user","content":7}],"x":"${long}"}`,
    )
    expect([wrong.status, (JSON.parse(wrong.body.toString()) as { type: string }).type]).toEqual([400, 'error'])
    await expect.poll(() => gateway.memory.held).toBe(0)
  })
})

it.each(['/responses', '/messages', '/../v1beta/models/m:generateContent', '/../api/chat'])(
  'a long request at %s with a short conversation is translated',
  { tags: 'long' },
  async (path) => {
    const { far, gateway } = await open()
    const conversation = { messages: [said('Hello')], contents: [{ parts: [{ text: 'Hello' }] }], stream: false }
    const body = JSON.stringify({ model: 'm', max_tokens: 5, input: 'Hello', ...conversation, unknown: long })
    const answer = await post(gateway, path, body)
    expect([answer.status, answer.headers['x-studio-ignored']]).toEqual([200, expect.stringContaining('unknown')])
    expect(far.requests[0]?.body.length).toBeLessThan(1000)
  },
)

it('a turn that the disk refuses to store says store: false, and is continued on its connection', async () => {
  const { gateway } = await open()
  const client = await SocketClient.open(gateway)
  await client.turn({ input: 'One' })
  const other = new DatabaseSync(join(gateway.dataDir, 'bodies.sqlite'))
  other.exec("CREATE TRIGGER refuse BEFORE INSERT ON responses BEGIN SELECT RAISE(ABORT, 'refused'); END")
  other.close()
  const second = await client.turn({ input: 'Two' })
  expect(second).toMatchObject({ type: 'response.completed', response: { status: 'completed', store: false } })
  const third = await client.turn({ input: 'Three', previous_response_id: second.response?.id })
  expect(third).toMatchObject({ type: 'response.completed', response: { store: false } })
  client.socket.close()
  closers.pop()
  await expect(gateway.close()).rejects.toThrow('Responses could not be stored')
})
