import { describe, expect, it } from 'vitest'
import { asks, brokenOff, chatBody, errorOf, streamBody } from './helpers/app.ts'
import { chunk, done, errorReply, event, head, jsonBody, jsonReply, lastChunk, streamHead } from './helpers/bytes.ts'
import type { Turn } from './helpers/rawFarEnd.ts'
import { asked, attempts, expectFree, expectOurAnswer, expectRow, openSetting } from './helpers/setting.ts'

// Tests invalid replies of the service.

const retried = [429, 502, 503, 504]
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('a status that may be temporary', () => {
  it.each(retried)(
    '%i, every time: is relayed as the service sent it once the retries are used up, and the response forbids another retry [ERR-05] [ERR-06] [ERR-09] [ERR-10]',
    async (status) => {
      const setting = await openSetting((turn) => turn.write(errorReply(status)))
      const outcome = await asks(setting.gateway.url).outcome
      expect(outcome).toMatchObject({ status, whole: true })
      expect(errorOf(outcome)).toEqual({ message: `Status ${status}.`, type: 'far_end', code: `far_${status}` })
      expect(outcome.headers['x-should-retry']).toBe('false')
      expect(asked(setting)).toBe(attempts)
      await expectRow(setting, { state: 'done', status, attempts })
      await expectFree(setting)
    },
  )

  it.each(retried)('%i once, then a stream: the app sees only the stream', async (status) => {
    const stream = event('Fine.') + done
    const setting = await openSetting((turn) =>
      turn.write(turn.number === 1 ? errorReply(status) : streamHead + chunk(stream).toString() + lastChunk),
    )
    const outcome = await asks(setting.gateway.url, { body: streamBody }).outcome
    expect(outcome).toMatchObject({ status: 200, whole: true })
    expect(outcome.body.toString()).toBe(stream)
    expect(outcome.headers).not.toHaveProperty('x-should-retry')
    expect(setting.far.seen.map(({ body }) => body.toString())).toEqual([streamBody, streamBody])
    await expectRow(setting, { state: 'done', attempts: 2, retriedAfter: [status] })
    await expectFree(setting)
  })

  it.each([429, 503])('%i with a Retry-After: is retried after that time [ERR-05]', async (status) => {
    const times: number[] = []
    const setting = await openSetting((turn) => {
      times.push(performance.now())
      return turn.write(turn.number === 1 ? errorReply(status, 'Retry-After: 1') : jsonReply)
    })
    expect(await asks(setting.gateway.url).outcome).toMatchObject({ status: 200, whole: true })
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(995)
    await expectFree(setting)
  })

  it('503 with a Retry-After beyond the limit: is relayed at once with Retry-After, and the response forbids another retry [ERR-09] [ERR-10]', async () => {
    const setting = await openSetting((turn) => turn.write(errorReply(503, 'Retry-After: 3600')))
    const outcome = await asks(setting.gateway.url).outcome
    expect(outcome).toMatchObject({ status: 503, whole: true })
    expect(outcome.headers).toMatchObject({ 'retry-after': '3600', 'x-should-retry': 'false' })
    expect(asked(setting)).toBe(1)
    await expectFree(setting)
  })

  it.each(['in a while', '-5', '1e9', '99999999999999999999', ''])(
    '503 with the odd Retry-After “%s”: causes neither a wait nor a failure [LIM-04]',
    async (odd) => {
      const setting = await openSetting((turn) =>
        turn.write(turn.number === 1 ? errorReply(503, `Retry-After: ${odd}`) : jsonReply),
      )
      expect(await asks(setting.gateway.url).outcome).toMatchObject({ status: 200, whole: true })
      expect(asked(setting)).toBe(2)
    },
  )

  it.each(retried)(
    '%i to an app that does its own retries: is relayed at once, and the app retries [ERR-10]',
    async (status) => {
      const setting = await openSetting((turn) => turn.write(errorReply(status)), { app: { retries: false } })
      const outcome = await asks(setting.gateway.url).outcome
      expect(outcome.status).toBe(status)
      expect(outcome.headers).not.toHaveProperty('x-should-retry')
      expect(asked(setting)).toBe(1)
      await expectFree(setting)
    },
  )

  it('503 to a large upload, which is not buffered: is relayed at once, sent once', async () => {
    const setting = await openSetting((turn) => turn.write(errorReply(503)))
    const outcome = await asks(setting.gateway.url, {
      path: '/audio/transcriptions',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: `--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n${'x'.repeat(1_000_000)}\r\n--b--\r\n`,
    }).outcome
    expect(outcome.status).toBe(503)
    expect(asked(setting)).toBe(1)
    await expectFree(setting)
  })
})

