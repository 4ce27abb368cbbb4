import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pathBelowV1 } from '../../../src-main/core/proxy/target.ts'
import { plainTool } from '../../../src-main/core/tools/settings.ts'
import {
  ask,
  type FarEnd,
  type Gateway,
  jsonWithKey,
  openFarEnd,
  openGateway,
  toolKey,
  withKey,
} from '../../helpers/gateway.ts'

const apiKey = 'sk-canary-7f3d2a91c05e4b68'
let far: FarEnd
let gateway: Gateway

beforeAll(async () => {
  far = await openFarEnd((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
  })
  gateway = await openGateway(far.url, apiKey)
})
afterAll(async () => {
  await gateway.close()
  await far.close()
})
beforeEach(() => {
  far.requests.length = 0
})

/** What a socket answers to bytes as they are, up to its close. */
function speak(bytes: string, { thenEnd = false } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.proxy.port, '127.0.0.1', () => (thenEnd ? socket.end(bytes) : socket.write(bytes)))
    let heard = ''
    socket.setTimeout(5000, () => socket.destroy(new Error('no answer')))
    socket.on('data', (piece) => {
      heard += piece.toString('latin1')
    })
    socket.once('error', reject)
    socket.once('close', () => resolve(heard))
  })
}

const hostLine = () => `Host: 127.0.0.1:${gateway.proxy.port}\r\n`
const keyLine = `Authorization: Bearer ${toolKey}\r\n`

