import { createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Api, apis, chatApi } from '../../../helpers/apis.ts'
import { appKey } from '../../../helpers/appRequest.ts'
import { replyOf, speak } from '../../../helpers/gate.ts'
import { apiKey, type Gateway, openGateway } from '../../../helpers/gateway.ts'

// The service is a bare socket that replies to any request with exactly the given bytes, then closes the connection.
// An SDK repeats a request without a reply, which is billed again. So each request must reach the service once, and the app
// must get an HTTP answer in every case.

const sockets = new Set<Socket>()
let answerBytes: Uint8Array = Buffer.alloc(0)
let reached = 0
const service = createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => undefined)
  let heard = ''
  socket.on('data', (piece) => {
    heard += piece.toString('latin1')
    const [head = '', body = ''] = heard.split('\r\n\r\n', 2)
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? Number.NaN)
    if (body.length < length || Number.isNaN(length)) return
    heard = ''
    reached += 1
    socket.end(answerBytes)
  })
})

let gateway: Gateway
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve)
  })
  const address = service.address()
  if (address === null || typeof address === 'string') throw new Error('The service listens on no port.')
  gateway = await openGateway(`http://127.0.0.1:${address.port}`, apiKey, {
    retry: { baseDelayMs: 1, maxDelayMs: 2 },
  })
})
afterAll(async () => {
  await gateway.close()
  for (const socket of sockets) socket.destroy()
  service.close()
})
beforeEach(() => {
  reached = 0
})

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
const whole = '{"choices":[{"message":{"content":"Words"}}]}'
const good = `HTTP/1.1 200 OK\r\nContent-Length: ${whole.length}\r\n\r\n${whole}`

