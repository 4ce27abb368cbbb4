import { hostname, networkInterfaces } from 'node:os'
import { addressBytes, canReach, placeOf } from '../../../src-preload/contract/hostPlace.ts'
import { StudioError } from '../errors.ts'
import { compatible } from './path.ts'

/** The only address that the key may be sent to, with everything below it. */
export interface BaseAddress {
  /** Normalised: lower-case host, no `/v1`, no trailing slash. */
  readonly url: string
  /** Scheme, host and port. */
  readonly origin: string
  /** Path before `/v1`: empty, or starting with a slash and not ending with one. */
  readonly prefix: string
  readonly isLoopback: boolean
  /** URL of an endpoint. `path` starts with a slash. */
  v1(path: string): URL
  /** Resolves a file address of the service. Null when it is not below this address. */
  resolve(address: string): URL | null
  covers(address: string): boolean
}

const maxAddressLength = 2048

/**
 * Reads a base address as a person types it, with or without `/v1` and trailing slashes.
 * @throws StudioError `bad_input`
 */
export function parseBaseAddress(text: string, { allowInsecure }: { allowInsecure: boolean }): BaseAddress {
  const given = text.trim()
  if (given === '') refuse('Enter the base address of the service, such as https://api.example.com.')
  if (given.length > maxAddressLength) refuse('This base address is too long.')
  if (hasUnsafeCharacters(given)) refuse('A base address has no spaces, control characters or backslashes.')
  if (!/^https?:\/\/[^/?#]/i.test(given)) refuse('A base address starts with https:// and a host name.')
  const url = URL.parse(given)
  if (url === null) return refuse('This is not a web address.')
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(given)) {
    refuse('A base address can’t contain a user name or password. Enter the key separately.')
  }
  if (/[?#]/.test(given)) refuse('A base address has no “?” or “#” part.')
  if (decodedPath(url.pathname) === null) refuse('The path of this base address can’t be read safely.')
  const isLoopback = placeOf(url.hostname) === 'here'
  if (url.protocol === 'http:' && !isLoopback && !allowInsecure) {
    refuse('Plain http would send the key unencrypted. Use https, or allow it on purpose.')
  }
  return new Base(url, isLoopback)
}

/** A path without slashes and `/v1` at its end, however many, so that parsing a normalised address again changes nothing. */
function withoutVersion(path: string): string {
  let end = path.length
  for (;;) {
    if (path[end - 1] === '/') end -= 1
    else if (/\/v1$/i.test(path.slice(Math.max(0, end - 3), end))) end -= 3
    else return path.slice(0, end)
  }
}

class Base implements BaseAddress {
  readonly url: string
  readonly origin: string
  readonly prefix: string
  readonly isLoopback: boolean

  constructor(url: URL, isLoopback: boolean) {
    this.origin = url.origin
    this.prefix = withoutVersion(url.pathname)
    this.url = this.origin + this.prefix
    this.isLoopback = isLoopback
  }

  v1(path: string): URL {
    const url = URL.parse(`${this.url}/v1${path}`)
    if (!path.startsWith('/') || url === null || !isBelow(url, this.origin, `${this.prefix}/v1`)) {
      throw new StudioError('bad_input', 'This path is not below the service’s /v1.')
    }
    return url
  }

  resolve(address: string): URL | null {
    if (address === '' || address.length > 16_384 || hasUnsafeCharacters(address)) return null
    const url = URL.parse(address, `${this.url}/`)
    if (url === null || url.username !== '' || url.password !== '' || /^[a-z]*:?\/\/[^/?#]*@/i.test(address))
      return null
    return isBelow(url, this.origin, this.prefix) ? url : null
  }

  covers(address: string): boolean {
    return this.resolve(address) !== null
  }
}

/** `..` as a segment, also with path parameters (servlet containers cut them) and with trailing dots or spaces (Windows trims them). */
const parentSegment = /(?:^|\/)\.\.[.\s]*(?:;[^/]*)?(?:\/|$)/

/** Whether a URL has the same origin and its path is `prefix` or below it, however a server decodes the path. */
function isBelow(url: URL, origin: string, prefix: string): boolean {
  if (url.origin !== origin) return false
  const path = decodedPath(url.pathname)
  if (path === null || parentSegment.test(compatible(path).replaceAll('\\', '/'))) return false
  return prefix === '' || url.pathname === prefix || url.pathname.startsWith(`${prefix}/`)
}

/**
 * Undoes every layer of percent-encoding, as the most eager server would. Null when that fails or gives characters that can change the
 * path's meaning.
 */
function decodedPath(path: string): string | null {
  let decoded = path
  for (let layer = 0; layer < 8; layer++) {
    let next: string
    try {
      next = decodeURIComponent(decoded)
    } catch {
      return null
    }
    if (next === decoded) return decoded
    decoded = next
    if (decoded.includes('\\') || hasControlCharacters(decoded)) return null
  }
  return null
}

/**
 * Whether a host is an address of one of this computer's network cards.
 * @param orInside whether an IPv6 address that contains one counts too, which some system or gateway may translate
 */
function isOwnAddress(host: string, orInside: boolean): boolean {
  const [whole, ...inside] = addressBytes(host).map(String)
  if (whole === undefined) return false
  const given = new Set(orInside ? [whole, ...inside] : [whole])
  return Object.values(networkInterfaces()).some((card) =>
    card?.some(({ address }) => given.has(String(addressBytes(address)[0]))),
  )
}

/** Whether a host is certainly this computer: by its place, by this computer's own name, or by the address of a network card. */
export const isThisComputer = (host: string): boolean =>
  placeOf(host) === 'here' || host === hostname().toLowerCase() || isOwnAddress(host, false)

/**
 * Whether a connection to this host may reach this computer. Also true for link-local addresses with `orLink`: routers and the metadata
 * services of clouds have such addresses. A name counts only if it is reserved; check the addresses that it resolves to as well.
 */
export const mayReachThisComputer = (host: string, { orLink }: { orLink: boolean }): boolean =>
  isThisComputer(host) || isOwnAddress(host, true) || canReach('here', host) || (orLink && canReach('link', host))

/** The WHATWG parser drops tabs and line ends and turns backslashes into slashes. This check refuses them first. */
function hasUnsafeCharacters(text: string): boolean {
  return hasControlCharacters(text) || text.includes(' ') || text.includes('\\')
}

function hasControlCharacters(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

function refuse(message: string): never {
  throw new StudioError('bad_input', message)
}