describe('the gate of the local /v1', () => {
  it('lets a tool with its key through, with the real key put on and its own taken off [AUTH-01]', async () => {
    const answer = await ask(`${gateway.url}/models`, { headers: withKey })
    expect(answer.status).toBe(200)
    expect(far.requests.map((request) => request.headers.authorization)).toEqual([`Bearer ${apiKey}`])
    expect(JSON.stringify(far.requests)).not.toContain(toolKey)
  })

  it.each([
    ['no key', {}, 401],
    ['a wrong key', { authorization: 'Bearer isk_testtool_wrong' }, 401],
    ["the service's own key", { authorization: `Bearer ${apiKey}` }, 401],
    ['another scheme', { authorization: `Basic ${toolKey}` }, 401],
    ['a web page’s origin', { ...withKey, origin: 'https://evil.example' }, 403],
    ['a sandboxed page’s origin', { ...withKey, origin: 'null' }, 403],
    ['an extension’s origin', { ...withKey, origin: 'chrome-extension://abcdefghijklmnop' }, 403],
    ['its own origin', { ...withKey, origin: 'http://127.0.0.1:8787' }, 403],
    ['a cross-site fetch', { ...withKey, 'sec-fetch-site': 'cross-site' }, 403],
    ['a same-site fetch from another port', { ...withKey, 'sec-fetch-site': 'same-site' }, 403],
    ['a rebound host name', { ...withKey, host: 'evil.example' }, 421],
    ['a host that only begins like ours', { ...withKey, host: '127.0.0.1.evil.example:8787' }, 421],
    ['a host without the port', { ...withKey, host: '127.0.0.1' }, 421],
  ])('refuses %s before a byte goes upstream [ERR-01]', async (_what, headers, status) => {
    const answer = await ask(`${gateway.url}/models`, { headers: headers as Record<string, string> })
    expect(answer.status).toBe(status)
    const { error } = JSON.parse(answer.body.toString()) as { error: Record<string, string> }
    expect(Object.keys(error).sort()).toEqual(['code', 'message', 'type'])
    expect(error.type).toBe('studio_refused')
    expect(answer.headers['x-studio-answer']).toBe('studio_refused')
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect(far.requests).toHaveLength(0)
    expect(answer.body.toString()).not.toContain(apiKey)
  })

  it.each([
    ['in the query', `/models?api_key=${toolKey}`, {}],
    ['in another header', '/models', { 'x-debug': `key=${toolKey}` }],
  ])(
    'refuses a key that stands %s too: it would go on to the service and into its logs',
    async (_where, path, more) => {
      const answer = await ask(`${gateway.url}${path}`, { headers: { ...withKey, ...more } })
      expect(answer.status).toBe(400)
      expect(far.requests).toHaveLength(0)
    },
  )

  it('answers to localhost by name as well', async () => {
    const answer = await ask(`${gateway.url}/models`, {
      headers: { ...withKey, host: `localhost:${gateway.proxy.port}` },
    })
    expect(answer.status).toBe(200)
  })

  it('keeps what a browser holds for 127.0.0.1 from the service: cookies know no port', async () => {
    await ask(`${gateway.url}/models`, {
      headers: { ...withKey, cookie: 'studio-session=secret', referer: 'http://x/' },
    })
    expect(far.requests[0]?.headers).not.toHaveProperty('cookie')
    expect(far.requests[0]?.headers).not.toHaveProperty('referer')
  })

  it.each([
    ['an absolute target', `GET http://evil.example/v1/models HTTP/1.1\r\n`, 404],
    ['a target without /v1', 'GET /admin HTTP/1.1\r\n', 404],
    ['a neighbour of /v1', 'GET /v10/models HTTP/1.1\r\n', 404],
    ['dot segments', 'GET /v1/../admin HTTP/1.1\r\n', 404],
    ['encoded dot segments', 'GET /v1/%2e%2e/admin HTTP/1.1\r\n', 404],
    ['an encoded slash', 'GET /v1/keys%2fcurrent HTTP/1.1\r\n', 404],
    ['a backslash', 'GET /v1/..\\admin HTTP/1.1\r\n', 404],
    ['an empty segment', 'GET /v1//evil.example HTTP/1.1\r\n', 404],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\n', 404],
  ])('never forwards %s [GEN-01]', async (_what, line, status) => {
    const heard = await speak(`${line}${hostLine()}${keyLine}Connection: close\r\n\r\n`)
    expect(heard).toMatch(new RegExp(`^HTTP/1\\.1 (${status}|400) `))
    expect(far.requests).toHaveLength(0)
  })

  it.each([
    ['two lengths that differ', 'Content-Length: 3\r\nContent-Length: 4\r\n'],
    ['a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'],
    ['two hosts', 'Host: evil.example\r\n'],
    ['two keys', keyLine],
    ['a folded header', 'X-A: b\r\n c\r\n'],
    ['headers of 64 KB', `X-Long: ${'x'.repeat(65_536)}\r\n`],
  ])('answers %s with a clean 4xx and forwards nothing', async (_what, lines) => {
    const heard = await speak(`POST /v1/chat/completions HTTP/1.1\r\n${hostLine()}${keyLine}${lines}\r\nabc`)
    expect(heard).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(heard).toContain('"type":"studio_refused"')
    expect(far.requests).toHaveLength(0)
  })

  it('asks for the body of an upload only after it said yes', async () => {
    const refused = await speak(
      `POST /v1/audio/transcriptions HTTP/1.1\r\n${hostLine()}Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n`,
    )
    expect(refused).toMatch(/^HTTP\/1\.1 401 /)
    expect(refused).not.toContain('100 Continue')
    const taken = await speak(
      `POST /v1/audio/transcriptions HTTP/1.1\r\n${hostLine()}${keyLine}Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi`,
    )
    expect(taken).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
    expect(far.requests[0]?.headers).not.toHaveProperty('expect')
  })

  it('closes upgrades and tunnels without a word', async () => {
    expect(await speak(`CONNECT evil.example:443 HTTP/1.1\r\n${hostLine()}\r\n`)).toBe('')
    expect(
      await speak(`GET /v1/x HTTP/1.1\r\n${hostLine()}${keyLine}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`),
    ).toBe('')
    expect(far.requests).toHaveLength(0)
  })

  it('survives any bytes at all, and forwards none of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 400 }), async (bytes) => {
        // Ended, because a server waits for more after nothing but line ends.
        await speak(`${Buffer.from(bytes).toString('latin1')}\r\n\r\n`, { thenEnd: true })
      }),
      { numRuns: 60 },
    )
    expect(far.requests).toHaveLength(0)
    expect((await ask(`${gateway.url}/models`, { headers: withKey })).status).toBe(200)
  })

  it('lets no target through that a URL parser reads as another path', () => {
    const odd = fc.array(
      fc.constantFrom('/', '.', '..', '%2e', '%2F', '\\', 'v1', 'a', '?', '#', '%', '%00', ';', '@', ':', ' ', 'é'),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(odd, (parts) => {
        const target = `/v1/${parts.join('')}`
        const path = pathBelowV1(target)
        if (path === null) return
        const read = new URL(`http://host/v1${path}`)
        expect(`${read.pathname}${read.search}`.startsWith('/v1')).toBe(true)
        expect(read.pathname).toBe(target.split('?')[0])
        expect(read.host).toBe('host')
      }),
      { numRuns: 2000 },
    )
  })

  it('takes the next free port when the wanted one is taken, and says which', async () => {
    const { startProxy } = await import('../../../src-main/core/proxy/server.ts')
    const second = await startProxy(gateway.proxy.port, {
      verify: () => null,
      forward: () => null,
      used: () => undefined,
      changed: () => undefined,
      failed: () => undefined,
    })
    expect(second.port).toBeGreaterThan(gateway.proxy.port)
    expect(second.baseUrl).toBe(`http://127.0.0.1:${second.port}/v1`)
    await second.close()
  })

  it('says so when nothing is connected', async () => {
    const { startProxy } = await import('../../../src-main/core/proxy/server.ts')
    const alone = await startProxy(0, {
      verify: () => plainTool({ id: 't', name: 't' }),
      forward: () => null,
      used: () => undefined,
      changed: () => undefined,
      failed: () => undefined,
    })
    const answer = await ask(`${alone.baseUrl}/models`, { headers: jsonWithKey })
    expect(answer.status).toBe(503)
    expect(answer.headers['x-should-retry']).toBe('false')
    await alone.close()
  })
})
