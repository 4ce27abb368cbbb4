import { once as event } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { sendRefusal } from '../../../../src-main/core/gateway/proxy/errorReplies.ts'
import type { FrontendDependencies, ProxyBounds } from '../../../../src-main/core/gateway/proxy/frontendOptions.ts'
import { apis, chatApi } from '../../../helpers/apis.ts'
import { ask, postJson, replyTo } from '../../../helpers/appRequest.ts'
import { echo, goodKey, type Line, type OpenGate, once, open, openGate, replyOf, speak } from '../../../helpers/gate.ts'

const gates: OpenGate[] = []
const servers: Server[] = []
const lines: Line[] = []
afterEach(async () => {
  for (const { socket } of lines.splice(0)) socket.destroy()
  for (const gate of gates.splice(0)) await gate.close()
  for (const server of servers.splice(0)) server.close()
})

async function gateWith(
  bounds: Partial<ProxyBounds> = {},
  relay: FrontendDependencies['relay'] = echo,
  ipv6 = false,
): Promise<OpenGate> {
  const gate = await openGate(relay, bounds, { port: 0, ipv6 })
  gates.push(gate)
  return gate
}
const line = (gate: OpenGate): Line => {
  const opened = open(gate.port)
  lines.push(opened)
  return opened
}

const withKey = { authorization: `Bearer ${goodKey}` }
const head = (gate: OpenGate, more = '', first = 'GET /v1/models') =>
  `${first} HTTP/1.1\r\nHost: 127.0.0.1:${gate.port}\r\nAuthorization: Bearer ${goodKey}\r\n${more}\r\n`
