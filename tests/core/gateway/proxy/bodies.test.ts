import { once } from 'node:events'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Api, apis, askIn, chatApi, openIn, urlIn } from '../../../helpers/apis.ts'
import { type Answer, appKey, ask, jsonWithKey, postJson, replyTo } from '../../../helpers/appRequest.ts'
import { firstCases } from '../../../helpers/effort.ts'
import { replyOf } from '../../../helpers/gate.ts'
import type { Gateway, GatewayOptions } from '../../../helpers/gateway.ts'
import { testGateways } from '../../../helpers/testGateways.ts'
import { heap } from '../../upstream/reply/helpers/heap.ts'

const million = 1_000_000
const { closers, beforeService } = testGateways()

/** The far end's record of a request: only the length and checksum of its body, so that the test uses no memory. */
interface Arrived {
  bytes: number
  checksum: number
  whole: boolean
  response: ServerResponse
}

/** A gateway with a far end that replies on command, or at once. */
async function setUp(options: GatewayOptions = {}, answer: ((arrived: Arrived) => void) | null = replyAtOnce) {
  const arrived: Arrived[] = []
  const counts = { open: 0, most: 0 }
  const { gateway } = await beforeService(
    (request: IncomingMessage, response: ServerResponse) => {
      const record: Arrived = { bytes: 0, checksum: 0, whole: false, response }
      arrived.push(record)
      counts.open += 1
      counts.most = Math.max(counts.most, counts.open)
      response.once('close', () => {
        counts.open -= 1
      })
      request.on('data', (piece: Buffer) => {
        record.bytes += piece.length
        record.checksum = crc32(piece, record.checksum)
      })
      request.once('end', () => {
        record.whole = true
        answer?.(record)
      })
    },
    { early: true, ...options },
  )
  return { gateway, arrived, counts }
}

function replyAtOnce({ response }: Arrived): void {
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ choices: [{ message: { content: 'Words' } }] }))
}

/** A request of about so many bytes, of which nothing is stored. */
function requestOf(api: Api, size: number, more: Record<string, unknown> = {}): Buffer {
  const unstored = api.name === 'responses' ? { store: false } : {}
  return Buffer.from(api.body({ model: 'm', ...unstored, ...more, ...api.prompt('x'.repeat(size)) }))
}
const post = (gateway: Gateway, api: Api, body: Buffer): Promise<Answer> => askIn(gateway, api, body)

/** A request of unknown length, whose body is sent piece by piece. */
function chunked(gateway: Gateway, api: Api = chatApi): ClientRequest {
  const request = postJson(urlIn(gateway, api), null)
  closers.push(() => void request.destroy())
  return request
}
/** Resolves when more can be written or the connection has ended. */
function write(request: ClientRequest, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (request.destroyed) resolve()
    else request.write(bytes, () => resolve())
  })
}
async function answerTo(
  request: ClientRequest,
): Promise<{ status: number; body: string; headers: IncomingMessage['headers'] }> {
  const response = await replyTo(request)
  let body = ''
  for await (const piece of response) body += String(piece)
  return { status: response.statusCode ?? 0, body, headers: response.headers }
}

