import { placeOf } from '../../src-preload/contract/hostPlace.ts'

/** The parts of `Window` that `enterSession` needs. */
interface Entrance {
  location: Pick<Location, 'hash' | 'pathname' | 'search'>
  history: Pick<History, 'state' | 'replaceState'>
  fetch(path: string, init: RequestInit): Promise<Response>
}

/**
 * Exchanges the token or code in the page's address for a session cookie. First removes it from the address bar.
 * @returns true when the web host accepts the page, by the token, the code or the cookie of an earlier visit: a code works once, but a second
 * tab with its address has the cookie of the first
 * @throws Error when the web host does not answer or is still starting
 */
export async function enterSession(page: Entrance): Promise<boolean> {
  if (await showCredential(page)) return true
  const reply = await page.fetch('/rpc', { redirect: 'error', cache: 'no-store' })
  if (reply.status === 503) throw new Error('Inference Studio is still starting.')
  return reply.status === 204
}

/**
 * Opens the address that the web host printed, from pasted text such as a line of the terminal.
 * @returns false when the text contains no address of a web host on this computer with its token
 */
export function openPrinted(page: Pick<Window, 'location'>, pasted: string): boolean {
  const url = URL.parse(/\bhttp:\/\/\S+/.exec(pasted)?.[0] ?? '')
  if (!url || placeOf(url.hostname) !== 'here' || !new URLSearchParams(url.hash.slice(1)).get('token')) return false
  const isThisPage = url.origin === page.location.origin
  page.location.assign(url)
  // An address that differs in the fragment alone loads nothing.
  if (isThisPage) page.location.reload()
  return true
}

/**
 * Sends the token or code in the page's address, if any. Returns true when the web host accepts it.
 * @throws TypeError when the web host does not answer
 */
export async function showCredential(page: Entrance): Promise<boolean> {
  const credential = takeCredential(page)
  if (credential === null) return false
  const reply = await page.fetch('/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(credential),
    redirect: 'error',
  })
  return reply.status === 204
}

function takeCredential(page: Pick<Entrance, 'location' | 'history'>): { token: string } | { code: string } | null {
  const { hash, pathname, search } = page.location
  const fragment = new URLSearchParams(hash.slice(1))
  const [token, code] = [fragment.get('token'), fragment.get('code')]
  if (token === null && code === null) return null
  fragment.delete('token')
  fragment.delete('code')
  const rest = fragment.toString()
  page.history.replaceState(page.history.state, '', `${pathname}${search}${rest ? `#${rest}` : ''}`)
  return token === null ? { code: code ?? '' } : { token }
}
