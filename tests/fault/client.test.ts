import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { appKey } from '../helpers/appRequest.ts'
import { quickClock } from '../helpers/clock.ts'
import { noLongerGrows } from '../helpers/eventually.ts'
import { asks, chatBody, streamBody } from './helpers/app.ts'
import { chunk, done, errorReply, event, head, jsonReply, lastChunk, streamHead } from './helpers/bytes.ts'
import type { Turn } from './helpers/rawFarEnd.ts'
import { asked, expectFree, expectRow, openSetting, type Setting, soon } from './helpers/setting.ts'

// The app disconnects or stalls at various moments. Afterwards the connection to the service is closed, the key's slot is free, and nothing
// was retried.

/** Streams endlessly until the other side closes. */
async function endless(turn: Turn): Promise<void> {
  let open = true
  void turn.closed.then(() => {
    open = false
  })
  await turn.write(streamHead)
  while (open) {
    await turn.write(chunk(event('on and on ')))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const poll = { timeout: soon, interval: 2 }

const expectCancelled = (setting: Setting, attempts: number): Promise<void> =>
  expectRow(setting, { state: 'cancelled', cancelledBy: 'app', attempts })

/** Expects that the app's request was cancelled in its only attempt, and that the key's slot is free again. */
async function expectOneCancelled(setting: Setting): Promise<void> {
  await expectCancelled(setting, 1)
  await expectFree(setting)
  expect(asked(setting)).toBe(1)
}

/** A raw connection of an app. What it reads is collected. */
async function openApp({ gateway }: Setting): Promise<{ socket: Socket; came: () => Buffer }> {
  const socket = connect(gateway.proxy.port, '127.0.0.1')
  const pieces: Buffer[] = []
  socket.on('data', (piece) => pieces.push(piece))
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return { socket, came: () => Buffer.concat(pieces) }
}

const requestHead = ({ gateway }: Setting, path: string, ...headers: string[]): string =>
  [
    `POST /v1${path} HTTP/1.1`,
    `Host: 127.0.0.1:${gateway.proxy.port}`,
    `Authorization: Bearer ${appKey}`,
    ...headers,
    '',
    '',
  ].join('\r\n')

/** A complete streamed chat. */
const chatRequest = (setting: Setting): string =>
  requestHead(setting, '/chat/completions', 'Content-Type: application/json', `Content-Length: ${streamBody.length}`) +
  streamBody

const uploadHeaders = ['Content-Type: multipart/form-data; boundary=b']
const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF'

/** Three ways in which an app's connection ends. */
const goings: Record<string, (socket: Socket) => void> = {
  'resets its connection': (socket) => socket.resetAndDestroy(),
  'closes its connection': (socket) => socket.destroy(),
  'closes its half of it': (socket) => socket.end(),
}

describe('when the app disconnects, upstream is closed and the request is not retried [CHAT-16] [ERR-08] [LIM-05] [SSE-05]', () => {
  it('while it waits in the queue: it is never sent, and the next request in the queue is', async () => {
    const setting = await openSetting(endless)
    const { gateway, far } = setting
    const running = asks(gateway.url, { body: streamBody })
    await running.begun
    const waiting = asks(gateway.url, { body: chatBody({ user: 'never sent' }) })
    await expect.poll(() => gateway.scheduler.counts().waiting, poll).toBe(1)
    const next = asks(gateway.url, { body: streamBody })
    await expect.poll(() => gateway.scheduler.counts().waiting, poll).toBe(2)
    waiting.request.destroy()
    await expect.poll(() => gateway.scheduler.counts().waiting, poll).toBe(1)
    running.request.destroy()
    await next.begun
    expect(far.seen.map(({ body }) => body.toString())).toEqual([streamBody, streamBody])
    await expectRow(setting, { state: 'cancelled', cancelledBy: 'app', status: null }, 1)
    next.request.destroy()
    await expectFree(setting)
  })

  it('before its next attempt: the attempt is not made', async () => {
    const setting = await openSetting((turn) => turn.write(errorReply(503, 'Retry-After: 30')))
    using clock = quickClock()
    const asking = asks(setting.gateway.url)
    await expectRow(setting, { state: 'backing_off' })
    asking.request.destroy()
    await expectCancelled(setting, 1)
    await clock.advance(31_000)
    await expectFree(setting)
    expect(asked(setting)).toBe(1)
  })

  // The end of a process sends a FIN and nothing else. An app that closes only its sending half sends the same, so it counts as ended.
  it.each(Object.entries(goings))('before the reply’s headers, and %s', async (_how, go) => {
    const setting = await openSetting(() => undefined)
    const { socket } = await openApp(setting)
    socket.write(chatRequest(setting))
    const turn = await setting.far.turn(1)
    go(socket)
    await turn.closed
    await expectOneCancelled(setting)
  })

  it('between the headers and the first event', async () => {
    const setting = await openSetting((turn) => turn.write(streamHead))
    const asking = asks(setting.gateway.url, { body: streamBody })
    await once(asking.request, 'response')
    const turn = await setting.far.turn(1)
    asking.request.destroy()
    await turn.closed
    await expectOneCancelled(setting)
  })

  it.each(Object.entries(goings))('mid-stream, and %s', async (_how, go) => {
    const setting = await openSetting(endless)
    const { socket } = await openApp(setting)
    socket.write(chatRequest(setting))
    const turn = await setting.far.turn(1)
    await once(socket, 'data')
    go(socket)
    await turn.closed
    await expectOneCancelled(setting)
  })

  it('mid-stream, with its next request already sent behind: neither continues', async () => {
    const setting = await openSetting(endless)
    const { socket } = await openApp(setting)
    const one = chatRequest(setting)
    socket.write(one + one)
    const turn = await setting.far.turn(1)
    await once(socket, 'data')
    socket.resetAndDestroy()
    await turn.closed
    await expectFree(setting)
    expect(asked(setting)).toBe(1)
  })
})

describe('an upload that is cut off is never complete upstream, and never sent again [STT-01]', () => {
  const framings: Record<string, { length: string; body: string }> = {
    'of known length': { length: 'Content-Length: 100000', body: part },
    'in chunks': { length: 'Transfer-Encoding: chunked', body: chunk(part).toString('latin1') },
  }
  const cells = Object.entries(framings).flatMap(([how, framing]) =>
    Object.entries(goings).map(([what, go]) => ({ how, framing, what, go })),
  )
  it.each(cells)('$how: the app $what', async ({ framing, go }) => {
    const setting = await openSetting(() => undefined, { early: true })
    const { socket } = await openApp(setting)
    socket.write(requestHead(setting, '/audio/transcriptions', ...uploadHeaders, framing.length) + framing.body)
    const turn = await setting.far.turn(1)
    await expect.poll(() => turn.seen.body.toString(), poll).toContain('RIFF')
    go(socket)
    await turn.closed
    expect(turn.seen.whole).toBe(false)
    await expectCancelled(setting, 1)
    expect(setting.gateway.refusals).toEqual([])
    await expectFree(setting)
    expect(asked(setting)).toBe(1)
  })

  it.each(Object.entries(goings))(
    'a chat request whose body does not arrive is not even started: the app %s',
    async (_what, go) => {
      const setting = await openSetting((turn) => turn.write(jsonReply))
      const { socket } = await openApp(setting)
      const whole = requestHead(setting, '/chat/completions', 'Content-Type: application/json', 'Content-Length: 1000')
      socket.write(`${whole}{"model":"m",`)
      await expect.poll(() => setting.gateway.proxy.counts().active, poll).toBe(1)
      go(socket)
      await expectFree(setting)
      expect(asked(setting)).toBe(0)
    },
  )

  it('an upload that stalls is ended after its timeout, and upstream with it', async () => {
    const setting = await openSetting(() => undefined, { early: true, bounds: { uploadMs: 200 } })
    const { socket, came } = await openApp(setting)
    socket.write(requestHead(setting, '/audio/transcriptions', ...uploadHeaders, 'Content-Length: 100000') + part)
    const turn = await setting.far.turn(1)
    await turn.closed
    expect(turn.seen.whole).toBe(false)
    await expect.poll(() => came().toString(), poll).toMatch(/^HTTP\/1\.1 408 [\s\S]*"upload_stalled"/)
    await expectFree(setting)
    expect(asked(setting)).toBe(1)
    socket.destroy()
  })
})

describe('an app that stops reading', () => {
  /** Sends without end, as fast as the gateway reads. `wrote` receives the bytes of each write. */
  async function flood(turn: Turn, wrote: (count: number) => void): Promise<void> {
    const block = Buffer.alloc(65_536, 'a')
    await turn.write(head('200 OK', 'content-type: audio/pcm', 'content-length: 4000000000'))
    for (;;) {
      const open = await Promise.race([turn.write(block).then(() => true), turn.closed.then(() => false)])
      if (!open || turn.socket.destroyed) return
      wrote(block.length)
    }
  }

  /** An app that asks for a speech and stops reading it after the first bytes. */
  async function stopReading(setting: Setting): Promise<{ socket: Socket }> {
    const { socket } = await openApp(setting)
    const body = '{"input":"Long."}'
    socket.write(
      requestHead(setting, '/audio/speech', 'Content-Type: application/json', `Content-Length: ${body.length}`) + body,
    )
    await once(socket, 'data')
    socket.pause()
    return { socket }
  }

  it('slows the service down: the bytes in transit stay within the buffers of two sockets', async () => {
    let sent = 0
    const setting = await openSetting((turn) =>
      flood(turn, (count) => {
        sent += count
      }),
    )
    const { socket } = await stopReading(setting)
    await noLongerGrows(() => sent)
    expect(sent).toBeLessThan(30_000_000)
    socket.destroy()
    await expectFree(setting)
  })

  it('is cut off after its timeout, upstream is closed, and its slot is free', async () => {
    const setting = await openSetting((turn) => flood(turn, () => undefined), { bounds: { readMs: 300 } })
    const { socket } = await stopReading(setting)
    const turn = await setting.far.turn(1)
    await turn.closed
    await expectFree(setting)
    await expectRow(setting, { state: expect.stringMatching(/^(?:cancelled|cut)$/) }, 1)
    socket.destroy()
  })

  it('for a shorter time, and then reads on, loses nothing', { tags: 'long' }, async () => {
    const block = Buffer.from(Uint8Array.from({ length: 65_521 }, (_, at) => at % 251))
    const bytes = Buffer.concat(Array.from({ length: 200 }, () => block))
    const setting = await openSetting(
      (turn) =>
        turn.write(
          Buffer.concat([
            Buffer.from(head('200 OK', 'content-type: audio/pcm', `content-length: ${bytes.length}`)),
            bytes,
          ]),
        ),
      { bounds: { readMs: 5000 } },
    )
    const asking = asks(setting.gateway.url, { path: '/audio/speech', body: '{"input":"Long."}' })
    const [response] = await once(asking.request, 'response')
    response.pause()
    await new Promise((resolve) => setTimeout(resolve, 300))
    response.resume()
    const outcome = await asking.outcome
    expect(outcome).toMatchObject({ status: 200, whole: true })
    expect(outcome.body.equals(bytes)).toBe(true)
    await expectFree(setting)
  })
})

it('a reply that ends at the moment when the app disconnects leaves nothing behind', async () => {
  const setting = await openSetting((turn) =>
    turn.write(streamHead + chunk(event('All.') + done).toString() + lastChunk),
  )
  for (let round = 0; round < 30; round += 1) {
    const asking = asks(setting.gateway.url, { body: streamBody })
    // The app disconnects after the first bytes, when the request arrives at the service, or at the head of the reply.
    if (round % 3 === 0) await asking.begun
    else if (round % 3 === 1) await setting.far.turn(round + 1)
    else await once(asking.request, 'response')
    asking.request.destroy()
    await expect.poll(() => setting.gateway.proxy.counts().active, poll).toBe(0)
  }
  await expectFree(setting)
  const rows = await setting.gateway.rows()
  expect(rows.slice(1).filter(({ state }) => state !== 'done' && state !== 'cancelled')).toEqual([])
})
