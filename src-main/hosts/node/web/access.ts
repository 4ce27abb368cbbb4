import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Authentication of one running server: accepted host names, origins, token and cookies. */
export interface Access {
  /** In the fragment of the printed URL. 256 bits, base64url. */
  readonly token: string
  /** `Set-Cookie` values for a page with the token: one each for `/rpc`, `/media` and `/transfers`. */
  readonly cookies: readonly string[]
  /** Whether the Host header is a loopback name with our port. Prevents DNS rebinding. */
  knowsHost(request: IncomingMessage): boolean
  /** Whether the Origin header is exactly ours. */
  knowsOrigin(request: IncomingMessage): boolean
  knowsToken(shown: string): boolean
  /** Creates a code that replaces the token once, within `codeLifeMs`. 256 bits, base64url. */
  issueCode(): string
  /** Whether the code is valid. */
  knowsCode(shown: string): boolean
  /** Whether the code is valid. It is not valid again. */
  takeCode(shown: string): boolean
  knowsCookie(request: IncomingMessage): boolean
  /** Whether the request has the media cookie and comes from our page or the address bar. */
  knowsMediaCookie(request: IncomingMessage): boolean
  /** Whether the request has the cookie of `/transfers`. */
  knowsTransfersCookie(request: IncomingMessage): boolean
  /** Whether the `Sec-Fetch-Site` header names our page or is missing. For requests without an Origin header. */
  isFromOwnPage(request: IncomingMessage): boolean
  /** Whether the request has the token as `Authorization: Bearer` and was not made by a web page. */
  knowsBearer(request: IncomingMessage): boolean
}

/** Lifetime of a code, ms. A browser that is not running yet can take half a minute to start. */
const codeLifeMs = 60_000

/**
 * Creates the token and the cookies for a server on `port`.
 *
 * The token is valid as long as the process, so the printed URL works in a second browser and after cookies were cleared.
 * The program opens the browser with a code instead: every user of the computer can read the command line of a browser, while the terminal
 * belongs to one person.
 * The cookies are other random values, so that no secret reveals another.
 *
 * Browsers send cookies of 127.0.0.1 to all of its ports. `Path=/rpc` hides the cookie from ordinary pages of other local
 * servers. Its name contains the port, so that two studios do not overwrite each other's cookie. `/media` and `/transfers`
 * have separate cookies, which give access to items with a known id only.
 */
export function createAccess(port: number): Access {
  const token = randomBytes(32).toString('base64url')
  const pass = randomBytes(32).toString('base64url')
  const mediaPass = randomBytes(32).toString('base64url')
  const transfersPass = randomBytes(32).toString('base64url')
  const cookieName = `inference-studio-${port}`
  const shows = ({ headers }: IncomingMessage, secret: string): boolean =>
    cookiesNamed(cookieName, headers.cookie).some((value) => same(value, secret))
  /** When each code expires, as `performance.now()`, by the digest of the code. */
  const codes = new Map<string, number>()
  const nameOf = (code: string): string => digest(code).toString('hex')
  const knowsCode = (shown: string): boolean => performance.now() < (codes.get(nameOf(shown)) ?? 0)
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`])
  return {
    token,
    cookies: [
      `${cookieName}=${pass}; Path=/rpc; HttpOnly; SameSite=Strict`,
      `${cookieName}=${mediaPass}; Path=/media; HttpOnly; SameSite=Strict`,
      `${cookieName}=${transfersPass}; Path=/transfers; HttpOnly; SameSite=Strict`,
    ],
    knowsHost: (request) => hosts.has(request.headers.host ?? ''),
    knowsOrigin(request) {
      return this.isFromOwnPage(request) && request.headers.origin === `http://${request.headers.host}`
    },
    knowsToken: (shown) => same(shown, token),
    issueCode() {
      const code = randomBytes(32).toString('base64url')
      codes.set(nameOf(code), performance.now() + codeLifeMs)
      return code
    },
    knowsCode,
    takeCode(shown) {
      const isKnown = knowsCode(shown)
      codes.delete(nameOf(shown))
      return isKnown
    },
    knowsMediaCookie(request) {
      const site = request.headers['sec-fetch-site']
      if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
      return shows(request, mediaPass)
    },
    knowsTransfersCookie: (request) => shows(request, transfersPass),
    isFromOwnPage({ headers }) {
      const site = headers['sec-fetch-site']
      return site === undefined || site === 'same-origin'
    },
    knowsBearer({ headers }) {
      const site = headers['sec-fetch-site']
      if (headers.origin !== undefined || (site !== undefined && site !== 'none')) return false
      const shown = /^Bearer ([\w-]{1,200})$/i.exec(headers.authorization ?? '')?.[1]
      return shown !== undefined && same(shown, token)
    },
    knowsCookie: (request) => shows(request, pass),
  }
}

/** Compares in constant time for any two lengths, through digests of equal size. */
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function cookiesNamed(name: string, header: string | undefined): string[] {
  if (!header) return []
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
}
