/** The parts of a window that entering needs. */
interface Entrance {
  location: Pick<Location, 'hash' | 'pathname' | 'search'>
  history: Pick<History, 'state' | 'replaceState'>
  fetch(path: string, init: RequestInit): Promise<Response>
}

/**
 * Changes the token of the printed address for the cookie, and takes it out of the address bar and the history at once.
 * True when the page is let in, with a token or with the cookie of an earlier visit. Throws when nobody answers, or not yet.
 */
export async function enterSession(page: Entrance): Promise<boolean> {
  if (await showToken(page)) return true
  const reply = await page.fetch('/rpc', { redirect: 'error', cache: 'no-store' })
  if (reply.status === 503) throw new Error('Inference Studio is getting its data ready.')
  return reply.status === 204
}

/** True where there was a token and it was the right one. Throws when nobody answers. */
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
