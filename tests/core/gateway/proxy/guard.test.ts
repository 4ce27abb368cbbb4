import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hostsOf, printable } from '../../../../src-main/core/gateway/proxy/guard.ts'
import { checkTarget } from '../../../../src-main/core/gateway/proxy/localPath.ts'
import { originToAllow } from '../../../../src-main/core/shared/origin.ts'
import { type Api, apis, chatApi } from '../../../helpers/apis.ts'
import { ask } from '../../../helpers/appRequest.ts'
import { tries } from '../../../helpers/effort.ts'
import { goodKey, type OpenGate, openGate, relayTo, speak } from '../../../helpers/gate.ts'
import { apiKey, type FarEnd, openFarEnd } from '../../../helpers/gateway.ts'

let far: FarEnd
let gate: OpenGate

beforeAll(async () => {
  far = await openFarEnd((_request, response) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': 27,
      'access-control-allow-origin': '*',
    })
    response.end('{"object":"list","data":[]}')
  })
  gate = await openGate(relayTo(far.url))
})
afterAll(async () => {
  await gate.close()
  await far.close()
})
beforeEach(() => {
  far.requests.length = 0
  gate.refused.length = 0
  gate.origins.length = 0
})

const withKey = { authorization: `Bearer ${goodKey}` }
const hostLine = () => `Host: 127.0.0.1:${gate.port}\r\n`
const keyLine = `Authorization: Bearer ${goodKey}\r\n`

type Headers = Record<string, string>
const errorOf = (body: Buffer) => (JSON.parse(body.toString()) as { error: Record<string, string> }).error

/** Requests to which the same rules apply: one that reads, and one that starts work in each API. */
interface Way extends Pick<Api, 'problem'> {
  name: string
  path: string
  method: 'GET' | 'POST'
  body?: string
  /** The API of another vendor that the log names. */
  dialect: string | null
}
const ways: Way[] = [
  { name: 'the list of models', path: '/v1/models', problem: chatApi.problem, method: 'GET', dialect: null },
  ...apis.map((api): Way => {
    const dialect = api.name === 'chat' ? null : api.name
    return { ...api, name: `the API ${api.name}`, path: api.pathOf(), method: 'POST', body: api.body(), dialect }
  }),
]

describe('the guard of the local API', () => {
  it('accepts an app with its key, and replaces the app key with the API key [AUTH-01]', async () => {
    const answer = await ask(`${gate.url}/v1/models`, { headers: withKey })
    expect(answer.status).toBe(200)
    expect(far.requests.map((request) => request.headers.authorization)).toEqual([`Bearer ${apiKey}`])
    expect(JSON.stringify(far.requests)).not.toContain(goodKey)
    expect(gate.used).toContain('Editor')
    expect(gate.refused).toEqual([])
  })

  it('says where a person can allow a web page', async () => {
    const answer = await ask(`${gate.url}/v1/models`, { headers: { ...withKey, origin: 'https://evil.example' } })
    expect(errorOf(answer.body).message).toContain('on the Local API page')
  })

  it('names the app of a key that is paused, revoked or expired, and of no other', async () => {
    await ask(`${gate.url}/v1/models`, { headers: { authorization: 'Bearer isk_paused' } })
    await ask(`${gate.url}/v1/models`, { headers: { authorization: 'Bearer isk_nobody' } })
    expect(gate.refused.map(({ appId }) => appId)).toEqual(['sleeper', null])
  })

  it('accepts a key that is repeated in a header that is not passed on', async () => {
    const answer = await ask(`${gate.url}/v1/models`, { headers: { ...withKey, 'x-api-key': goodKey } })
    expect(answer.status).toBe(200)
    expect(JSON.stringify(far.requests)).not.toContain(goodKey)
  })

  it('masks a key in a logged path', async () => {
    await ask(`${gate.url}/v1/models/${goodKey}`)
    expect(gate.refused[0]?.path).toBe('/v1/models/[key]')
  })

  it('removes cookies, which browsers send to every port of 127.0.0.1', async () => {
    await ask(`${gate.url}/v1/models`, {
      headers: { ...withKey, cookie: 'studio-session=secret', referer: 'http://x/' },
    })
    expect(far.requests[0]?.headers).not.toHaveProperty('cookie')
    expect(far.requests[0]?.headers).not.toHaveProperty('referer')
  })

  it('limits hostile names to a length and to printable characters', async () => {
    await speak(
      gate.port,
      `GET /v1/x HTTP/1.1\r\n${hostLine()}Origin: http://\u00e9\u00ff${'a'.repeat(900)}\r\nConnection: close\r\n\r\n`,
    )
    const [refusal] = gate.refused
    expect(refusal?.from).toMatch(/^a web page at http:\/\/\?\?a{80,}…$/)
    expect(refusal?.origin).toBeNull()
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(printable(text)).toMatch(/^[\x20-\x7e]{0,120}…?$/)
      }),
    )
  })
})