it.each([400, 401, 402, 403, 404, 500, 501, 418, 505])(
  '%i is relayed at once and sent once, because a retry cannot help',
  async (status) => {
    const setting = await openSetting((turn) => turn.write(errorReply(status)))
    const outcome = await asks(setting.gateway.url).outcome
    expect(outcome).toMatchObject({ status, whole: true })
    expect(errorOf(outcome).code).toBe(`far_${status}`)
    expect(asked(setting)).toBe(1)
    await expectFree(setting)
  },
)

describe('an invalid reply: 502 in the error object, sent once', () => {
  it.each<[string, string | Buffer]>([
    ['a greeting of SSH', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['an alert of TLS', Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46])],
    ['a frame of HTTP/2', Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100])],
    ['HTML without a head', '<!doctype html><title>Sign in</title>\r\n\r\n'],
    ['another version of HTTP', 'HTTP/9.9 200 OK\r\n\r\n'],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a header without a name', head('200 OK', ': nameless', 'content-length: 0')],
    ['a header with a zero byte', head('200 OK', 'x-odd: a\u0000b', 'content-length: 0')],
    ['two lengths that differ', `${head('200 OK', 'content-length: 3', 'content-length: 5')}abcde`],
    [
      'a length and chunks',
      `${head('200 OK', 'content-length: 3', 'transfer-encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`,
    ],
    ['a length that is none', `${head('200 OK', 'content-length: -1')}abc`],
    ['headers of 200 KB', head('200 OK', `x-large: ${'a'.repeat(200_000)}`, 'content-length: 0')],
    ['101 Switching Protocols', head('101 Switching Protocols', 'connection: upgrade', 'upgrade: websocket')],
  ])('%s', async (_title, bytes) => {
    const setting = await openSetting((turn) => turn.write(bytes))
    const outcome = await asks(setting.gateway.url, { body: streamBody }).outcome
    expectOurAnswer(outcome, 502, 'malformed_reply')
    expect(asked(setting)).toBe(1)
    await setting.far.turns[0]?.closed
    await expectFree(setting)
  })
})

describe('a body whose framing breaks: the received bytes are relayed, then the connection of the app is closed [SSE-04]', () => {
  it.each<[string, string]>([
    ['a chunk’s length that is no number', 'zz\r\n'],
    ['a chunk’s length beyond all numbers', `${'f'.repeat(40)}\r\n`],
    ['a chunk longer than it said', '3\r\nabcdef\r\n'],
    ['a second reply inside the first', head('200 OK', 'content-length: 0')],
  ])('%s', async (_title, broken) => {
    const good = event('So far so good.')
    const setting = await openSetting(async (turn) => {
      await turn.write(streamHead)
      await turn.write(chunk(good))
      await turn.write(broken)
    })
    const outcome = await asks(setting.gateway.url, { body: streamBody }).outcome
    expect(outcome).toMatchObject({ status: 200, whole: false })
    expect(outcome.body.toString().slice(0, good.length)).toBe(good)
    expect(outcome.body.toString()).not.toContain('[DONE]')
    expect(asked(setting)).toBe(1)
    await setting.far.turns[0]?.closed
    await expectFree(setting)
  })
})