const models = (gate: OpenGate) => ask(`${gate.url}/v1/models`, { headers: withKey })
const statuses = (heard: string) => [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** Reads the body to its end and replies with its number of bytes. */
const swallow: FrontendDependencies['relay'] = async (request, response, pass) => {
  pass.proceed()
  let bytes = 0
  try {
    for await (const piece of request) bytes += (piece as Buffer).length
  } catch {
    return
  }
  response.end(String(bytes))
}

/** Sends endless replies as fast as they are read, and counts the running ones. */
function endless() {
  const state = { running: 0 }
  const relay: FrontendDependencies['relay'] = async (_request, response) => {
    state.running += 1
    const piece = Buffer.alloc(64 * 1024, 'x')
    const gone = new Promise<void>((resolve) => response.once('close', resolve))
    const pump = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', pump)
    pump()
    await gone
    state.running -= 1
  }
  return { state, relay }
}

/** Starts a reply and never ends it. */
const quietStream: FrontendDependencies['relay'] = async (_request, response) => {
  response.write('data: 1\n\n')
  await event(response, 'close')
}

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
    const other = createServer()
    servers.push(other)
    other.listen(0, '::1')
    const failed = await Promise.race([
      event(other, 'listening').then(() => false),
      event(other, 'error').then(() => true),
    ])
    const port = failed ? 0 : (other.address() as { port: number }).port
    const gate = await openGate(echo, {}, { port, ipv6: true })
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
  ])('%s: refused in words', async (_what, first, more, status, code) => {
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

describe('uploads', () => {
  it('start only after the guard has accepted the request', async () => {
    const gate = await gateWith({}, swallow)
    const lines_ = 'Expect: 100-continue\r\nContent-Length: 1000000\r\n'
    const refused = await speak(
      gate.port,
      `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: 127.0.0.1:${gate.port}\r\n${lines_}\r\n`,
    )
    expect(refused).toMatch(/^HTTP\/1\.1 401 /)
    expect(refused).not.toContain('100 Continue')
    const opened = line(gate)
    opened.socket.write(
      head(gate, 'Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n', 'POST /v1/audio/transcriptions'),
    )
    await opened.until((text) => text === 'HTTP/1.1 100 Continue\r\n\r\n')
    opened.socket.write('hi')
    expect(statuses(await opened.closed)).toEqual([100, 200])
  })

  it('that are refused early are discarded to their end, and the connection stays open', async () => {
    const gate = await gateWith({}, async (request, response) => {
      if (request.method === 'POST') {
        await event(request, 'readable')
        request.read(1)
      }
      response.end('early')
    })
    const opened = line(gate)
    opened.socket.write(head(gate, 'Content-Length: 8000000\r\n', 'POST /v1/x'))
    opened.socket.write(Buffer.alloc(8_000_000, 'x'))
    opened.socket.write(head(gate, 'Connection: close\r\n'))
    expect(statuses(await opened.closed)).toEqual([200, 200])
  })

  it('that never get 100 Continue close their connection', async () => {
    const gate = await gateWith({}, async (_request, response) => {
      sendRefusal(response, { status: 429, type: 'studio_limit', code: 'concurrent', message: 'One at a time.' })
    })
    const more = 'Expect: 100-continue\r\nContent-Length: 50\r\n'
    const heard = await speak(gate.port, head(gate, more, 'POST /v1/x') + head(gate, '', 'GET /v1/hidden'))
    expect(statuses(heard)).toEqual([429])
    expect(heard).toMatch(/Connection: close\r\n/)
    expect(gate.proxy.counts().relayed).toBe(1)
  })

  it('that wait for 100 Continue do not count as stalled', async () => {
    const turn = Promise.withResolvers<void>()
    const gate = await gateWith({ uploadMs: 100 }, async (request, response, pass) => {
      await turn.promise
      await swallow(request, response, pass)
    })
    const opened = line(gate)
    const started = performance.now()
    opened.socket.write(head(gate, 'Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n', 'POST /v1/x'))
    await once(() => performance.now() - started > 400)
    turn.resolve()
    await opened.until((text) => text.includes('100 Continue'))
    opened.socket.write('hi')
    expect(statuses(await opened.closed)).toEqual([100, 200])
  })

  it.each([...apis, { ...chatApi, path: '/audio/transcriptions' }])(
    'to $path that stall get 408, and their slot is free again',
    async ({ path, problem }) => {
      const gate = await gateWith({ uploadMs: 200 }, swallow)
      const opened = line(gate)
      opened.socket.write(`${head(gate, 'Content-Length: 10\r\n', `POST /v1${path}`)}abc`)
      await once(() => gate.proxy.counts().active === 1)
      const heard = replyOf(await opened.closed)
      expect(heard.status).toBe(408)
      expect(problem(heard).message).toMatch(/No more of the upload arrived/)
      expect(gate.cuts).toEqual(['upload_stalled'])
      await once(() => gate.proxy.counts().active === 0)
    },
  )

  it.each(apis)('to $path that break the chunked coding get 400', async ({ path, problem }) => {
    const gate = await gateWith({}, swallow)
    const opened = line(gate)
    opened.socket.write(`${head(gate, 'Transfer-Encoding: chunked\r\n', `POST /v1${path}`)}3\r\nabc\r\n`)
    await once(() => gate.proxy.counts().active === 1)
    opened.socket.write('no chunk\r\n')
    const heard = replyOf(await opened.closed)
    expect(heard.status).toBe(400)
    expect(problem(heard).message).toMatch(/not a valid HTTP request/)
    expect(gate.cuts).toEqual(['malformed_body'])
  })

  it('that progress may take any time', async () => {
    const gate = await gateWith({ uploadMs: 300 }, swallow)
    const opened = line(gate)
    opened.socket.write(head(gate, 'Content-Length: 24\r\nConnection: close\r\n', 'POST /v1/audio/transcriptions'))
    // 24 bytes, one every 50 ms: four times the bound in total.
    for (let sent = 0; sent < 24; sent += 1) {
      const last = performance.now()
      opened.socket.write('x')
      await once(() => performance.now() - last > 50)
    }
    expect(await opened.closed).toMatch(/\r\n24\r\n0\r\n\r\n$|\r\n\r\n24$/)
    expect(gate.cuts).toEqual([])
  })

  it('do not count time in which the program did not run as a stall', async () => {
    const gate = await gateWith({ uploadMs: 600 }, swallow)
    const opened = line(gate)
    opened.socket.write(`${head(gate, 'Content-Length: 4\r\nConnection: close\r\n', 'POST /v1/x')}ab`)
    const begun = performance.now()
    await once(() => performance.now() - begun > 320)
    const stood = performance.now()
    while (performance.now() - stood < 1500);
    // StallWatch has checked again by then, without a new byte.
    await once(() => performance.now() - stood > 1530)
    opened.socket.write('cd')
    expect(statuses(await opened.closed)).toEqual([200])
  })

  it('that the service reads slowly do not count as stalled', async () => {
    const leave = Promise.withResolvers<void>()
    const gate = await gateWith({ uploadMs: 150 }, async (request, response, pass) => {
      await leave.promise
      await swallow(request, response, pass)
    })
    const size = 4 * 1024 * 1024
    const started = performance.now()
    const answer = ask(`${gate.url}/v1/x`, { method: 'POST', headers: withKey, body: Buffer.alloc(size) })
    await once(() => performance.now() - started > 600)
    leave.resolve()
    expect((await answer).body.toString()).toBe(String(size))
    expect(gate.cuts).toEqual([])
  })

  it('that are refused get their reply whatever their size, and no body is stored', async () => {
    const gate = await gateWith()
    const answer = await ask(`${gate.url}/v1/audio/transcriptions`, {
      method: 'POST',
      body: Buffer.alloc(32 * 1024 * 1024),
    })
    expect(answer.status).toBe(401)
    expect(answer.whole).toBe(true)
  })

  it('that are refused and never end are cut', async () => {
    const gate = await gateWith({ lingerMs: 200 })
    const opened = line(gate)
    opened.socket.write(`POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1:${gate.port}\r\nContent-Length: 1000000\r\n\r\nabc`)
    expect(statuses(await opened.closed)).toEqual([401])
  })
})

/** A connection that has sent a request and does not read the reply. */
function unread(gate: OpenGate): Line {
  const opened = line(gate)
  opened.socket.pause()
  opened.socket.write(head(gate))
  return opened
}

describe('replies', () => {
  it('that are not read are cut after the limit, and their slot is free again', async () => {
    const { state, relay } = endless()
    const gate = await gateWith({ readMs: 400 }, relay)
    unread(gate)
    await once(() => state.running === 1)
    await once(() => state.running === 0)
    expect(gate.cuts).toEqual(['reading_stalled'])
    await once(() => gate.proxy.counts().active === 0)
  })

  it('that were written completely and are not read are cut too', async () => {
    const gate = await gateWith({ readMs: 400 }, async (_request, response) => {
      response.end(Buffer.alloc(32 * 1024 * 1024))
    })
    unread(gate)
    await once(() => gate.proxy.counts().relayed === 1)
    expect(gate.proxy.counts().active).toBe(1)
    await once(() => gate.proxy.counts().active === 0)
    expect(gate.cuts).toEqual(['reading_stalled'])
  })

  it('that are read slowly continue', async () => {
    const { state, relay } = endless()
    const gate = await gateWith({ readMs: 800 }, relay)
    const opened = unread(gate)
    await once(() => state.running === 1)
    const started = performance.now()
    let bytes = 0
    // About 20 MB a second, for three times the bound.
    while (performance.now() - started < 2400) {
      const piece: Buffer | null = opened.socket.read(1024 * 1024)
      bytes += piece?.length ?? 0
      const last = performance.now()
      await once(() => performance.now() - last > 40)
    }
    expect(bytes).toBeGreaterThan(1024 * 1024)
    expect(state.running).toBe(1)
    expect(gate.cuts).toEqual([])
  })

  it('that are silent for long are not cut', async () => {
    const gate = await gateWith({ readMs: 100, uploadMs: 100 }, quietStream)
    const opened = line(gate)
    opened.socket.write(head(gate))
    await opened.until((text) => text.includes('data: 1'))
    const started = performance.now()
    await once(() => performance.now() - started > 600)
    expect(gate.proxy.counts().active).toBe(1)
    expect(opened.socket.destroyed).toBe(false)
  })
})

describe('floods', () => {
  it('slow headers get 408', async () => {
    const gate = await gateWith({ headersMs: 200 })
    const opened = line(gate)
    opened.socket.write(`GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:${gate.port}\r\n`)
    const heard = await opened.closed
    expect(statuses(heard)).toEqual([408])
    expect(heard).toContain('"type":"studio_refused"')
    expect(gate.refused.map(({ code }) => code)).toEqual(['slow_headers'])
  })

  it('a connection that was opened in advance and never used is closed and not counted', async () => {
    const gate = await gateWith({ headersMs: 200 })
    expect(await line(gate).closed).toBe('')
    expect(gate.refused).toEqual([])
  })

  it('apps are served while hundreds of clients send their headers slowly', async () => {
    const gate = await gateWith({ strangers: 100, graceMs: 0, most: 400 })
    const begun = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const opened = line(gate)
        await event(opened.socket, 'connect')
        opened.socket.write('GET /v1/models HTTP/1.1\r\nX-Slow: ')
        return opened
      }),
    )
    const drip = setInterval(() => {
      for (const { socket } of begun) if (socket.writable) socket.write('x')
    }, 20)
    for (let round = 0; round < 20; round += 1) expect((await models(gate)).status).toBe(200)
    await once(() => begun.filter(({ socket }) => socket.closed).length >= 200)
    clearInterval(drip)
    const [pushedOut] = begun
    expect(pushedOut?.heard()).toContain('"code":"too_many_connections"')
    expect(gate.refused.every(({ code }) => code === 'too_many_connections')).toBe(true)
    // Connections with a valid key are never evicted.
    expect(begun.filter(({ socket }) => !socket.closed).length).toBeLessThanOrEqual(100)
  })

  it('a connection with a valid key is never evicted', async () => {
    const gate = await gateWith({ strangers: 5, graceMs: 0 }, quietStream)
    const friend = line(gate)
    friend.socket.write(head(gate))
    await friend.until((text) => text.includes('data: 1'))
    const others = Array.from({ length: 20 }, () => line(gate))
    await once(() => others.filter(({ socket }) => socket.closed).length === 15)
    expect(friend.socket.closed).toBe(false)
  })

  it('connections above the bound are refused and counted', async () => {
    const gate = await gateWith({ most: 10, strangers: 100 })
    const all = Array.from({ length: 15 }, () => line(gate))
    await once(() => all.filter(({ socket }) => socket.closed).length === 5)
    await once(() => gate.refused.length === 5)
    expect(gate.refused[0]).toMatchObject({ code: 'too_many_connections', status: 503 })
  })

  it('a few pipelined requests get replies in order, and a flood closes the connection', async () => {
    const gate = await gateWith()
    const five = Array.from({ length: 5 }, (_, at) =>
      head(gate, at === 4 ? 'Connection: close\r\n' : '', `GET /v1/${at}`),
    )
    const heard = await speak(gate.port, five.join(''))
    expect([...heard.matchAll(/GET \/v1\/(\d)/g)].map(([, at]) => at)).toEqual(['0', '1', '2', '3', '4'])
    let begun = 0
    const slow = await gateWith({ pipelined: 8 }, async (request, response, pass) => {
      begun += 1
      await event(request.socket, 'drain').catch(() => undefined)
      await echo(request, response, pass)
    })
    const opened = line(slow)
    opened.socket.write(head(slow).repeat(2000))
    await opened.closed
    expect(begun).toBe(8)
    expect(slow.refused.map(({ code }) => code)).toEqual(['too_many_pipelined'])
  })

  it('eight pipelined requests get replies, and the ninth gets 429', async () => {
    const gate = await gateWith({ pipelined: 8 })
    const heard = await speak(gate.port, head(gate).repeat(12))
    expect(statuses(heard)).toEqual([...Array.from({ length: 8 }, () => 200), 429])
  })

  it('pipelined requests that wait are cancelled when their app disconnects', async () => {
    const seen: string[] = []
    const gone: string[] = []
    const gate = await gateWith({}, async (_request, response, pass) => {
      seen.push(pass.path)
      await event(response, 'close')
      gone.push(pass.path)
    })
    const opened = line(gate)
    opened.socket.write(['one', 'two', 'three'].map((name) => head(gate, '', `GET /v1/${name}`)).join(''))
    await once(() => seen.length === 3)
    opened.socket.destroy()
    await once(() => gone.length === 3)
    await once(() => gate.proxy.counts().active === 0)
  })

  it('a connection closes after its maximum of requests, with a complete reply', async () => {
    const gate = await gateWith({ requestsPerSocket: 3 })
    const opened = line(gate)
    for (const name of ['one', 'two', 'three']) {
      opened.socket.write(head(gate, '', `GET /v1/${name}`))
      if (name !== 'three') await opened.until((text) => text.includes(`GET /v1/${name}`))
    }
    const heard = await opened.closed
    expect(statuses(heard)).toEqual([200, 200, 200])
    expect(heard.match(/Connection: close/g)).toHaveLength(1)
  })

  it('an idle connection is closed', async () => {
    const gate = await gateWith({ keepAliveMs: 100 })
    const opened = line(gate)
    opened.socket.write(head(gate))
    expect(statuses(await opened.closed)).toEqual([200])
  })
})

