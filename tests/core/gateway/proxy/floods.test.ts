import { once as event } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { postJson, replyTo } from '../../../helpers/appRequest.ts'
import { echo, goodKey, type Line, type OpenGate, once, openGate, speak } from '../../../helpers/gate.ts'
import { endless, head, models, quietStream, statuses, testGates } from './testGates.ts'

const { gateWith, line } = testGates()

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

  it('that are read slowly continue', { tags: 'long' }, async () => {
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
