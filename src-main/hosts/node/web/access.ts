import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Who may come in: which names this server answers to, and what a page must show. One for each running server. */
export interface Access {
  /** What the terminal prints, in the address's fragment. 256 bits. */
  readonly token: string
  /** The values of `Set-Cookie` for a page that showed the token: for its socket, then for its pictures. */
  readonly cookies: readonly string[]
  /** The request names us by a name of ours: nothing that DNS could rebind. */
  knowsHost(request: IncomingMessage): boolean
  /** The request was made by a page of ours, by exact origin. */
  knowsOrigin(request: IncomingMessage): boolean
  knowsToken(shown: string): boolean
  knowsCookie(request: IncomingMessage): boolean
  /** The request is for a picture, by a page of ours that has been let in, or by its person in the address bar. */
  knowsMediaCookie(request: IncomingMessage): boolean
  /** The request is a program's, not made by any page, and shows the token as `Authorization: Bearer`. */
  knowsBearer(request: IncomingMessage): boolean
}

/**
 * The token lives as long as the process: the printed address opens a second window, another browser, and works again after
 * the cookie was cleared. A one-time token would buy little, as whoever can read the terminal can also attach to the process,
 * and would lock the person out. The cookie is another random value, so neither gives the other away.
 *
 * Browsers send cookies of 127.0.0.1 to every port of it. `Path=/rpc` keeps this one from other local servers' ordinary
 * pages, and its name holds the port so that two of ours side by side don't overwrite each other's. Pictures have a cookie of
 * their own, with `Path=/media` and a value of its own: who should come to see it sees pictures whose ids he knows, and no socket.
 */
export function createAccess(port: number): Access {
  const token = randomBytes(32).toString('base64url')
  const pass = randomBytes(32).toString('base64url')
  const mediaPass = randomBytes(32).toString('base64url')
  const cookieName = `inference-studio-${port}`
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`])
  return {
    token,
    cookies: [
      `${cookieName}=${pass}; Path=/rpc; HttpOnly; SameSite=Strict`,
      `${cookieName}=${mediaPass}; Path=/media; HttpOnly; SameSite=Strict`,
    ],
    knowsHost: (request) => hosts.has(request.headers.host ?? ''),
    knowsOrigin(request) {
      const site = request.headers['sec-fetch-site']
      if (site !== undefined && site !== 'same-origin') return false
      return request.headers.origin === `http://${request.headers.host}`
    },
    knowsToken: (shown) => same(shown, token),
    knowsMediaCookie({ headers }) {
      const site = headers['sec-fetch-site']
      if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
      return cookiesNamed(cookieName, headers.cookie).some((value) => same(value, mediaPass))
    },
    knowsBearer({ headers }) {
      const site = headers['sec-fetch-site']
      if (headers.origin !== undefined || (site !== undefined && site !== 'none')) return false
      const shown = /^Bearer ([\w-]{1,200})$/i.exec(headers.authorization ?? '')?.[1]
      return shown !== undefined && same(shown, token)
    },
    knowsCookie: (request) => cookiesNamed(cookieName, request.headers.cookie).some((value) => same(value, pass)),
  }
}

/** Constant time, for any two lengths: equal-sized digests are compared. */
function same(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

function cookiesNamed(name: string, header: string | undefined): string[] {
  if (!header) return []
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
}
