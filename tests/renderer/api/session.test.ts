import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enterSession, openPrinted } from '../../../src-renderer/api/session.ts'
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

describe('openPrinted', () => {
  const assigned = (pasted: string): string[] => {
    const calls: string[] = []
    const location = {
      origin: 'http://127.0.0.1:8786',
      assign: (to: URL) => calls.push(to.href),
      reload: () => calls.push('reload'),
    }
    const isOpened = openPrinted({ location } as unknown as Window, pasted)
    expect(isOpened).toBe(calls.length > 0)
    return calls
  }

  it('opens the printed address, also from a line of the terminal and from another port', () => {
    expect(assigned(' Inference Studio  http://127.0.0.1:8786/#token=a-b_c\n')).toEqual([
      'http://127.0.0.1:8786/#token=a-b_c',
      'reload',
    ])
    expect(assigned('http://localhost:9000/#token=a')).toEqual(['http://localhost:9000/#token=a'])
  })

  it.each([
    ...['', 'a-b_c', 'http://127.0.0.1:8786/', 'http://127.0.0.1:8786/#token=', 'http://127.0.0.1:8786/#code=a'],
    ...['http://evil.example/#token=a', 'https://127.0.0.1/#token=a', 'javascript:alert(1)#token=a'],
  ])('does not open %j', (pasted) => {
    expect(assigned(pasted)).toEqual([])
  })
})

describe('enterSession', () => {
  it('exchanges the token for a session, and removes the token from the address bar before the first request', async () => {
    const { page, replaced, asked } = pageAt(`${site.server.url}`)
    const entering = enterSession(page)
    expect([replaced, asked]).toEqual([['/'], ['/session']])
    expect(await entering).toBe(true)
  })

  it('exchanges a code in the same way; a second tab with the same address has the cookie of the first', async () => {
    const address = site.server.urlToOpen()
    const { page, replaced } = pageAt(address)
    expect(await enterSession(page)).toBe(true)
    expect(replaced).toEqual(['/'])
    page.location.hash = new URL(address).hash
    expect(await enterSession(page)).toBe(true)
    expect(await enterSession(pageAt(address).page)).toBe(false)
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