/** Sends bytes on their own connection, with an incomplete body. */
async function halfSent(gateway: Gateway, api: Api, length: number, part: Buffer): Promise<Socket> {
  const { port, host } = new URL(gateway.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  closers.push(() => void socket.destroy())
  socket.write(
    `POST ${api.pathOf()} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${appKey}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
  )
  socket.write(part)
  await once(socket, 'connect')
  return socket
}

describe.each(firstCases(1, apis))('large JSON bodies in the API $name', (api) => {
  const chatOf = (size: number, more: Record<string, unknown> = {}): Buffer => requestOf(api, size, more)

  it('are buffered while memory is free, wait otherwise, and all arrive', { tags: 'long' }, async () => {
    const bodyMemory = { large: 8 * million, smallBody: 64 * 1024 }
    const { gateway, arrived, counts } = await setUp({ bodyMemory }, null)
    const body = chatOf(3 * million)
    const answers = Promise.all(Array.from({ length: 12 }, () => post(gateway, api, body)))
    // No request gets its reply before all requests that fit have arrived, because a body is buffered until the reply.
    for (let done = 0; done < 12; done++) {
      await expect.poll(() => arrived.filter(({ whole }) => whole).length).toBeGreaterThan(done)
      const next = arrived[done]
      if (next) replyAtOnce(next)
    }
    expect((await answers).map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(new Set(arrived.map(({ checksum }) => checksum)).size).toBe(1)
    if (api === chatApi) expect(arrived[0]?.checksum).toBe(crc32(body))
    else expect(arrived[0]?.bytes).toBeGreaterThan(3 * million)
    expect(counts.most * body.length).toBeLessThanOrEqual(8 * million)
    expect(gateway.memory.peak.large).toBeLessThanOrEqual(8 * million)
    expect(gateway.memory.peak.large).toBeGreaterThanOrEqual(body.length)
    await expect.poll(() => gateway.memory.held).toBe(0)
  })

  it('take at most 256 MB in total with the default bounds', async () => {
    const { small, large } = (await setUp()).gateway.memory.bounds
    expect(small + large).toBeLessThanOrEqual(256 * 1024 * 1024)
  })

  it('without memory in time get 503 with Retry-After and may be retried, while small ones pass', async () => {
    const bodyMemory = { large: 4 * million, smallBody: 64 * 1024, waitMs: 100 }
    const { gateway, arrived } = await setUp({ bodyMemory })
    const holder = await halfSent(gateway, api, 3 * million, Buffer.from('{"model":"m"'))
    await expect.poll(() => gateway.memory.held).toBe(3 * million)
    const refused = await post(gateway, api, chatOf(2 * million))
    expect(refused.status).toBe(503)
    expect(refused.headers).toMatchObject({ 'x-studio-answer': 'studio_busy', 'retry-after': '5' })
    expect(refused.headers).not.toHaveProperty('x-should-retry')
    expect(api.problem(refused).message).toMatch(/Too many large requests/)
    expect(arrived).toEqual([])
    expect((await post(gateway, api, chatOf(2000))).status).toBe(200)
    holder.destroy()
    await expect.poll(() => gateway.memory.held).toBe(0)
    expect((await post(gateway, api, chatOf(2 * million))).status).toBe(200)
  })

  it('of a stalled program lose their memory, and waiting ones continue', { tags: 'long' }, async () => {
    const bodyMemory = { large: 4 * million, smallBody: 64 * 1024 }
    const { gateway } = await setUp({ bodyMemory, bounds: { uploadMs: 300 } })
    const stalled = await halfSent(gateway, api, 3 * million, Buffer.from('{"model":"m"'))
    const closed = once(stalled.resume(), 'close')
    await expect.poll(() => gateway.memory.held).toBe(3 * million)
    expect((await post(gateway, api, chatOf(2 * million))).status).toBe(200)
    await closed
    await expect.poll(() => gateway.memory.held).toBe(0)
  })

  it('of unknown length do not deadlock', { tags: 'long' }, async () => {
    const { gateway, arrived } = await setUp({
      bodyMemory: { small: 2 * million, smallBody: 256 * 1024, large: 34 * million },
    })
    const whole = chatOf(400_000)
    const start = whole.subarray(0, -5)
    const requests = Array.from({ length: 8 }, () => chunked(gateway, api))
    const answers = requests.map(answerTo)
    for (const request of requests) void write(request, start)
    // One request has memory for the largest size. The others wait for this memory with their small reservations.
    await expect.poll(() => gateway.memory.waiting).toBeGreaterThan(0)
    for (const request of requests) request.end(whole.subarray(-5))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(8).fill(200))
    if (api === chatApi) expect(arrived.map(({ bytes }) => bytes)).toEqual(Array(8).fill(whole.length))
    else expect(Math.min(...arrived.map(({ bytes }) => bytes))).toBeGreaterThan(400_000)
    expect(gateway.memory.peak.small).toBeLessThanOrEqual(2 * million)
    expect(gateway.memory.peak.large).toBeLessThanOrEqual(34 * million)
    await expect.poll(() => gateway.memory.held).toBe(0)
  })

  // A request of Gemini has its model and whether it streams in the path, so its body is not changed.
  if (api.name !== 'gemini') {
    it('of unknown length in pieces of one byte are read, and changed to ask for usage', async () => {
      const bodies: string[] = []
      const { gateway } = await beforeService((_request, response, body) => {
        bodies.push(body.toString())
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: [DONE]\n\n')
      })
      const body = chatOf(300, { stream: true }).toString()
      const request = chunked(gateway, api)
      request.setNoDelay(true)
      const answer = answerTo(request)
      for (const byte of Buffer.from(body)) await write(request, Buffer.from([byte]))
      request.end()
      expect((await answer).status).toBe(200)
      if (api === chatApi) expect(bodies).toEqual([body.replace('{', '{"stream_options":{"include_usage":true},')])
      expect(bodies.map((sent) => JSON.parse(sent) as unknown)).toMatchObject([
        { model: 'm', stream_options: { include_usage: true }, messages: [{ role: 'user', content: 'x'.repeat(300) }] },
      ])
      expect((await gateway.rows())[0]).toMatchObject({ model: 'm', stream: true })
    })
  }

  it('are freed when the reply starts, however long it takes', { tags: 'long' }, async () => {
    const { gateway } = await setUp({}, ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"model":"m","choices":[{"index":0,"delta":{"content":"Words"}}]}\n\n')
    })
    const body = chatOf(12 * million, { stream: true })
    // The first run fills caches and compiles code.
    const open = async () => {
      const { request, begun } = openIn(gateway, api, body)
      closers.push(() => void request.destroy())
      await begun
    }
    await open()
    await expect.poll(() => gateway.memory.held).toBe(0)
    const before = heap()
    await open()
    await open()
    await expect.poll(() => gateway.memory.held).toBe(0)
    expect(gateway.proxy.counts().active).toBe(3)
    expect(heap() - before).toBeLessThan(4 * million)
  })

  it('of a program that disconnects at any time free their memory', { tags: 'long' }, async () => {
    const { gateway, arrived } = await setUp({ bodyMemory: { large: 40 * million, smallBody: 64 * 1024 } }, null)
    const half = await halfSent(gateway, api, 5 * million, Buffer.from('{"model":"m"'))
    const { request: known } = openIn(gateway, api, chatOf(5 * million))
    await expect.poll(() => arrived.filter(({ whole }) => whole).length).toBe(1)
    const unknown = chunked(gateway, api)
    await write(unknown, Buffer.from(`{"a":"${'x'.repeat(100_000)}`))
    await expect.poll(() => gateway.memory.held).toBeGreaterThan(10 * million)
    for (const one of [half, known, unknown]) one.destroy()
    await expect.poll(() => gateway.memory.held).toBe(0)
    expect(gateway.memory.waiting).toBe(0)
  })
})