describe('unusual but complete replies are relayed unchanged', () => {
  it('two hundred early hints before the reply', async () => {
    const setting = await openSetting((turn) =>
      turn.write(head('103 Early Hints', 'link: </a>; rel=preload').repeat(200) + jsonReply),
    )
    const outcome = await asks(setting.gateway.url).outcome
    expect(outcome).toMatchObject({ status: 200, whole: true })
    expect(outcome.body.toString()).toBe(jsonBody)
    await expectFree(setting)
  })

  it('early hints without an end are not a reply: the headers timeout applies', async () => {
    const setting = await openSetting(async (turn) => {
      let open = true
      void turn.closed.then(() => {
        open = false
      })
      while (open) {
        await turn.write(head('103 Early Hints', 'link: </a>; rel=preload'))
        await wait(20)
      }
    })
    expectOurAnswer(await asks(setting.gateway.url).outcome, 504, 'headers_timeout')
    expect(asked(setting)).toBe(1)
    await expectFree(setting)
  })

  it('headers and body byte by byte, each byte well within the timeout', async () => {
    const stream = event('Slowly.') + done
    const setting = await openSetting(async (turn) => {
      for (const byte of Buffer.from(streamHead)) await turn.write(Buffer.of(byte))
      for (const byte of Buffer.from(stream)) {
        await turn.write(chunk(Buffer.of(byte)))
        await wait(2)
      }
      await turn.write(lastChunk)
    })
    const outcome = await asks(setting.gateway.url, { body: streamBody }).outcome
    expect(outcome).toMatchObject({ status: 200, whole: true })
    expect(outcome.body.toString()).toBe(stream)
    await expectFree(setting)
  })

  it('single bytes reach the app as they arrive, not at the end', async () => {
    let finish: () => void = () => undefined
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const setting = await openSetting(async (turn) => {
      await turn.write(streamHead)
      await turn.write(chunk(event('Early.')))
      await finished
      await turn.write(chunk(done) + lastChunk)
    })
    const asking = asks(setting.gateway.url, { body: streamBody })
    expect((await asking.begun).toString()).toBe(event('Early.'))
    finish()
    expect(await asking.outcome).toMatchObject({ status: 200, whole: true })
  })

  it('an error object in the middle of a stream, then a proper end [ERR-01]', async () => {
    const stream = `${event('Half')}data: {"error":{"message":"It broke.","type":"server_error","code":"500"}}\n\n`
    const setting = await openSetting((turn) => turn.write(streamHead + chunk(stream).toString() + lastChunk))
    const outcome = await asks(setting.gateway.url, { body: streamBody }).outcome
    expect(outcome.body.toString()).toBe(stream)
    expect(asked(setting)).toBe(1)
    await expectRow(setting, { state: 'cut' })
    await expectFree(setting)
  })

  it('a stream that ends properly without [DONE]: none is added, and an event and the log say that it was incomplete [SSE-03] [SSE-04]', async () => {
    const setting = await openSetting((turn) => turn.write(streamHead + chunk(event('Half')).toString() + lastChunk))
    const outcome = await asks(setting.gateway.url, { body: streamBody }).outcome
    expect(brokenOff(outcome.body)).toEqual({ before: Buffer.from(event('Half')), code: 'incomplete_reply' })
    expect(outcome.whole).toBe(false)
    await expectRow(setting, { state: 'cut', problem: { kind: 'incomplete_stream' } })
    await expectFree(setting)
  })

  it('a reply without a length that ends with its connection', async () => {
    const setting = await openSetting(async (turn) => {
      await turn.write(head('200 OK', 'content-type: application/json', 'connection: close') + jsonBody)
      turn.close()
    })
    const outcome = await asks(setting.gateway.url).outcome
    expect(outcome).toMatchObject({ status: 200, whole: true })
    expect(outcome.body.toString()).toBe(jsonBody)
    await expectFree(setting)
  })

  it('more bytes than the reply announced: they are dropped, and the connection is not used again', async () => {
    const setting = await openSetting((turn) => turn.write(jsonReply + jsonReply))
    const outcome = await asks(setting.gateway.url).outcome
    expect(outcome).toMatchObject({ status: 200, whole: true })
    expect(outcome.body.toString()).toBe(jsonBody)
    await setting.far.turns[0]?.closed
    await expectFree(setting)
    expect(setting.far.connections()).toBe(2)
  })
})

describe('a keep-alive connection that ends just as the next request is sent', () => {
  const ends: [string, (turn: Turn) => void][] = [
    ['in order', (turn) => turn.close()],
    ['by a reset', (turn) => turn.reset()],
  ]
  it.each(ends)(
    '%s: the request is sent once more on a new one, and the app sees one reply [ERR-06]',
    async (_title, end) => {
      const setting = await openSetting((turn) => (turn.number === 2 ? end(turn) : turn.write(jsonReply)))
      const mark = chatBody({ user: 'second' })
      expect(await asks(setting.gateway.url).outcome).toMatchObject({ status: 200, whole: true })
      const outcome = await asks(setting.gateway.url, { body: mark }).outcome
      expect(outcome).toMatchObject({ status: 200, whole: true })
      expect(outcome.body.toString()).toBe(jsonBody)
      expect(setting.far.seen.map(({ connection }) => connection)).toEqual([1, 1, 2])
      expect(setting.far.seen[2]?.body.toString()).toBe(mark)
      await expectRow(setting, { state: 'done', attempts: 2, retriedAfter: [0] })
      await expectFree(setting)
    },
  )

  it('under a large upload: it is not sent again, and the error says so', async () => {
    const setting = await openSetting(
      (turn) => {
        if (turn.number === 1) return turn.write(jsonReply)
        turn.socket.pause()
        turn.reset()
      },
      { early: true },
    )
    expect((await asks(setting.gateway.url).outcome).status).toBe(200)
    const upload = asks(setting.gateway.url, {
      path: '/audio/transcriptions',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: Buffer.alloc(3_000_000, '-'),
    })
    const outcome = await upload.outcome
    expectOurAnswer(outcome, 502, 'connection_lost')
    expect(asked(setting)).toBe(2)
    await expectFree(setting)
  })
})
