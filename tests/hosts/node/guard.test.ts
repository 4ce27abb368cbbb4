import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { contentSecurityPolicy } from '../../../src-main/hosts/csp.ts'
import { ask, cookieFor, originOf, postCode, postToken, type Site, sendRaw, startSite } from './fixtures/web.ts'

let site: Site
beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site.stop())

const upgrade = (path: string, headers: Record<string, string>): string => {
  const all = {
    Host: `127.0.0.1:${site.server.port}`,
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

describe('names', () => {
  it.each(['127.0.0.1', 'localhost'])('the host name %s with the port is accepted', async (name) => {
    const reply = await ask(site, '/', { headers: { host: `${name}:${site.server.port}` } })
    expect(reply.status).toBe(200)
  })

  it.each([
    (port: number) => `rebound.example:${port}`,
    (port: number) => `127.0.0.1.nip.io:${port}`,
    (port: number) => `localhost.example:${port}`,
    (port: number) => `[::1]:${port}`,
    (port: number) => `0.0.0.0:${port}`,
    (port: number) => `127.0.0.1:${port + 1}`,
    () => '127.0.0.1',
    () => 'localhost',
  ])('other host names are refused (%#)', async (name) => {
    for (const path of ['/', '/assets/main-abc123.js', '/session', '/rpc']) {
      const reply = await ask(site, path, { headers: { host: name(site.server.port) } })
      expect(reply.status).toBe(403)
      expect(reply.body).not.toContain('doctype')
    }
  })
})

describe('headers', () => {
  it('every response has the security headers, errors included', async () => {
    const replies = await Promise.all([
      ask(site, '/'),
      ask(site, '/nothing'),
      ask(site, '/', { method: 'DELETE' }),
      ask(site, '/', { headers: { host: 'evil.example' } }),
      ask(site, '/rpc'),
      postToken(site, 'wrong'),
      postToken(site, site.token),
    ])
    for (const { headers } of replies) {
      expect(headers['content-security-policy']).toContain("script-src 'self';")
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['x-frame-options']).toBe('DENY')
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['cross-origin-resource-policy']).toBe('same-origin')
      expect(headers['cross-origin-opener-policy']).toBe('same-origin')
    }
    for (const raw of [await sendRaw(site, 'NONSENSE\r\n\r\n'), await sendRaw(site, upgrade('/rpc', {}))]) {
      expect(raw).toMatch(/^HTTP\/1\.1 40[03] /)
      expect(raw).toContain("script-src 'self';")
      expect(raw).toContain('nosniff')
    }
  })

  it('the policy has nothing unsafe and names only its own socket', async () => {
    expect(contentSecurityPolicy()).not.toContain('unsafe')
    expect(contentSecurityPolicy()).not.toContain('*')
    const { headers } = await ask(site, '/')
    const port = site.server.port
    expect(headers['content-security-policy']).toContain(
      `connect-src 'self' ws://127.0.0.1:${port} ws://localhost:${port};`,
    )
  })
})

it('a preconnected socket times out without a response, which a browser would read as the reply to its next request', async () => {
  const quick = await startSite(0, undefined, {
    bounds: { headersMs: 30, requestMs: 30 },
  })
  try {
    expect(await sendRaw(quick, '')).toBe('')
  } finally {
    await quick.stop()
  }
})