describe('JSON over 32 MB', () => {
  const block = Buffer.alloc(64 * 1024, 'x')
  const blocks = 560
  const start = Buffer.from('{"model":"m","messages":["')
  const end = Buffer.from('"]}')

  async function send(gateway: Gateway, length: number | null) {
    const request = chunked(gateway)
    if (length !== null) request.setHeader('content-length', length)
    const answer = answerTo(request)
    await write(request, start)
    let checksum = crc32(start)
    for (let at = 0; at < blocks && !request.destroyed; at++) {
      checksum = crc32(block, checksum)
      await Promise.race([write(request, block), answer])
    }
    request.end(end)
    return { ...(await answer), checksum: crc32(end, checksum) }
  }
  const whole = start.length + blocks * block.length + end.length

  it.each([
    ['of stated length', whole],
    ['of unknown length', null],
  ])('%s is streamed on for an app without limits, byte for byte and within the bounds', async (_what, length) => {
    const { gateway, arrived } = await setUp()
    const sent = await send(gateway, length)
    expect(sent.status).toBe(200)
    expect(arrived).toMatchObject([{ bytes: whole, checksum: sent.checksum }])
    const { peak, bounds } = gateway.memory
    expect(peak.large).toBeLessThanOrEqual(bounds.large)
    await expect.poll(() => gateway.memory.held).toBe(0)
  })

  it.each([
    ['of stated length', whole],
    ['of unknown length', null],
  ])('%s gets 413 with the reason where the app has limits or a model map', async (_what, length) => {
    const { gateway, arrived } = await setUp({ app: { models: ['m'] } })
    await refuses(gateway, length, arrived, 'limits')
    gateway.change({ models: null, modelMap: [{ pattern: 'gpt-*', model: 'n' }] })
    await refuses(gateway, length, arrived, 'model map')
    gateway.change({ modelMap: [] })
    expect((await send(gateway, length)).status).toBe(200)
  })

  async function refuses(gateway: Gateway, length: number | null, arrived: readonly unknown[], reason: string) {
    const sent = await send(gateway, length)
    expect(sent.status).toBe(413)
    expect(JSON.parse(sent.body).error).toMatchObject({
      code: 'body_too_large',
      message: expect.stringMatching(new RegExp(`${reason}.*32 MB`)),
    })
    expect(arrived).toEqual([])
    await expect.poll(() => gateway.memory.held).toBe(0)
  }
})

