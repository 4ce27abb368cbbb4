import { once as event } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { sendRefusal } from '../../../../src-main/core/gateway/proxy/errorReplies.ts'
import { type Api, apis, chatApi } from '../../../helpers/apis.ts'
import { ask } from '../../../helpers/appRequest.ts'
import { once, replyOf, speak } from '../../../helpers/gate.ts'
import { head, statuses, swallow, testGates, withKey } from './testGates.ts'

const { gateWith, line } = testGates()

const withPath = (api: Api) => ({ ...api, path: api.pathOf() })

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

  it.each([...apis.map(withPath), { ...chatApi, path: '/v1/audio/transcriptions' }])(
    'to $path that stall get 408, and their slot is free again',
    async ({ path, problem }) => {
      const gate = await gateWith({ uploadMs: 200 }, swallow)
      const opened = line(gate)
      opened.socket.write(`${head(gate, 'Content-Length: 10\r\n', `POST ${path}`)}abc`)
      await once(() => gate.proxy.counts().active === 1)
      const heard = replyOf(await opened.closed)
      expect(heard.status).toBe(408)
      expect(problem(heard).message).toMatch(/No more of the upload arrived/)
      expect(gate.cuts).toEqual(['upload_stalled'])
      await once(() => gate.proxy.counts().active === 0)
    },
  )

  it.each(apis.map(withPath))('to $path that break the chunked coding get 400', async ({ path, problem }) => {
    const gate = await gateWith({}, swallow)
    const opened = line(gate)
    opened.socket.write(`${head(gate, 'Transfer-Encoding: chunked\r\n', `POST ${path}`)}3\r\nabc\r\n`)
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

  it('do not count time in which the program did not run as a stall', { tags: 'long' }, async () => {
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

  it('that are refused get their reply on a connection that ends with it', async () => {
    const gate = await gateWith({ lingerMs: 30_000 })
    const outcomes = Array.from({ length: 4 }, async () => {
      const socket = connect(gate.port, '127.0.0.1')
      const errors: unknown[] = []
      socket.on('error', (error) => errors.push(error))
      const start = `POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1:${gate.port}\r\nConnection: close\r\nContent-Length: 40000000\r\n\r\n`
      socket.write(start)
      // The reply has arrived, but this program writes on, as one that looks at replies only after its last byte.
      await event(socket, 'readable')
      for (let sent = 0; sent < 2_000_000 && !socket.destroyed; sent += 64 * 1024) {
        if (!socket.write(Buffer.alloc(64 * 1024, 'x')))
          await Promise.race([event(socket, 'drain'), event(socket, 'close')])
      }
      const text = String(socket.read() ?? '')
      socket.destroy()
      return { errors, statuses: statuses(text) }
    })
    expect(await Promise.all(outcomes)).toEqual(Array.from({ length: 4 }, () => ({ errors: [], statuses: [401] })))
  })

  it('that are refused and never end are cut', async () => {
    const gate = await gateWith({ lingerMs: 200 })
    const opened = line(gate)
    opened.socket.write(`POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1:${gate.port}\r\nContent-Length: 1000000\r\n\r\nabc`)
    expect(statuses(await opened.closed)).toEqual([401])
  })
})
