import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enterSession } from '../../../src-renderer/api/session.ts'
import { type Site, startSite } from '../../hosts/node/fixtures/web.ts'

let site: Site
beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site.stop())

/** A page at this address, with its location, its history, and a fetch that has an origin and cookies like a browser's. */
function pageAt(address: string) {
  const location = new URL(address)
  const replaced: string[] = []
  const asked: string[] = []
  let cookie = ''
  const page: Parameters<typeof enterSession>[0] = {
    location,
    history: { state: { kept: 1 }, replaceState: (_state, _title, to) => void replaced.push(String(to)) },
    async fetch(path, init) {
      asked.push(path)
      const { origin } = location
      const headers = { ...Object.fromEntries(new Headers(init.headers)), origin, ...(cookie && { cookie }) }
      const reply = await fetch(`${origin}${path}`, { ...init, headers })
      cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
      return reply
    },
  }
  return { page, replaced, asked }
}

describe('enterSession', () => {
  it('exchanges the token for a session, and removes the token from the address bar before the first request', async () => {
    const { page, replaced, asked } = pageAt(`${site.server.url}`)
    const entering = enterSession(page)
    expect([replaced, asked]).toEqual([['/'], ['/session']])
    expect(await entering).toBe(true)
  })

  it('preserves the rest of the address', async () => {
    const { page, replaced } = pageAt(`http://127.0.0.1:${site.server.port}/?a=1#room=chat&token=${site.token}`)
    expect(await enterSession(page)).toBe(true)
    expect(replaced).toEqual(['/?a=1#room=chat'])
  })

  it('refuses a page without token and cookie or with a wrong token, and accepts the cookie of an earlier visit', async () => {
    const origin = `http://127.0.0.1:${site.server.port}`
    expect(await enterSession(pageAt(`${origin}/`).page)).toBe(false)
    const wrong = pageAt(`${origin}/#token=wrong`)
    expect(await enterSession(wrong.page)).toBe(false)
    expect(wrong.replaced).toEqual(['/'])
    const { page } = pageAt(site.server.url)
    expect(await enterSession(page)).toBe(true)
    page.location.hash = ''
    expect(await enterSession(page)).toBe(true)
  })

  it('throws when the web host does not answer', async () => {
    await expect(enterSession(pageAt('http://127.0.0.1:1/#token=x').page)).rejects.toThrow()
  })
})
