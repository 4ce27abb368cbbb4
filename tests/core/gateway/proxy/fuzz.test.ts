import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProxyServer } from '../../../../src-main/core/gateway/proxy/server.ts'
import { ask } from '../../../helpers/appRequest.ts'
import { goodKey, once, open, openGate, relayTo } from '../../../helpers/gate.ts'
import { apiKey, openGateway } from '../../../helpers/gateway.ts'

// Thousands of byte sequences that no client sends, over real sockets. A strict server reads what reaches the far end.

interface Arrived {
  method: string
  url: string
  rawHeaders: string[]
  body: string
}

let proxy: ProxyServer
let closeProxy: () => Promise<void>
let farPort = 0
const arrived: Arrived[] = []
const garbled: string[] = []
const base = '/team/api'

const far = createServer(
  { insecureHTTPParser: false, requireHostHeader: true },
  (request: IncomingMessage, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('error', () => undefined)
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request
      arrived.push({ method, url, rawHeaders, body: Buffer.concat(pieces).toString('latin1') })
      response.end('{}')
    })
  },
)
far.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket) => {
  // Another program sent this TLS handshake to an earlier server on this port.
  const greeting = error.rawPacket?.[0] === 0x16 && error.rawPacket[1] === 0x03
  // A partial request of an app that disconnects is not malformed.
  if (error.code?.startsWith('HPE_') && error.code !== 'HPE_INVALID_EOF_STATE' && !greeting)
    garbled.push(`${error.code} ${error.rawPacket?.toString('latin1').slice(0, 200)}`)
  socket.destroy()
})

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    far.listen(0, '127.0.0.1', resolve)
  })
  farPort = (far.address() as AddressInfo).port
})
afterAll(() => {
  far.closeAllConnections()
  far.close()
})

/** Short timeouts, because a case with a missing part ends by one of them. */
const bounds = { headersMs: 80, uploadMs: 80, lingerMs: 80, strangers: 100_000 }

/** Writes bytes in the given pieces, and resolves when the server has replied or closed. */
async function throwAt(pieces: string[]): Promise<string> {
  const line = open(proxy.port)
  for (const piece of pieces) line.socket.write(piece, 'latin1')
  line.socket.on('data', () => {
    // A reply has started. It is small, so it is complete.
    line.socket.end()
  })
  return line.closed.catch((error: NodeJS.ErrnoException) => {
    // On a busy machine the last bytes arrive after the server has waited for them.
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error
    return ''
  })
}

const valuesOf = (rawHeaders: string[], wanted: string): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === wanted)

function checkArrivals(): void {
  for (const { method, url, rawHeaders, body } of arrived.splice(0)) {
    const shown = `${method} ${url}\n${rawHeaders.join('|')}`
    const below = url.slice(base.length)
    expect(url.startsWith(`${base}/`), shown).toBe(true)
    if (method !== 'GET' && method !== 'HEAD') expect(below, shown).toMatch(/^\/v1(?:[/?]|$)/)
    expect(['TRACE', 'CONNECT'], shown).not.toContain(method)
    const read = new URL(`http://far${url}`)
    expect(read.pathname, shown).toBe(url.split('?')[0])
    expect(read.pathname, shown).not.toMatch(/%2f|%5c|%2e|%00|\\|smuggled/i)
    expect(shown).not.toContain('smuggled')
    expect(valuesOf(rawHeaders, 'authorization'), shown).toEqual([`Bearer ${apiKey}`])
    expect(valuesOf(rawHeaders, 'host'), shown).toEqual([`127.0.0.1:${farPort}`])
    const lengths = valuesOf(rawHeaders, 'content-length')
    const codings = valuesOf(rawHeaders, 'transfer-encoding')
    expect(lengths.length + codings.length, shown).toBeLessThanOrEqual(1)
    if (lengths[0] !== undefined) expect(body.length, shown).toBe(Number(lengths[0]))
    // A body passes unchanged, also one in which the program repeats its key.
    expect(shown).not.toContain(goodKey)
    for (const name of ['cookie', 'origin', 'referer', 'upgrade', 'expect'])
      expect(valuesOf(rawHeaders, name), shown).toEqual([])
  }
  expect(garbled).toEqual([])
}

