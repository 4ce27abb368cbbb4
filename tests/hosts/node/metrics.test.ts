import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, originOf, type Site, startSite } from './fixtures/web.ts'

let site: Site
beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site.stop())

const shown = (more: Record<string, string> = {}) => ({ authorization: `Bearer ${site.token}`, ...more })

describe('/metrics of the web host', () => {
  it('is off unless switched on', async () => {
    site.seen.metricsOn = false
    expect((await ask(site, '/metrics', { headers: shown() })).status).toBe(404)
  })

  it('switched on, tells a program that shows the token', async () => {
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
  ])('refuses %s, and does not say whether it is on', async (_, headers) => {
    for (const on of [true, false]) {
      site.seen.metricsOn = on
      const reply = await ask(site, '/metrics', { headers: headers() })
      expect(reply.status).toBe(401)
      expect(reply.headers['www-authenticate']).toBe('Bearer')
      expect(reply.body).not.toContain('tiny')
    }
  })

  it('refuses a name that DNS could point here, whatever token comes', async () => {
    site.seen.metricsOn = true
    const reply = await ask(site, '/metrics', { headers: shown({ host: `rebound.example:${site.server.port}` }) })
    expect(reply.status).toBe(403)
  })

  it('takes no token in the address, which others log, and no POST', async () => {
    site.seen.metricsOn = true
    expect((await ask(site, `/metrics?token=${site.token}`)).status).toBe(401)
    expect((await ask(site, '/metrics', { method: 'POST', headers: shown() })).status).toBe(405)
  })
})
