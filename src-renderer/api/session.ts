/** The parts of `Window` that `enterSession` needs. */
interface Entrance {
  location: Pick<Location, 'hash' | 'pathname' | 'search'>
  history: Pick<History, 'state' | 'replaceState'>
  fetch(path: string, init: RequestInit): Promise<Response>
}

/**
 * Exchanges the token in the page's address for a session cookie. First removes the token from the address bar and the history.
 * @returns true when the web host accepts the page, by the token or by the cookie of an earlier visit
 * @throws Error when the web host does not answer or is still starting
 */
export async function enterSession(page: Entrance): Promise<boolean> {
  if (await showToken(page)) return true
  const reply = await page.fetch('/rpc', { redirect: 'error', cache: 'no-store' })
  if (reply.status === 503) throw new Error('Inference Studio is still starting.')
  return reply.status === 204
}

/**
 * Sends the token in the page's address, if any. Returns true when the web host accepts the token.
 * @throws TypeError when the web host does not answer
 */
export async function showToken(page: Entrance): Promise<boolean> {
  const token = takeToken(page)
  if (token === null) return false
  const reply = await page.fetch('/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
    redirect: 'error',
  })
  return reply.status === 204
}

function takeToken(page: Pick<Entrance, 'location' | 'history'>): string | null {
  const { hash, pathname, search } = page.location
  const fragment = new URLSearchParams(hash.slice(1))
  const token = fragment.get('token')
  if (token === null) return null
  fragment.delete('token')
  const rest = fragment.toString()
  page.history.replaceState(page.history.state, '', `${pathname}${search}${rest ? `#${rest}` : ''}`)
  return token
}