describe.each(ways)('for $name, the guard', ({ path, method, body, problem, dialect }) => {
  const evil = 'https://evil.example'
  const aPage = `a web page at ${evil}`
  const send = (target: string, headers: Headers) =>
    ask(`${gate.url}${target}`, { method, headers, ...(body !== undefined && { body }) })

  it.each<[string, Headers, number, string, string, string | null]>([
    ['no key', {}, 401, 'tool_key_missing', 'a program without a key', null],
    [
      'a wrong key',
      { authorization: 'Bearer isk_x_wrong' },
      401,
      'tool_key_unknown',
      'a program with an unknown key',
      null,
    ],
    [
      "the service's own key",
      { authorization: `Bearer ${apiKey}` },
      401,
      'tool_key_unknown',
      'a program with an unknown key',
      null,
    ],
    ['another scheme', { authorization: `Basic ${goodKey}` }, 401, 'tool_key_missing', 'a program without a key', null],
    ['a revoked key', { authorization: 'Bearer isk_revoked' }, 401, 'tool_key_revoked', 'Gone', null],
    ['an expired key', { authorization: 'Bearer isk_expired' }, 401, 'tool_key_expired', 'Late', null],
    ['a replaced key', { authorization: 'Bearer isk_replaced' }, 401, 'tool_key_replaced', 'Editor', null],
    ['a paused app', { authorization: 'Bearer isk_paused' }, 403, 'tool_key_paused', 'Sleeper', null],
    ['a web page’s origin', { ...withKey, origin: evil }, 403, 'web_page', aPage, evil],
    [
      'a sandboxed page’s origin',
      { ...withKey, origin: 'null' },
      403,
      'web_page',
      'a web page without an address (a file or a sandboxed frame)',
      null,
    ],
    [
      'an extension’s origin',
      { ...withKey, origin: 'chrome-extension://abcdefghijklmnop' },
      403,
      'web_page',
      'a browser extension at chrome-extension://abcdefghijklmnop',
      'chrome-extension://abcdefghijklmnop',
    ],
    [
      'the page of a desktop program',
      { ...withKey, origin: 'app://obsidian.md' },
      403,
      'web_page',
      'the page of a program at app://obsidian.md',
      'app://obsidian.md',
    ],
    ['an origin that is none', { ...withKey, origin: '*' }, 403, 'web_page', 'the page of a program at *', null],
    [
      'a cross-site fetch',
      { ...withKey, 'sec-fetch-site': 'cross-site' },
      403,
      'web_page',
      'a web page (its browser does not say which)',
      null,
    ],
    [
      'a picture in a page',
      { ...withKey, 'sec-fetch-site': 'cross-site', referer: `${evil}/x?y` },
      403,
      'web_page',
      aPage,
      null,
    ],
    [
      'a same-site fetch from another port',
      { ...withKey, 'sec-fetch-site': 'same-site' },
      403,
      'web_page',
      'a web page (its browser does not say which)',
      null,
    ],
    [
      'a rebound host name',
      { ...withKey, host: 'evil.example:8787', origin: 'http://evil.example:8787' },
      421,
      'wrong_host',
      'a page under another name (evil.example:8787)',
      null,
    ],
    [
      'a host that only begins like ours',
      { ...withKey, host: '127.0.0.1.evil.example' },
      421,
      'wrong_host',
      'a page under another name (127.0.0.1.evil.example)',
      null,
    ],
    [
      'a host without the port',
      { ...withKey, host: '127.0.0.1' },
      421,
      'wrong_host',
      'a page under another name (127.0.0.1)',
      null,
    ],
  ])(
    'refuses %s before a byte goes upstream, and says who it was [ERR-01]',
    async (_what, headers, status, code, from, origin) => {
      const answer = await send(`${path}?q=secret`, headers)
      expect(answer.status).toBe(status)
      const { message, ...error } = problem(answer)
      if (error.code !== null) expect(error).toMatchObject({ type: 'studio_refused', code })
      expect(answer.headers['x-studio-answer']).toBe('studio_refused')
      expect(answer.headers['x-should-retry']).toBe('false')
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      expect(far.requests).toHaveLength(0)
      expect(answer.body.toString()).not.toContain(apiKey)
      expect(gate.refused).toEqual([
        expect.objectContaining({
          from,
          code,
          status,
          origin,
          method,
          path,
          dialect,
          message,
        }),
      ])
    },
  )

  it.each([
    ['in the query', `?api_key=${goodKey}`, {}],
    ['in another header', '', { 'x-debug': `key=${goodKey}` }],
  ])(
    'refuses a key that occurs %s too: it would be sent to the service and to its logs',
    async (_where, query, more) => {
      const answer = await send(`${path}${query}`, { ...withKey, ...more })
      expect(answer.status).toBe(400)
      expect(problem(answer).message).toContain('elsewhere')
      expect(far.requests).toHaveLength(0)
      expect(JSON.stringify(gate.refused)).not.toContain(goodKey)
    },
  )
})

