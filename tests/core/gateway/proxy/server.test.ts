import { once as event } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { ask } from '../../../helpers/appRequest.ts'
import { echo, goodKey, once, open, openGate, speak } from '../../../helpers/gate.ts'
import { head, models, statuses, swallow, testGates, withKey } from './testGates.ts'

const { gateWith, line, gates, servers } = testGates()

describe('the address of the local API', () => {
  it('is 127.0.0.1 and no other address of this computer', async () => {
    const gate = await gateWith()
    const others = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    const addresses = others.map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address))
    expect(addresses).toContain('127.0.0.1')
    for (const address of [...addresses, ...(process.platform === 'linux' ? ['127.0.0.2'] : [])].filter(
      (one) => one !== '127.0.0.1',
    )) {
      const { socket } = open(gate.port, address)
      const reached = await Promise.race([
        event(socket, 'connect').then(
          () => true,
          () => false,
        ),
        event(socket, 'close').then(() => false),
      ])
      socket.destroy()
      expect([address, reached]).toEqual([address, false])
    }
    expect((await models(gate)).status).toBe(200)
  })

  it('is also ::1 on the same port if enabled', async () => {
    const gate = await gateWith({}, echo, true)
    if (gate.proxy.ipv6Problem) {
      expect(gate.proxy.ipv6Problem.message).toContain('this computer has no ::1')
      return
    }
    const heard = await speak(
      gate.port,
      `GET /v1/models HTTP/1.1\r\nHost: [::1]:${gate.port}\r\nAuthorization: Bearer ${goodKey}\r\nConnection: close\r\n\r\n`,
      '::1',
    )
    expect(heard).toMatch(/^HTTP\/1\.1 200 /)
    expect((await models(gate)).status).toBe(200)
    expect(gate.proxy.counts().relayed).toBe(2)
  })

  it('is only 127.0.0.1 if ::1 is not available, with a reason', async () => {
    // A port that is free on both addresses: others listen on 127.0.0.1 at the same time.
    const free = createServer().listen(0, '127.0.0.1')
    await event(free, 'listening')
    const { port: known } = free.address() as { port: number }
    const other = createServer()
    servers.push(other)
    other.listen(known, '::1')
    const failed = await Promise.race([
      event(other, 'listening').then(() => false),
      event(other, 'error').then(() => true),
    ])
    const ended = event(free, 'close')
    free.close()
    await ended
    const gate = await openGate(echo, {}, { port: failed ? 0 : known, ipv6: true })
    gates.push(gate)
    expect(gate.proxy.ipv6Problem?.kind).toBe('port_taken')
    expect(gate.proxy.ipv6Problem?.message).toContain('only on 127.0.0.1')
    expect((await models(gate)).status).toBe(200)
    const refused = await ask(`${gate.url}/v1/models`, { headers: { ...withKey, host: `[::1]:${gate.port}` } })
    expect(refused.status).toBe(421)
  })

  it('is the next free port when the wanted one is taken', async () => {
    const first = await gateWith()
    const second = await openGate(echo, {}, { port: first.port, ipv6: false })
    gates.push(second)
    expect(second.port).toBeGreaterThan(first.port)
    expect(second.proxy.baseUrl).toBe(`http://127.0.0.1:${second.port}/v1`)
  })
})