/** Sends many cases on many connections, then checks that the server still works. */
async function attack(cases: fc.Arbitrary<string[]>, { runs, each }: { runs: number; each: number }): Promise<number> {
  let answered = 0
  await fc.assert(
    fc.asyncProperty(fc.array(cases, { minLength: each, maxLength: each }), async (batch) => {
      const heard = await Promise.all(batch.map(throwAt))
      for (const text of heard) {
        if (text === '') continue
        answered += 1
        expect(text).toMatch(/^HTTP\/1\.1 (?:200|204|4\d\d|501|100) /)
      }
      await once(() => proxy.counts().active === 0)
      checkArrivals()
    }),
    { numRuns: runs, endOnFailure: true },
  )
  const fine = await ask(`${proxy.baseUrl}/models`, { headers: { authorization: `Bearer ${goodKey}` } })
  expect(fine.status).toBe(200)
  arrived.length = 0
  return answered
}

const methods = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE', 'PUT', 'PATCH') },
  { weight: 1, arbitrary: fc.constantFrom('TRACE', 'CONNECT', 'get', 'G T', 'PROPFIND', '') },
)
const pathParts = fc.constantFrom(
  '/',
  'v1',
  '/v1',
  '/v1/',
  '..',
  '.',
  '%2e',
  '%2F',
  '%5c',
  '%00',
  '%25',
  '%',
  '\\',
  '//',
  '?',
  '#',
  'models',
  'files/a.png',
  '@',
  ':',
  ';',
  '*',
  'http://evil.example',
  ' ',
  '\t',
  '\u00e9',
  'é',
  '"',
  '{}',
  '|',
)
const targets = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('/v1/models', '/v1/chat/completions', '/files/x.png', '/v1/models?a=b%2Fc') },
  { weight: 2, arbitrary: fc.array(pathParts, { maxLength: 8 }).map((parts) => `/v1/${parts.join('')}`) },
  { weight: 1, arbitrary: fc.array(pathParts, { maxLength: 8 }).map((parts) => parts.join('')) },
)
const versions = fc.oneof(
  { weight: 30, arbitrary: fc.constant('HTTP/1.1') },
  { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'HTTP/11', 'http/1.1', '') },
)
const ends = fc.oneof(
  { weight: 60, arbitrary: fc.constant('\r\n') },
  { weight: 1, arbitrary: fc.constantFrom('\n', '\r', '\n\r', '\r\n ', '\0\r\n', '') },
)
const oddHeaders = fc.constantFrom(
  'Content-Length: 5',
  'Content-Length: 0',
  'Content-Length: 3',
  'Content-Length: 05',
  'Content-Length: +5',
  'Content-Length: 5, 5',
  'Content-Length: 5 5',
  'Content-Length: 0x5',
  'Content-Length:',
  'Content-Length : 5',
  'content-length: 50',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: Chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: \x0bchunked',
  ' Transfer-Encoding: chunked',
  'X: y\r\n Transfer-Encoding: chunked',
  'Transfer_Encoding: chunked',
  'Expect: 100-continue',
  'Expect: 99',
  'Connection: close',
  'Connection: keep-alive, Authorization',
  'Connection: Content-Length, Host',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'TE: trailers',
  'Trailer: Authorization',
  'Host: evil.example',
  'Host: 127.0.0.1',
  'Authorization: Bearer x',
  'Proxy-Authorization: Basic x',
  'Cookie: a=b',
  'Origin: https://evil.example',
  'Origin: null',
  'Referer: http://x/',
  'Sec-Fetch-Site: cross-site',
  'Access-Control-Request-Method: POST',
  'X-HTTP-Method-Override: DELETE',
  'X-Forwarded-Host: evil.example',
  'X-\u00ff: a',
  'X-A: \u00ff\u0080',
  'X-A: a\0b',
  'X-A: a\rb',
  'X A: b',
  ': empty',
  'NoColon',
  '',
  'X-Key: KEY',
  'Content-Type: a',
  'Content-Type: b',
)
const headers = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: oddHeaders },
    { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 40 }) },
  ),
  { maxLength: 3 },
)
const hidden = 'GET /v1/smuggled HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n'
const bodies = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'hello',
      '0\r\n\r\n',
      '5\r\nhello\r\n0\r\n\r\n',
      `5\r\nhello\r\n0\r\n\r\n${hidden}`,
      `0\r\n\r\n${hidden}`,
      hidden,
      `hello${hidden}`,
      '5;a=b\r\nhello\r\n0\r\nAuthorization: Bearer KEY\r\nHost: evil.example\r\n\r\n',
      '-1\r\n',
      'G\r\n',
      '0x5\r\nhello\r\n0\r\n\r\n',
      ' 5\r\nhello\r\n0\r\n\r\n',
      '5 \r\nhello\r\n0\r\n\r\n',
      '5\nhello\r\n0\r\n\r\n',
      '5\r\nhello0\r\n\r\n',
      `00000000000000005\r\nhello\r\n0\r\n\r\n${hidden}`,
      'ffffffffffffffff\r\nx',
      `5\r\nhello\r\n0\r\nX: y\n${hidden}`,
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 60 }) },
)