it('during start-up a start-up page is served behind the same checks, and only authenticated pages see the progress', async () => {
  const work = { stage: 'mending' as const, database: 'ledger' as const, rows: 120_000 }
  const early = await startSite(0, undefined, { opening: () => work })
  const origin = `http://127.0.0.1:${early.server.port}`
  const socket = (cookie: string, from = origin) =>
    sendRaw(early, upgrade('/rpc', { Host: new URL(origin).host, Cookie: cookie, Origin: from }))
  try {
    for (const path of ['/', '/index.html']) {
      const page = await ask(early, path)
      expect([page.status, page.body]).toEqual([503, '<!doctype html><title>Starting up</title>'])
      expect(page.headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store', 'x-frame-options': 'DENY' })
      expect(page.headers['content-security-policy']).toContain("script-src 'self';")
    }
    expect((await ask(early, '/', { method: 'HEAD' })).body).toBe('')
    expect((await ask(early, '/', { method: 'POST' })).status).toBe(405)
    expect((await ask(early, '/', { headers: { host: 'studio.example' } })).status).toBe(403)
    expect((await ask(early, '/app/opening/index.html')).status).toBe(404)
    for (const path of ['/rpc', '/metrics', '/media/1']) {
      const refused = await ask(early, path)
      expect([path, refused.status, refused.headers['retry-after']]).toEqual([path, 503, '1'])
      expect(refused.body).not.toContain('120')
    }
    expect((await postToken(early, 'wrong')).status).toBe(403)
    const cookie = await cookieFor(early)
    const reply = await ask(early, '/rpc', { headers: { cookie } })
    expect([reply.status, JSON.parse(reply.body)]).toEqual([503, { opening: work }])
    expect(await socket(cookie)).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 1/s)
    expect(await socket(cookie, 'http://evil.example')).toMatch(/^HTTP\/1\.1 403 /)

    early.becomeReady()
    expect(await ask(early, '/')).toMatchObject({ status: 200, body: expect.stringContaining('Inference Studio') })
    expect((await ask(early, '/rpc', { headers: { cookie } })).status).toBe(204)
    expect((await ask(early, '/rpc')).status).toBe(401)
    expect((await ask(early, '/app/opening/index.html')).status).toBe(404)
  } finally {
    await early.stop()
  }
})

describe('files', () => {
  it('the page is revalidated and hashed assets are cached, with their types', async () => {
    const page = await ask(site, '/')
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
    const script = await ask(site, '/assets/main-abc123.js?v=1')
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(script.headers['cache-control']).toContain('immutable')
    expect(script.body).toBe('export {}')
  })

  it('HEAD has no body, and other methods are refused', async () => {
    const head = await ask(site, '/', { method: 'HEAD' })
    expect([head.status, head.body]).toEqual([200, ''])
    expect((await ask(site, '/', { method: 'POST' })).status).toBe(405)
  })

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/..\\secret.txt',
    '//secret.txt',
    '/assets/%00',
    '/link.txt',
    '/__proto__',
  ])('no file outside the page is served: %s', async (path) => {
    const reply = await ask(site, path)
    expect(reply.status).toBe(404)
    expect(reply.body).not.toContain('SECRET')
  })
})