describe('ambiguous requests', () => {
  const key = `Authorization: Bearer ${goodKey}\r\n`
  it.each<[string, string, number]>([
    ['two lengths that differ', 'Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc', 400],
    ['two lengths that agree', 'Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc', 400],
    ['a list of lengths', 'Content-Length: 3, 3\r\n\r\nabc', 400],
    ['a signed length', 'Content-Length: +3\r\n\r\nabc', 400],
    ['a negative length', 'Content-Length: -3\r\n\r\nabc', 400],
    ['a length past all numbers', 'Content-Length: 99999999999999999999999\r\n\r\nabc', 400],
    ['a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ['an unknown transfer coding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n', 501],
    ['a second transfer coding', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 501],
    ['chunks that are not last', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n', 400],
    ['two hosts', 'Host: evil.example\r\n\r\n', 400],
    ['two keys', `${key}\r\n`, 400],
    ['a folded header', 'X-A: b\r\n c\r\n\r\n', 400],
    ['a space before the colon', 'X-A : b\r\n\r\n', 400],
    ['a header that ends in a bare LF', 'X-A: b\nX-C: d\r\n\r\n', 400],
    ['a bare CR in a header', 'X-A: b\rX-C: d\r\n\r\n', 400],
    ['a zero byte in a header', 'X-A: b\0c\r\n\r\n', 400],
    ['headers of 64 KB', `X-Long: ${'x'.repeat(65_536)}\r\n\r\n`, 431],
    ['300 headers', `${'X-A: b\r\n'.repeat(300)}\r\n`, 431],
    ['a chunk of negative size', 'Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n', 400],
    ['a chunk size past all numbers', 'Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n', 400],
    ['a chunk longer than it says', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n', 400],
    ['a chunk size that ends in a bare LF', 'Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n', 400],
    [
      'chunk extensions of 32 KB',
      `Transfer-Encoding: chunked\r\n\r\n5;a=${'b'.repeat(32_768)}\r\nhello\r\n0\r\n\r\n`,
      413,
    ],
  ])('%s: a clean 4xx, then the end of the connection', async (_what, lines_, status) => {
    let whole = 0
    const gate = await gateWith({}, async (request, response, pass) => {
      await swallow(request, response, pass)
      if (request.complete) whole += 1
    })
    const smuggled = `GET /v1/smuggled HTTP/1.1\r\nHost: 127.0.0.1:${gate.port}\r\n${key}\r\n`
    const heard = await speak(
      gate.port,
      `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:${gate.port}\r\n${key}${lines_}${smuggled}`,
    )
    expect(statuses(heard)).toEqual([status])
    expect(heard).toContain('"type":"studio_refused"')
    expect(heard).toMatch(/X-Studio-Answer: studio_refused\r\n/)
    expect(heard).toMatch(/Connection: close\r\n/)
    // Neither the request nor the bytes after it were relayed.
    expect(whole).toBe(0)
    expect(gate.refused).toHaveLength(1)
    await once(() => gate.proxy.counts().active === 0)
  })

  it.each([
    ['HTTP/0.9', 'GET /v1/models\r\n\r\n'],
    ['HTTP/2 in the clear', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a request line that ends in a bare LF', 'GET /v1/models HTTP/1.1\n\n'],
    ['a handshake of https', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ])('%s: a clean 4xx too', async (what, bytes) => {
    const gate = await gateWith()
    const heard = await speak(gate.port, bytes)
    expect(statuses(heard)).toEqual([400])
    expect(heard).toContain('"type":"studio_refused"')
    expect(gate.refused).toHaveLength(1)
    if (what.includes('https')) expect(gate.refused[0]?.from).toBe('a program that uses https')
  })

  it('bytes after a reply that closes the connection are ignored', async () => {
    const seen: string[] = []
    const gate = await gateWith({}, async (request, response, pass) => {
      seen.push(pass.path)
      await echo(request, response, pass)
    })
    const bad = head(gate, 'Host: evil.example\r\n', 'GET /v1/first')
    const heard = await speak(gate.port, bad + head(gate, '', 'GET /v1/second').repeat(80))
    expect(statuses(heard)).toEqual([400])
    expect(seen).toEqual([])
  })
})

describe('methods and protocols that are not relayed', () => {
  it.each([
    ['TRACE', 'TRACE /v1/models', '', 405, 'method_refused'],
    ['a tunnel', 'CONNECT 127.0.0.1:PORT', '', 405, 'method_refused'],
    ['a tunnel to elsewhere', 'CONNECT evil.example:443', 'Host: evil.example:443\r\n', 400, 'repeated_header'],
    [
      'a WebSocket',
      'GET /v1/realtime',
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n',
      400,
      'no_websocket',
    ],
    ['another expectation', 'POST /v1/models', 'Expect: 200-maybe\r\nContent-Length: 2\r\n', 417, 'expectation'],
  ])('%s: refused with a message', async (_what, first, more, status, code) => {
    const gate = await gateWith()
    const opened = line(gate)
    opened.socket.write(head(gate, more, first.replace('PORT', String(gate.port))))
    const heard = await opened.until((text) => text.endsWith('}'))
    expect(statuses(heard)).toEqual([status])
    expect(heard).toContain(`"code":"${code}"`)
    expect(gate.refused.map((refusal) => refusal.code)).toEqual([code])
    expect(gate.proxy.counts().relayed).toBe(0)
  })

  it('an HTTP/2 offer, as of Java’s client, is ignored and the connection continues in HTTP/1.1', async () => {
    const gate = await gateWith()
    const opened = line(gate)
    const offer =
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n'
    opened.socket.write(head(gate, offer, 'GET /v1/one'))
    await opened.until((text) => text.includes('GET /v1/one'))
    opened.socket.write(head(gate, '', 'GET /v1/two'))
    expect(statuses(await opened.until((text) => text.includes('GET /v1/two')))).toEqual([200, 200])
  })
})