/** Sends one request of an app. Returns all bytes that the app got, and how many requests the service got. */
async function askWith(answer: Buffer, api: Api = chatApi): Promise<{ heard: string; asked: number }> {
  answerBytes = answer
  const before = reached
  const body = api.body()
  const lines = [
    `POST ${api.pathOf()} HTTP/1.1`,
    `Host: 127.0.0.1:${gateway.proxy.port}`,
    `Authorization: Bearer ${appKey}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  const heard = await speak(gateway.proxy.port, `${lines.join('\r\n')}\r\n\r\n${body}`)
  return { heard, asked: reached - before }
}

const reasonOf = (heard: string): string => /^HTTP\/1\.1 \d{3} ([^\r\n]*)\r\n/.exec(heard)?.[1] ?? ''

/** Characters allowed in a field value and a reason phrase (RFC 9110, 5.5 and RFC 9112, 4). */
const legal = [
  0x09,
  ...Array.from({ length: 0x7f - 0x20 }, (_, at) => 0x20 + at),
  ...Array.from({ length: 128 }, (_, at) => 0x80 + at),
]
const isLegal = new Set(legal)
const everyByte = Array.from({ length: 256 }, (_, byte) => byte)

describe('the headers of a reply', () => {
  it('reach the app with any byte in the reason phrase, after one request to the service', {
    tags: 'long',
  }, async () => {
    for (const byte of everyByte) {
      const reason = Buffer.from([0x61, byte, 0x62])
      const answer = Buffer.concat([bytes('HTTP/1.1 200 '), reason, bytes('\r\nContent-Length: 2\r\n\r\n{}')])
      const { heard, asked } = await askWith(answer)
      const shown = `byte ${byte}: ${heard}`
      expect(asked, shown).toBe(1)
      if (isLegal.has(byte)) expect(heard, shown).toMatch(/^HTTP\/1\.1 200 a.b\r\n[\s\S]*\r\n\r\n\{\}$/)
      else expect(heard, shown).toMatch(/^HTTP\/1\.1 (?:200|502) /)
      expect(reasonOf(heard), shown).toMatch(/^[\t\x20-\x7e]*$/)
    }
  })

  it('keep every legal byte of a header value; other bytes make the reply malformed', async () => {
    for (const byte of everyByte) {
      const value = Buffer.from([0x61, byte, 0x62])
      const answer = Buffer.concat([
        bytes('HTTP/1.1 200 OK\r\nX-Odd: '),
        value,
        bytes('\r\nContent-Length: 2\r\n\r\n{}'),
      ])
      const { heard, asked } = await askWith(answer)
      const shown = `byte ${byte}: ${heard}`
      expect(asked, shown).toBe(1)
      if (isLegal.has(byte)) {
        expect(heard, shown).toMatch(/^HTTP\/1\.1 200 /)
        expect(heard, shown).toContain(`\r\nX-Odd: ${value.toString('latin1')}\r\n`)
      } else expect(heard, shown).toMatch(/^HTTP\/1\.1 502 [\s\S]*"code":"malformed_reply"/)
    }
  })

  it('reach the app with any bytes in the reason phrase and the header values', async () => {
    const some = fc.array(fc.oneof(fc.constantFrom(...legal), fc.integer({ min: 0, max: 255 })), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(
        some,
        some,
        fc.constantFrom(200, 204, 401, 418, 500, 599, 999),
        async (reason, value, status) => {
          const answer = Buffer.concat([
            bytes(`HTTP/1.1 ${status} `),
            Buffer.from(reason),
            bytes('\r\nX-Odd: '),
            Buffer.from(value),
            bytes('\r\nContent-Length: 0\r\n\r\n'),
          ])
          const { heard, asked } = await askWith(answer)
          expect(asked).toBe(1)
          expect(heard).toMatch(/^HTTP\/1\.1 \d{3} [\t\x20-\x7e]*\r\n/)
          if ([...reason, ...value].every((byte) => isLegal.has(byte))) {
            expect(heard).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  it.each(['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 000 X\r\n\r\n', 'HTTP/1.1 099 X\r\n\r\n'])(
    'are reported to the studio itself as a malformed reply that may have caused work: %j',
    async (answer) => {
      answerBytes = bytes(answer)
      const failed = await gateway.upstream.createSpeech({ input: 'm' }).catch((thrown: unknown) => thrown)
      expect(failed).toMatchObject({ kind: 'malformed_reply', facts: { workPossible: true, outputStarted: false } })
      expect(reached).toBe(1)
    },
  )
})

describe.each(apis)('the headers of a reply in the API $name', (api) => {
  it('reach the app whatever legal bytes are in the reason phrase, of a good reply and of an error', async () => {
    for (const status of [200, 404]) {
      for (const byte of [0x09, 0x20, 0x22, 0x7e, 0x80, 0xe9, 0xff]) {
        const head = `HTTP/1.1 ${status} a${String.fromCharCode(byte)}b\r\nX-Odd: caf\xe9\r\nContent-Length: ${whole.length}\r\n\r\n`
        const { heard, asked } = await askWith(bytes(head + whole), api)
        const shown = `byte ${byte}: ${heard}`
        expect(asked, shown).toBe(1)
        expect(heard, shown).toMatch(new RegExp(`^HTTP/1\\.1 ${status} a.b\r\n`))
        expect(heard, shown).toContain('\r\nX-Odd: caf\xe9\r\n')
      }
    }
  })

  it.each([
    ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'],
    ['103 with an upgrade', 'HTTP/1.1 103 x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['three interim replies', 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 102 x\r\n\r\nHTTP/1.1 199 y\r\n\r\n'],
  ])('are read past %s, as RFC 9110 (15.2) asks of a client', async (_what, interim) => {
    const { heard, asked } = await askWith(bytes(interim + good), api)
    expect(asked).toBe(1)
    expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Words/)
  })

  it.each([
    ['an unrequested 100 Continue', `HTTP/1.1 100 Continue\r\n\r\n${good}`],
    ['101 without an upgrade', `HTTP/1.1 101 Switching Protocols\r\n\r\n${good}`],
    ['101 with an upgrade', 'HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['the status 000', 'HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\n{}'],
    ['the status 099', 'HTTP/1.1 099 X\r\nContent-Length: 2\r\n\r\n{}'],
    ['the status 099 without a length', 'HTTP/1.1 099 X\r\n\r\n'],
    ['the status 99', 'HTTP/1.1 99 X\r\nContent-Length: 2\r\n\r\n{}'],
    ['the status 1000', 'HTTP/1.1 1000 X\r\nContent-Length: 2\r\n\r\n{}'],
    ['a status in words', 'HTTP/1.1 abc X\r\nContent-Length: 2\r\n\r\n{}'],
    ['no status', 'HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}'],
    ['words that are no HTTP', 'hello there\r\n\r\n'],
    ['bytes that are no HTTP', '\x00\x01\x02\x03\xff\xfe'],
    ['the head of a TLS connection', '\x15\x03\x01\x00\x02\x02\x28'],
    ['a header line without a colon', 'HTTP/1.1 200 OK\r\nNonsense\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: b\r\n\r\n'],
    ['a header name with a space', 'HTTP/1.1 200 OK\r\nX Y: b\r\n\r\n'],
    ['a header name that is not ASCII', 'HTTP/1.1 200 OK\r\nX\xe9: b\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}'],
    ['a length beyond any number', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n{}'],
    ['a length beside chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}'],
    ['160 KB of headers', `HTTP/1.1 200 OK\r\n${`X-A: ${'a'.repeat(4000)}\r\n`.repeat(40)}\r\n{}`],
  ])(
    'are a malformed reply with %s: the request reached the service, so it is not sent again [ERR-06] [ERR-11]',
    async (_what, answer) => {
      const { heard, asked } = await askWith(bytes(answer), api)
      expect(asked).toBe(1)
      const { status, headers, body } = replyOf(heard)
      expect([status, headers['x-should-retry']]).toEqual([502, 'false'])
      const { message } = api.problem({ status, headers, body })
      expect((await gateway.rows())[0]).toMatchObject({
        state: 'failed',
        problem: { kind: 'malformed_reply', message },
      })
    },
  )
})
