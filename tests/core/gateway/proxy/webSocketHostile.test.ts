import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { appKey } from '../../../helpers/appRequest.ts'
import type { GatewayOptions } from '../../../helpers/gateway.ts'
import { SocketClient } from '../../../helpers/responsesSocket.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// Clients of the WebSocket that send or read what no client should.

const megabyte = 1024 * 1024
const { beforeService } = testGateways()

const chunk = (content: string, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`

/** A service that replies with one word, or for ever with `endless`. */
async function open(options: GatewayOptions = {}, endless = false) {
  const sent = { bytes: 0, isClosed: false }
  const { far, gateway } = await beforeService((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (!endless) {
      response.end(`${chunk('Words', 'stop')}data: [DONE]\n\n`)
      return
    }
    response.once('close', () => {
      sent.isClosed = true
    })
    const words = chunk('x'.repeat(64 * 1024))
    const write = (): void => {
      while (!sent.isClosed && response.write(words)) sent.bytes += words.length
    }
    response.on('drain', write)
    write()
  }, options)
  return { far, gateway, sent }
}

describe('a message', () => {
  it.each([
    ['no JSON', '{"type":', 'body_unreadable'],
    ['no object', '[]', 'body_unreadable'],
    ['nothing', '', 'body_unreadable'],
    ['another type', '{"type":"response.cancel"}', 'unknown_message_type'],
    ['no type', '{"model":"m","input":"x"}', 'unknown_message_type'],
    ['a hostile member', '{"__proto__":{"type":"response.create"},"model":"m"}', 'unknown_message_type'],
    ['no model', '{"type":"response.create","input":"x"}', 'not_translatable'],
    ['a warm-up', '{"type":"response.create","model":"m","input":"x","generate":false}', 'not_translatable'],
    ['background mode', '{"type":"response.create","model":"m","input":"x","background":true}', 'not_translatable'],
    [
      '200 levels',
      `{"type":"response.create","model":"m","input":${'['.repeat(200)}${']'.repeat(200)}}`,
      'body_unreadable',
    ],
  ])('with %s gets a 400 and the connection goes on', async (_, message, code) => {
    const { far, gateway } = await open()
    const client = await SocketClient.open(gateway)
    client.socket.send(message)
    expect(await client.next()).toMatchObject({ type: 'error', status: 400, error: { code } })
    expect((await client.turn({ input: 'Hello', stream: false })).type).toBe('response.completed')
    expect(far.requests).toHaveLength(1)
    expect(gateway.memory.held).toBe(0)
    client.socket.close()
  })

  it.each([
    ['of bytes', Buffer.from('{}'), true, 1003],
    ['that is not UTF-8', Buffer.from([0xff, 0xfe]), false, 1007],
  ])('%s ends the connection', async (_, message, binary, code) => {
    const { far, gateway } = await open()
    const client = await SocketClient.open(gateway)
    client.socket.send(message, { binary })
    expect((await client.closed).code).toBe(code)
    expect(far.requests).toHaveLength(0)
    await expect.poll(() => gateway.memory.held).toBe(0)
  })

  it('over 32 MB ends the connection before it has arrived, in one frame or in several', { tags: 'long' }, async () => {
    const { gateway } = await open()
    for (const isWhole of [true, false]) {
      const client = await SocketClient.open(gateway)
      if (isWhole) client.socket.send('x'.repeat(33 * megabyte))
      else for (let n = 0; n < 33; n += 1) client.socket.send('x'.repeat(megabyte), { fin: false })
      expect((await client.closed).code).toBe(1009)
    }
    await expect.poll(() => gateway.memory.held).toBe(0)
  })

  it('of many frames, with a ping between them, is one message', async () => {
    const { far, gateway } = await open()
    const client = await SocketClient.open(gateway)
    const text = JSON.stringify({ type: 'response.create', model: 'm', input: 'é'.repeat(2000), store: false })
    for (let at = 0; at < text.length; at += 100) {
      client.socket.send(text.slice(at, at + 100), { fin: at + 100 >= text.length })
      client.socket.ping()
    }
    expect((await client.rest()).at(-1)?.type).toBe('response.completed')
    expect(far.requests[0]?.body.toString()).toContain('é'.repeat(2000))
    await expect.poll(() => gateway.memory.held).toBe(0)
    client.socket.close()
  })

  it('of several MB is translated on the other thread, and continued', { tags: 'long' }, async () => {
    const { far, gateway } = await open()
    const client = await SocketClient.open(gateway)
    const first = await client.turn({ input: 'x'.repeat(3 * megabyte), store: false })
    expect(first.type).toBe('response.completed')
    const next = await client.turn({ input: 'Two', store: false, previous_response_id: first.response?.id })
    expect(next.type).toBe('response.completed')
    expect(far.requests[1]?.body.length).toBeGreaterThan(3 * megabyte)
    await expect.poll(() => gateway.memory.held).toBe(0)
    client.socket.close()
  })

  it('for which there is no memory is not read, and gets a 503', async () => {
    const { far, gateway } = await open({ bodyMemory: { small: 2 * megabyte, large: 40 * megabyte, waitMs: 50 } })
    const taken = gateway.memory.takeNow('another', 40 * megabyte)
    expect(taken).not.toBeNull()
    const client = await SocketClient.open(gateway)
    client.create({ input: 'x'.repeat(4 * megabyte), store: false })
    expect(await client.next()).toMatchObject({ type: 'error', status: 503, error: { code: 'body_memory_full' } })
    expect((await client.closed).code).toBe(1013)
    taken?.release()
    const second = await SocketClient.open(gateway)
    expect((await second.turn({ input: 'x'.repeat(4 * megabyte), store: false })).type).toBe('response.completed')
    expect(far.requests).toHaveLength(1)
    second.socket.close()
  })

  it('that waits for memory continues when memory is free', { tags: 'long' }, async () => {
    const { gateway } = await open({ bodyMemory: { small: 2 * megabyte, large: 40 * megabyte } })
    const taken = gateway.memory.takeNow('another', 40 * megabyte)
    const client = await SocketClient.open(gateway)
    client.create({ input: 'x'.repeat(4 * megabyte), store: false })
    await expect.poll(() => gateway.memory.waiting).toBe(1)
    taken?.release()
    expect((await client.rest()).at(-1)?.type).toBe('response.completed')
    client.socket.close()
  })

  it('that never ends is given up', async () => {
    const { gateway } = await open({ bounds: { uploadMs: 100 } })
    const client = await SocketClient.open(gateway)
    client.socket.send('{"type":', { fin: false })
    expect(await client.next()).toMatchObject({ status: 408, error: { code: 'upload_stalled' } })
    await client.closed
    await expect.poll(() => gateway.memory.held).toBe(0)
  })

  it('that follows too many others without waiting ends the connection and its turn', async () => {
    const { gateway, sent } = await open({}, true)
    const client = await SocketClient.open(gateway)
    for (let n = 0; n < 8; n += 1) client.create({ input: 'Hello' })
    for (;;) {
      const event = await client.next()
      if (event.type !== 'error') continue
      expect(event).toMatchObject({ status: 429, error: { code: 'too_many_pending' } })
      break
    }
    expect((await client.closed).code).toBe(1008)
    await expect.poll(() => sent.isClosed || gateway.proxy.counts().active === 0).toBe(true)
    await expect.poll(() => gateway.memory.held).toBe(0)
  })
})

it('an app that does not read slows the service down, and is cut', { tags: 'long' }, async () => {
  const { gateway, sent } = await open({ bounds: { readMs: 400 } }, true)
  const client = await SocketClient.open(gateway)
  client.create({ input: 'Hello' })
  await client.next()
  client.socket.pause()
  await expect.poll(() => sent.isClosed, { timeout: 20_000 }).toBe(true)
  // What the service could send fits into the buffers of the system.
  expect(sent.bytes).toBeLessThan(64 * megabyte)
  await expect
    .poll(async () => (await gateway.rows())[0])
    .toMatchObject({ state: 'cancelled', cancelledBy: 'studio', problem: { kind: 'reading_stalled' } })
  client.socket.resume()
  await client.closed
})

it('an app that closes without reading closes the request to the service', async () => {
  const { gateway, sent } = await open({}, true)
  const client = await SocketClient.open(gateway)
  client.create({ input: 'Hello' })
  await client.next()
  client.socket.pause()
  client.socket.close()
  await expect.poll(() => sent.isClosed).toBe(true)
  client.socket.terminate()
  await expect.poll(async () => (await gateway.rows())[0]?.cancelledBy).toBe('app')
})

it('frames in the packet of the upgrade request are messages like others', async () => {
  const { gateway } = await open()
  const { hostname, port, host } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  const message = Buffer.from('{"type":"early"}')
  const frame = Buffer.concat([Buffer.from([0x81, 0x80 | message.length, 0, 0, 0, 0]), message])
  const lines = [
    'GET /v1/responses HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${appKey}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), frame, frame]))
  let heard = ''
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString('latin1')
  })
  await expect.poll(() => heard.split('unknown_message_type').length - 1).toBe(2)
  socket.destroy()
  await expect.poll(() => gateway.memory.held).toBe(0)
})

it('bytes that are no frames end the connection', async () => {
  const { gateway } = await open()
  const client = await SocketClient.open(gateway)
  const raw = (client.socket as unknown as { _socket: NodeJS.WritableStream })._socket
  raw.write(Buffer.from('GET /v1/responses HTTP/1.1\r\nHost: x\r\n\r\n'))
  await once(client.socket, 'close')
  await expect.poll(() => gateway.memory.held).toBe(0)
})