describe.each(firstCases(1, apis))('a body in the API $name that can’t be checked', (api) => {
  it('is refused for an app with limits as soon as that is known, before it has arrived completely', async () => {
    const { gateway, arrived } = await setUp({ app: { tokensPerMinute: 1_000_000 } })
    for (const bad of [`{"messages":${'['.repeat(1000)}`, '{"model":"m",}', '{"model":"\u0001', '{"model":"m"} x']) {
      const socket = await halfSent(gateway, api, 20 * million, Buffer.from(bad))
      const [heard] = (await once(socket, 'data')) as [Buffer]
      expect(heard.toString()).toMatch(/^HTTP\/1\.1 400 /)
      expect(api.problem(replyOf(heard.toString())).message).toMatch(/JSON|levels/)
      socket.destroy()
    }
    expect(arrived).toEqual([])
    await expect.poll(() => gateway.memory.held).toBe(0)
  })
})

describe('a body that can’t be checked', () => {
  it('of 10 MB with five million levels of nesting is passed unread for an app without limits', async () => {
    const { gateway, arrived } = await setUp()
    const body = Buffer.concat([
      Buffer.from('{"model":"m","messages":'),
      Buffer.alloc(5 * million, '['),
      Buffer.alloc(5 * million, ']'),
      Buffer.from('}'),
    ])
    expect((await post(gateway, chatApi, body)).status).toBe(200)
    expect(arrived).toMatchObject([{ bytes: body.length, checksum: crc32(body) }])
    expect((await gateway.rows())[0]).toMatchObject({ model: null })
  })
})

describe('replies with images, which are buffered to rewrite their URLs', () => {
  const pictures = (base: string, size: number) =>
    JSON.stringify({ created: 1, data: [{ url: `${base}/files/a.png`, b64_json: 'A'.repeat(size) }] })

  async function imagesGateway(size: number, options: GatewayOptions, length: boolean) {
    const { far, gateway } = await beforeService((_request, response) => {
      const body = pictures(far.url, size)
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(length ? { 'content-length': Buffer.byteLength(body) } : {}),
      })
      response.end(body)
    }, options)
    return { gateway, far }
  }
  const draw = (gateway: Gateway) =>
    ask(`${gateway.url}/images/generations`, { method: 'POST', headers: jsonWithKey, body: '{"prompt":"a cat"}' })

  it.each([true, false])(
    'share the memory of request bodies, with a known length or not (%s)',
    { tags: 'long' },
    async (length) => {
      const large = length ? 5 * million : 70 * million
      const { gateway, far } = await imagesGateway(2 * million, { bodyMemory: { large } }, length)
      const answers = await Promise.all(Array.from({ length: 8 }, () => draw(gateway)))
      const expected = pictures(far.url, 2 * million).replace(far.url, `${new URL(gateway.url).origin}/service`)
      expect(answers.every(({ status, body }) => status === 200 && body.toString() === expected)).toBe(true)
      expect(gateway.memory.peak.large).toBeLessThanOrEqual(large)
      expect(gateway.memory.peak.large).toBeGreaterThan(2 * million)
      await expect.poll(() => gateway.memory.held).toBe(0)
    },
  )

  it('are passed unchanged if no memory becomes free', async () => {
    const { gateway, far } = await imagesGateway(2 * million, { bodyMemory: { large: 3 * million, waitMs: 50 } }, true)
    const holder = await halfSent(gateway, chatApi, 2 * million, Buffer.from('{"model":"m"'))
    await expect.poll(() => gateway.memory.held).toBe(2 * million)
    const answer = await draw(gateway)
    expect(answer.status).toBe(200)
    expect(answer.body.toString()).toBe(pictures(far.url, 2 * million))
    holder.destroy()
  })
})