/** Most cases have a valid host and key. Without them, the server would run no other check. */
const mostly = fc.nat(12).map((at) => at > 0)

/** Similar to a request, with one or several errors. */
const requests = fc
  .record({
    method: methods,
    target: targets,
    version: versions,
    host: mostly,
    key: mostly,
    odd: headers,
    end: ends,
    body: bodies,
    pieces: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ method, target, version, host, key, odd, end, body, pieces }) => {
    const lines = [
      `${method} ${target} ${version}`,
      ...(host ? ['Host: 127.0.0.1:PORT'] : []),
      ...(key ? ['Authorization: Bearer KEY'] : []),
      ...odd,
    ]
    const text = `${lines.join(end)}${end}\r\n${body}`.replaceAll('PORT', String(proxy.port)).replaceAll('KEY', goodKey)
    const size = Math.ceil(text.length / pieces)
    return Array.from({ length: pieces }, (_, at) => text.slice(at * size, (at + 1) * size))
  })

/** A valid request with bytes changed, removed or doubled. */
const mutations = fc
  .record({
    body: fc.constantFrom(
      'Content-Length: 5\r\n\r\nhello',
      'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    ),
    changes: fc.array(
      fc.record({ at: fc.nat(200), what: fc.constantFrom('change', 'leave out', 'double'), to: fc.nat(255) }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ body, changes }) => {
    const host = `Host: 127.0.0.1:${proxy.port}\r\nAuthorization: Bearer ${goodKey}\r\n`
    const bytes = `POST /v1/chat/completions?a=b HTTP/1.1\r\n${host}X-A: b\r\n${body}`.split('')
    for (const { at, what, to } of changes) {
      const place = at % bytes.length
      if (what === 'change') bytes[place] = String.fromCharCode(to)
      else if (what === 'leave out') bytes.splice(place, 1)
      else bytes.splice(place, 0, bytes[place] ?? '')
    }
    return [bytes.join('')]
  })

const noise = fc
  .uint8Array({ minLength: 1, maxLength: 300 })
  .map((bytes) => [`${Buffer.from(bytes).toString('latin1')}\r\n\r\n`])

const ways: [string, number, () => Promise<void>][] = [
  [
    'the gate with the smallest relay',
    50,
    async () => {
      const gate = await openGate(relayTo(`http://127.0.0.1:${farPort}${base}`), bounds)
      proxy = gate.proxy
      closeProxy = async () => {
        await gate.close()
        expect(gate.failures).toEqual([])
      }
    },
  ],
  [
    'the whole way, with desk, limits and books',
    20,
    async () => {
      const gateway = await openGateway(`http://127.0.0.1:${farPort}${base}`, apiKey, { bounds })
      proxy = gateway.proxy
      closeProxy = gateway.close
    },
  ],
]

describe.each(ways)('random bytes on a socket (%s)', (_name, runs, start) => {
  beforeAll(start)
  afterAll(() => closeProxy())

  it('in the shape of malformed requests: none that is malformed, ambiguous or without a key reaches the service', async () => {
    expect(await attack(requests, { runs, each: 50 })).toBeGreaterThan(runs * 40)
    expect(proxy.counts().relayed).toBeGreaterThan(runs * 5)
  })

  it('in the shape of valid requests with bytes changed, removed or doubled: the same', async () => {
    expect(await attack(mutations, { runs: runs / 2, each: 50 })).toBeGreaterThan(runs * 20)
  })

  it('without any shape: the server survives, and none of them reaches the service', async () => {
    const before = proxy.counts().relayed
    await attack(noise, { runs: runs / 2, each: 50 })
    // The one valid request that checks whether the server still works.
    expect(proxy.counts().relayed).toBe(before + 1)
  })
})