describe('the Host of a request', () => {
  it('is 127.0.0.1 or localhost with the port, in any letter case', async () => {
    for (const host of [`localhost:${gate.port}`, `LocalHost:${gate.port}`, `127.0.0.1:${gate.port}`]) {
      expect((await ask(`${gate.url}/v1/models`, { headers: { ...withKey, host } })).status).toBe(200)
    }
    for (const host of [
      `[::1]:${gate.port}`,
      `localhost.:${gate.port}`,
      `127.1:${gate.port}`,
      `x@localhost:${gate.port}`,
    ]) {
      expect((await ask(`${gate.url}/v1/models`, { headers: { ...withKey, host } })).status).toBe(421)
    }
  })

  it('may omit the port on port 80 only', () => {
    expect([...hostsOf(80)].sort()).toEqual(['127.0.0.1', '127.0.0.1:80', 'localhost', 'localhost:80'])
    expect([...hostsOf(8787)].sort()).toEqual(['127.0.0.1:8787', 'localhost:8787'])
    expect([...hostsOf(80, true)]).toEqual(expect.arrayContaining(['[::1]', '[::1]:80']))
    expect([...hostsOf(8787, true)].sort()).toEqual(['127.0.0.1:8787', '[::1]:8787', 'localhost:8787'])
  })

  it('is required', async () => {
    const heard = await speak(gate.port, `GET /v1/models HTTP/1.1\r\n${keyLine}\r\n`)
    expect(heard).toMatch(/^HTTP\/1\.1 400 /)
    expect(heard).toContain('"code":"no_host"')
    const empty = await speak(gate.port, `GET /v1/models HTTP/1.1\r\nHost:\r\n${keyLine}Connection: close\r\n\r\n`)
    expect(empty).toMatch(/^HTTP\/1\.1 421 /)
    expect(gate.refused.at(-1)?.from).toBe('a page under another name (none)')
  })
})