describe('the token', () => {
  it("the token is exchanged for a cookie that scripts and other sites can't use", async () => {
    const reply = await postToken(site, site.token)
    expect(reply.status).toBe(204)
    const [cookie = ''] = [reply.headers['set-cookie']].flat()
    expect(cookie).toMatch(
      new RegExp(`^inference-studio-${site.server.port}=[\\w-]{43}; Path=/rpc; HttpOnly; SameSite=Strict$`),
    )
    expect(cookie).not.toContain(site.token)
  })

  it('the token works for a second window', async () => {
    expect(await cookieFor(site)).toBe(await cookieFor(site))
  })

  it('a wrong, shorter, longer or non-text token is refused', async () => {
    for (const wrong of ['', 'x', site.token.slice(1), `${site.token}x`, site.token.toLowerCase().toUpperCase()]) {
      const reply = await postToken(site, wrong)
      expect([reply.status, reply.headers['set-cookie']]).toEqual([403, undefined])
    }
    const request = { method: 'POST', headers: { origin: originOf(site), 'content-type': 'application/json' } }
    for (const body of ['', '{', 'null', '{"token":1}', '[]']) {
      expect((await ask(site, '/session', { ...request, body })).status).toBe(403)
    }
  })

  it('the address for a browser has a code in place of the token, which works once and within a minute', async () => {
    const codeOf = (): string => {
      const { origin, hash } = new URL(site.server.urlToOpen())
      expect([origin, hash]).toEqual([originOf(site), expect.stringMatching(/^#code=[\w-]{43}$/)])
      return hash.slice('#code='.length)
    }
    const [first, second, late] = [codeOf(), codeOf(), codeOf()]
    const accepted = await postCode(site, first)
    expect([accepted.status, accepted.headers['set-cookie']]).toEqual([204, expect.any(Array)])
    for (const wrong of [first, '', site.token, `${second}x`]) {
      const reply = await postCode(site, wrong)
      expect([reply.status, reply.headers['set-cookie']]).toEqual([403, undefined])
      expect(reply.body).toMatch(/used already, or is older than a minute/)
    }
    // A code is no token, and the wrong codes before did not use up this one.
    expect((await postToken(site, second)).status).toBe(403)
    expect((await postCode(site, second)).status).toBe(204)
    const now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 60_001)
    onTestFinished(() => clock.mockRestore())
    expect((await postCode(site, late)).status).toBe(403)
    expect((await postToken(site, site.token)).status).toBe(204)
  })

  it('the token is accepted from our own page only', async () => {
    const foreign = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${site.server.port + 1}` },
      { origin: `http://localhost:${site.server.port}` },
      { origin: `https://127.0.0.1:${site.server.port}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign) expect((await postToken(site, site.token, headers)).status).toBe(403)
    const without = { method: 'POST', headers: { 'content-type': 'application/json' } }
    expect((await ask(site, '/session', { ...without, body: JSON.stringify({ token: site.token }) })).status).toBe(403)
  })

  it('the token is refused in a form, a URL or a long body', async () => {
    expect((await postToken(site, site.token, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await ask(site, `/session?token=${site.token}`)).status).toBe(405)
    expect((await postToken(site, 'x'.repeat(5000))).status).toBe(413)
  })
})

describe('the socket', () => {
  it('the WebSocket needs the cookie, the origin and the host name', async () => {
    const cookie = await cookieFor(site)
    const good = { Cookie: `other=1; ${cookie}`, Origin: originOf(site) }
    const first = (raw: string) => raw.slice(0, 12)
    const bad: [string, Record<string, string>][] = [
      ['/rpc', { Origin: good.Origin }],
      ['/rpc', { Cookie: good.Cookie }],
      ['/rpc', { ...good, Cookie: `${cookie}x` }],
      ['/rpc', { ...good, Cookie: `inference-studio-1=${cookie.split('=')[1]}` }],
      ['/rpc', { ...good, Cookie: `inference-studio-${site.server.port}=${site.token}` }],
      ['/rpc', { ...good, Origin: 'http://evil.example' }],
      ['/rpc', { ...good, Origin: 'null' }],
      ['/rpc', { ...good, Origin: `http://127.0.0.1:${site.server.port + 1}` }],
      ['/rpc', { ...good, Host: 'rebound.example', Origin: 'http://rebound.example' }],
      ['/rpc', { ...good, 'Sec-Fetch-Site': 'same-site' }],
      ['/other', good],
      ['/', good],
    ]
    for (const [path, headers] of bad) {
      expect([path, headers, first(await sendRaw(site, upgrade(path, headers)))]).toEqual([
        path,
        headers,
        'HTTP/1.1 403',
      ])
    }
    const { WebSocket } = await import('ws')
    const page = new WebSocket(`ws://127.0.0.1:${site.server.port}/rpc`, { headers: good })
    await new Promise((resolve, reject) => page.on('open', resolve).on('error', reject))
    page.terminate()
  })

  it('GET /rpc reports whether the session is valid', async () => {
    expect((await ask(site, '/rpc')).status).toBe(401)
    expect((await ask(site, '/rpc', { headers: { cookie: await cookieFor(site) } })).status).toBe(204)
  })
})
