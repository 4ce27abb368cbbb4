import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, originOf, type Site, startSite } from './fixtures/web.ts'

let site: Site
beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site.stop())

const shown = (more: Record<string, string> = {}) => ({ authorization: `Bearer ${site.token}`, ...more })

describe('/metrics of the web host', () => {
  it('metrics are off by default', async () => {
    site.seen.metricsOn = false
    expect((await ask(site, '/metrics', { headers: shown() })).status).toBe(404)
  })

  it('metrics that are switched on are served to a program with the token', async () => {
    site.seen.metricsOn = true
    const reply = await ask(site, '/metrics', { headers: shown() })
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(reply.headers['cache-control']).toBe('no-store')
    expect(reply.body).toBe('# HELP tiny A metric.\ntiny 1\n')
    const head = await ask(site, '/metrics', { method: 'HEAD', headers: shown() })
    expect([head.status, head.body]).toEqual([200, ''])
  })

  it.each([
    ['no token', () => ({})],
    ['another token', () => ({ authorization: `Bearer ${'x'.repeat(43)}` })],
    ['the token with more behind it', () => ({ authorization: `Bearer ${site.token}x` })],
    ['the token as another scheme', () => ({ authorization: `Basic ${site.token}` })],
    ['an origin, our own too', () => shown({ origin: originOf(site) })],
    ['a page of another site', () => shown({ origin: 'https://evil.example' })],
    ['an image in a page', () => shown({ 'sec-fetch-site': 'cross-site' })],
    ['a page of another port', () => shown({ 'sec-fetch-site': 'same-site' })],
  ])('%s is refused without revealing whether metrics are on', async (_, headers) => {
    for (const on of [true, false]) {
      site.seen.metricsOn = on
      const reply = await ask(site, '/metrics', { headers: headers() })
      expect(reply.status).toBe(401)
      expect(reply.headers['www-authenticate']).toBe('Bearer')
      expect(reply.body).not.toContain('tiny')
    }
  })

  it('a foreign host name is refused, even with the token', async () => {
    site.seen.metricsOn = true
    const reply = await ask(site, '/metrics', { headers: shown({ host: `rebound.example:${site.server.port}` }) })
    expect(reply.status).toBe(403)
  })

  it('a token in the URL and a POST are refused', async () => {
    site.seen.metricsOn = true
    expect((await ask(site, `/metrics?token=${site.token}`)).status).toBe(401)
    expect((await ask(site, '/metrics', { method: 'POST', headers: shown() })).status).toBe(405)
  })
})