describe('paths and methods', () => {
  it.each([
    ['an absolute target', 'GET http://evil.example/v1/models HTTP/1.1\r\n'],
    ['an absolute target of our own', 'GET http://127.0.0.1/v1/models HTTP/1.1\r\n'],
    ['a neighbour of /v1 with POST', 'POST /v10/models HTTP/1.1\r\n'],
    ['a file with DELETE', 'DELETE /files/x.png HTTP/1.1\r\n'],
    ['dot segments', 'GET /v1/../admin HTTP/1.1\r\n'],
    ['dot segments at the end', 'GET /v1/.. HTTP/1.1\r\n'],
    ['encoded dot segments', 'GET /v1/%2e%2e/admin HTTP/1.1\r\n'],
    ['an encoded slash', 'GET /v1/keys%2fcurrent HTTP/1.1\r\n'],
    ['an encoded percent', 'GET /v1/%252e%252e/admin HTTP/1.1\r\n'],
    ['a backslash', 'GET /v1/..\\admin HTTP/1.1\r\n'],
    ['an empty segment', 'GET /v1//evil.example HTTP/1.1\r\n'],
    ['two slashes at the start', 'GET //evil.example/v1 HTTP/1.1\r\n'],
    ['a fragment', 'GET /v1/models#x HTTP/1.1\r\n'],
    ['a broken escape', 'GET /v1/%zz HTTP/1.1\r\n'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\n'],
    ['17 KB of a path', `GET /v1/${'a'.repeat(17_000)} HTTP/1.1\r\n`],
  ])('never forwards %s [GEN-01]', async (_what, line) => {
    const heard = await speak(gate.port, `${line}${hostLine()}${keyLine}Connection: close\r\n\r\n`)
    expect(heard).toMatch(/^HTTP\/1\.1 40[04] /)
    expect(heard).toContain('"type":"studio_refused"')
    expect(far.requests).toHaveLength(0)
    expect(gate.refused).toHaveLength(1)
  })

  it('relays any method under /v1, and GET and HEAD of files below the base address [GEN-01]', async () => {
    const relayed: [string, string][] = [
      ['POST', '/v1/chat/completions?x=1&y=%2F'],
      ['DELETE', '/v1/unknown/thing'],
      ['PATCH', '/v1/'],
      ['GET', '/v1'],
      ['OPTIONS', '/v1/models'],
      ['GET', '/files/a%20b.png?w=1'],
      ['HEAD', '/files/x.png'],
      ['GET', '/'],
    ]
    for (const [method, path] of relayed) {
      const answer = await ask(`${gate.url}${path}`, { method, headers: withKey })
      expect([method, path, answer.status]).toEqual([method, path, 200])
      expect(answer.headers).not.toHaveProperty('allow')
    }
    expect(far.requests.map(({ method, url }) => [method, url])).toEqual(relayed)
  })

  it('a reply to HEAD has no body, from the service and from this server', async () => {
    const relayed = await speak(
      gate.port,
      `HEAD /v1/models HTTP/1.1\r\n${hostLine()}${keyLine}Connection: close\r\n\r\n`,
    )
    expect(relayed).toMatch(/^HTTP\/1\.1 200 /)
    expect(relayed).toMatch(/content-length: 27\r\n/i)
    expect(relayed.endsWith('\r\n\r\n')).toBe(true)
    const refused = await speak(gate.port, `HEAD /v1/models HTTP/1.1\r\n${hostLine()}Connection: close\r\n\r\n`)
    expect(refused).toMatch(/^HTTP\/1\.1 401 /)
    expect(refused.endsWith('\r\n\r\n')).toBe(true)
  })

  it.each(['/', '/favicon.ico', '/v1', '/v1/nothing', '/robots.txt'])(
    'asks for a key at %s as everywhere',
    async (path) => {
      expect((await ask(`${gate.url}${path}`)).status).toBe(401)
      expect(far.requests).toHaveLength(0)
    },
  )

  it('no target passes that a URL parser reads as another path', () => {
    const odd = fc.array(fc.constantFrom('..', '%2e', '%2F', '%00', 'v1', '//', ...'/.\\a?#%;@: é'.split('')), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(odd, fc.constantFrom('GET', 'POST'), (parts, method) => {
        const target = `/${parts.join('')}`
        const checked = checkTarget(method, target)
        if ('problem' in checked) return
        const { path } = checked
        expect(path).toBe(target)
        const read = new URL(`http://host/base${path}`)
        expect(read.pathname).toBe(`/base${target.split('?')[0]}`)
        expect(read.host).toBe('host')
        expect(read.hash).toBe('')
        if (method === 'POST') expect(/^\/v1(?:\/|$)/.test(read.pathname.slice('/base'.length))).toBe(true)
      }),
      { numRuns: tries(500, 5000) },
    )
  })
})

describe('an allowed origin', () => {
  const friend = 'http://localhost:3000'
  const preflight = (more: Headers = {}) => ({
    method: 'OPTIONS',
    headers: {
      origin: friend,
      'sec-fetch-site': 'cross-site',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
      ...more,
    },
  })

  it('gets its preflight approved without a key, for exactly what it asked', async () => {
    gate.origins.push(friend)
    const answer = await ask(`${gate.url}/v1/chat/completions`, preflight())
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': friend,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type',
      vary: expect.stringContaining('Origin'),
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-private-network')
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
    expect(far.requests).toHaveLength(0)
    expect(gate.refused).toEqual([])
  })

  it('gets the private network header only if its browser asks', async () => {
    gate.origins.push(friend)
    const answer = await ask(`${gate.url}/v1/models`, preflight({ 'access-control-request-private-network': 'true' }))
    expect(answer.headers['access-control-allow-private-network']).toBe('true')
  })

  it.each([
    ['a method that is not relayed', '/v1/models', { 'access-control-request-method': 'TRACE' }],
    ['a method that is none', '/v1/models', { 'access-control-request-method': 'POST, GET' }],
    ['a path that is not relayed', '/v1/../x', {}],
    ['POST to a file', '/files/x.png', {}],
    ['a header that is none', '/v1/models', { 'access-control-request-headers': 'a b' }],
    [
      '1,000 headers',
      '/v1/models',
      { 'access-control-request-headers': Array.from({ length: 1000 }, (_, at) => `x${at}`).join() },
    ],
  ])('gets no permission for %s', async (_what, path, more) => {
    gate.origins.push(friend)
    const lines = Object.entries(preflight(more).headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const heard = await speak(
      gate.port,
      `OPTIONS ${path} HTTP/1.1\r\n${hostLine()}${lines.join('')}Connection: close\r\n\r\n`,
    )
    expect(heard).toMatch(/^HTTP\/1\.1 403 /)
    expect(heard.toLowerCase()).not.toContain('access-control-allow-methods')
  })

  it('may read replies and refusals, and still needs a key', async () => {
    gate.origins.push(friend)
    const headers = { origin: friend, 'sec-fetch-site': 'cross-site' }
    const refused = await ask(`${gate.url}/v1/models`, { headers })
    expect(refused.status).toBe(401)
    const reply = await ask(`${gate.url}/v1/models`, { headers: { ...headers, ...withKey } })
    expect(reply.status).toBe(200)
    for (const answer of [refused, reply]) {
      expect(answer.headers['access-control-allow-origin']).toContain(friend)
      expect(answer.headers.vary).toBe('Origin')
    }
    expect(far.requests[0]?.headers).not.toHaveProperty('origin')
  })

  it('is compared exactly', async () => {
    gate.origins.push(friend, 'null', '*', 'http://*', 'https://evil.example/path', 'chrome-extension://abc')
    for (const origin of [
      'http://localhost:30001',
      'http://localhost',
      'https://localhost:3000',
      'http://localhost:3000/',
      'HTTP://localhost:3000',
      'null',
      '*',
      'http://*',
      'https://evil.example/path',
      'https://evil.example',
      'http://x.localhost:3000',
      'chrome-extension://abcd',
    ]) {
      const answer = await ask(`${gate.url}/v1/models`, { headers: { ...withKey, origin } })
      expect([origin, answer.status]).toEqual([origin, 403])
    }
    const extension = await ask(`${gate.url}/v1/models`, { headers: { ...withKey, origin: 'chrome-extension://abc' } })
    expect(extension.status).toBe(200)
    expect(far.requests).toHaveLength(1)
  })

  it('may be in the list as a person types it', async () => {
    gate.origins.push('HTTP://LocalHost:3000/ ')
    expect((await ask(`${gate.url}/v1/models`, { headers: { ...withKey, origin: friend } })).status).toBe(200)
  })

  it('does not allow another host name of this computer', async () => {
    gate.origins.push('http://evil.example')
    const headers = { ...withKey, origin: 'http://evil.example', host: 'evil.example' }
    expect((await ask(`${gate.url}/v1/models`, { headers })).status).toBe(421)
  })

  it('is written as browsers write it', () => {
    expect(originToAllow(' http://localhost:3000/ ')).toBe(friend)
    expect(originToAllow('HTTPS://Example.com:443')).toBe('https://example.com')
    expect(originToAllow('chrome-extension://abcdefghijklmnopabcdefghijklmnop')).toBe(
      'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    )
    for (const text of [
      'null',
      '*',
      '',
      'http://*',
      'https://*.example',
      'file:///x',
      'file://',
      'http://a/b',
      'http://a?b',
      'http://u@a',
      'a',
      'http://',
      `http://${'a'.repeat(400)}`,
      'javascript:alert(1)',
      'data:text/html,x',
    ]) {
      expect([text, originToAllow(text)]).toEqual([text, null])
    }
  })
})