describe('a running request', () => {
  const stream = async (gate: OpenGate, key: string): Promise<IncomingMessage> => {
    const response = await replyTo(postJson(`${gate.url}/v1/chat/completions`, '', { authorization: `Bearer ${key}` }))
    return response.resume()
  }

  it('ends at once when its app’s key becomes invalid, and no other request does', async () => {
    const gate = await gateWith({}, quietStream)
    const [cut, kept] = [await stream(gate, goodKey), await stream(gate, 'isk_other')]
    expect(gate.proxy.counts().active).toBe(2)
    gate.proxy.cutInvalid((id) => id !== 'editor')
    await once(() => cut.closed)
    expect(cut.complete).toBe(false)
    await once(() => gate.proxy.counts().active === 1)
    expect(kept.destroyed).toBe(false)
    expect(gate.cuts).toEqual(['key_ended'])
  })

  it('gets the reason if no reply has started', async () => {
    const gate = await gateWith({}, (_request, response) => event(response, 'close').then(() => undefined))
    const answer = models(gate)
    await once(() => gate.proxy.counts().active === 1)
    gate.proxy.cutInvalid(() => false)
    expect((await answer).status).toBe(403)
    expect((await answer).body.toString()).toContain('"code":"tool_key_ended"')
  })

  it('is cut when the local API closes', async () => {
    const gate = await openGate(quietStream)
    const response = await stream(gate, goodKey)
    await gate.close()
    await once(() => response.closed)
    expect(response.complete).toBe(false)
    expect(gate.cuts).toEqual(['closing'])
  })

  it('loses only its own connection when a bug makes the relay fail', async () => {
    const gate = await gateWith({}, async (request, response, pass) => {
      if (pass.path.includes('bad')) throw new Error('a mistake')
      await echo(request, response, pass)
    })
    expect(await speak(gate.port, head(gate, '', 'GET /v1/bad'))).toBe('')
    expect(gate.failures.map(({ message }) => message)).toEqual([expect.stringContaining('a mistake')])
    expect((await models(gate)).status).toBe(200)
    expect(gate.proxy.counts().active).toBe(0)
  })
})
