import type { IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { Verified } from '../../ports/requests.ts'
import { originToAllow } from '../../shared/origin.ts'
import type { HeaderPairs } from '../../upstream/headers.ts'
import { dialects } from '../dialects/dialects.ts'
import { decodedPart } from '../dialects/routeParts.ts'
import { localRouteOf } from '../dialects/routes.ts'
import type { Refusal } from './errorReplies.ts'
import { isRemoved, keyHeaders } from './headers.ts'
import { keyedReplyHeaders, keyInPath } from './keyInPath.ts'
import { checkTarget } from './localPath.ts'
import { corsHeaders, isAllowed, preflightHeaders } from './origins.ts'

/** What the guard checks a request against. */
export interface GuardRules {
  /** The exact `Host` values that are accepted. */
  hosts: ReadonlySet<string>
  verify(presented: string): Verified
  allowedOrigins(): readonly string[]
  /** Whether this server can open WebSockets. */
  webSockets: boolean
  /** While set, a request that would need a key gets this refusal, because keys can't be checked yet. */
  closed?: Refusal | undefined
  /** On a server that needs no key: the app that its requests count as, or why there is none now. Such a server allows no origin. */
  keyless?: (() => App | Refusal) | undefined
}

export interface GuardPassed {
  verdict: 'pass'
  app: App
  /** SHA-256 of the secret of the presented key. Undefined when none was needed. */
  keyHash: Uint8Array | undefined
  /** The whole local path with its query, but without the key. */
  path: string
  /** Headers to add to the reply: CORS headers for an allowed origin, else none. */
  extraHeaders: HeaderPairs
}

export interface GuardRefused {
  verdict: 'refuse'
  refusal: Refusal
  /** Who sent the request, as text for a person. */
  from: string
  /** The app whose key was presented with the right secret, or null. */
  appId: string | null
  /** The origin that a person could allow to let such requests pass, or null. */
  origin: string | null
  extraHeaders: HeaderPairs
}

/** `alive`: a request that only asks whether the server runs, which needs no key. */
export type GuardVerdict =
  | GuardPassed
  | GuardRefused
  | { verdict: 'preflight'; headers: HeaderPairs }
  | { verdict: 'alive' }

const none: HeaderPairs = []

function refuse(
  status: number,
  code: string,
  message: string,
  from: string,
  more: Partial<GuardRefused> = {},
): GuardRefused {
  const refusal: Refusal = { status, type: 'studio_refused', code, message }
  // After an unclear message boundary, the following bytes can't be trusted.
  if (status === 400 || status === 431 || status === 501) refusal.close = true
  return { verdict: 'refuse', refusal, from, appId: null, origin: null, extraHeaders: none, ...more }
}

const mostHeaders = 200
/** The sender of a request of which nothing is known, as text for a person. */
export const aProgram = 'a program on this computer'

/**
 * Makes untrusted text safe to show: printable ASCII of at most `longest` characters. Browsers write origins and hosts in ASCII
 * (Punycode), so nothing legitimate is lost.
 */
export function printable(text: string, longest = 120): string {
  const clean = text.replace(/[^\x20-\x7e]/g, '?')
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean
}

/** Headers that may occur only once. Two programs could use different values of a repeated header (RFC 9112, 6.3). */
const singleHeaders = new Set([
  'host',
  'origin',
  'content-type',
  'content-length',
  'transfer-encoding',
  'authorization',
  ...keyHeaders,
])

/** The name of a single-use header that occurs twice, or null. */
function repeated(rawHeaders: string[]): string | null {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (!singleHeaders.has(name)) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return null
}

/** Refuses a request that two parsers could split into different messages, and every version except HTTP/1. */
function misframed({ rawHeaders, headers, httpVersionMajor }: IncomingMessage): GuardRefused | null {
  if (httpVersionMajor !== 1) return refuse(400, 'http_version', 'Only HTTP/1.1 is supported.', aProgram)
  if (rawHeaders.length > mostHeaders * 2) {
    return refuse(431, 'too_many_headers', `A request may have at most ${mostHeaders} headers.`, aProgram)
  }
  const twice = repeated(rawHeaders)
  if (twice) return refuse(400, 'repeated_header', `The header ${twice} occurs more than once.`, aProgram)
  const encoding = headers['transfer-encoding']
  if (encoding === undefined) return null
  if (headers['content-length'] !== undefined) {
    return refuse(400, 'two_lengths', 'Content-Length and Transfer-Encoding exclude each other.', aProgram)
  }
  // RFC 9112, 6.1. A second coding would be lost, because the connection to the service frames the body again.
  if (encoding.toLowerCase() === 'chunked') return null
  return refuse(501, 'transfer_coding', 'The only supported transfer coding is chunked.', aProgram)
}

/** The exact `Host` values that the server accepts, so that a DNS-rebinding attack fails. */
export function hostsOf(port: number, ipv6 = false): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', ...(ipv6 ? ['[::1]'] : [])]
  // Clients omit the default port of the scheme (RFC 9110, 4.2.1).
  return new Set([...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])])
}

function wrongHost(host: string | undefined): GuardRefused {
  if (host === undefined)
    return refuse(400, 'no_host', 'A request needs a Host header.', 'a program that names no host')
  return refuse(
    421,
    'wrong_host',
    'This server accepts only the hosts 127.0.0.1 and localhost with its own port, and names that "serve --api-host" gave.',
    `a page under another name (${host === '' ? 'none' : printable(host)})`,
  )
}

/** The sender of an origin, as text for a person. */
const describeOrigin = (origin: string): string => {
  if (origin === 'null') return 'a web page without an address (a file or a sandboxed frame)'
  return /^https?:/i.test(origin)
    ? `a web page at ${printable(origin)}`
    : /-extension:/i.test(origin)
      ? `a browser extension at ${printable(origin)}`
      : `the page of a program at ${printable(origin)}`
}

/**
 * Refuses web pages. Browsers always send `Origin`, or `Sec-Fetch-Site` with requests that have no origin (images, scripts, frames).
 * A request without an origin names its page at most in `Referer`, which is used only for the text.
 */
function webPage({ headers }: IncomingMessage, isKeyless: boolean): GuardRefused | null {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (origin === undefined && (site === undefined || site === 'none')) return null
  const page = origin ?? URL.parse(headers.referer ?? '')?.origin
  const from = page === undefined ? 'a web page (its browser does not say which)' : describeOrigin(page)
  if (isKeyless) {
    const message = 'Web pages and browser extensions may not use this port. Use the Local API address with an app key.'
    return refuse(403, 'web_page', message, from)
  }
  return refuse(
    403,
    'web_page',
    'Web pages and browser extensions may not use this address unless you allow their origin on the Local API page of Inference Studio.',
    from,
    { origin: origin === undefined ? null : originToAllow(origin) },
  )
}

function preflight(request: IncomingMessage, origin: string, isRelayed: boolean): GuardVerdict {
  const { headers } = request
  const asked = {
    method: headers['access-control-request-method'] ?? '',
    headers: headers['access-control-request-headers'],
    privateNetwork: String(headers['access-control-request-private-network'] ?? ''),
  }
  const pairs = isRelayed ? preflightHeaders(origin, asked) : null
  if (pairs) return { verdict: 'preflight', headers: pairs }
  return refuse(
    403,
    'preflight',
    'This origin is allowed, but not the method or headers that it asks for.',
    describeOrigin(origin),
  )
}

/** Whether the key also occurs where it would reach the service and its logs: in the query, or in a header that is passed on. */
function repeatsKey(path: string, { rawHeaders }: IncomingMessage, key: string): boolean {
  if (path.includes(key)) return true
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at + 1]?.includes(key) && !isRemoved(rawHeaders[at] ?? '')) return true
  }
  return false
}

const bearer = /^Bearer ([\x21-\x7e]{1,512})$/i

const plainKey = /^[\x21-\x7e]{1,512}$/

/** Where a request has its key, and its path without the key. */
interface PresentedKey {
  /** Undefined without a key, and null for two different ones. Clients may send the same key twice. */
  key: string | null | undefined
  path: string
}

/**
 * The key in the address, in `Authorization`, in a header of another vendor's API such as `x-api-key`, or in the query, where that API has one.
 */
function presentedKey(request: IncomingMessage, path: string, isKeyless: boolean): PresentedKey {
  const { headers } = request
  const inAddress = keyInPath(request)
  const inQuery = keyInQuery(path)
  const given = [inAddress, bearer.exec(headers.authorization ?? '')?.[1], inQuery?.key]
  for (const name of keyHeaders) given.push(headers[name]?.toString())
  // Where no header is needed, a word such as "none" does not count. Many programs have to send some key.
  const mayBeWord = isKeyless || inAddress !== undefined
  const isKey = (key: string): boolean => plainKey.test(key) && (!mayBeWord || key.startsWith('isk_'))
  const keys = new Set(given.filter((key) => key !== undefined && isKey(key)))
  return { key: keys.size > 1 ? null : [...keys][0], path: inQuery?.path ?? path }
}

/** The key in the query of a path whose API lets it be there, and the path without it. Null for other paths. */
function keyInQuery(path: string): { key: string; path: string } | null {
  const at = path.indexOf('?')
  const route = at < 0 ? null : localRouteOf('GET', path)
  const parameter = route && dialects[route.dialect].keyParameter
  if (parameter == null) return null
  const isKey = (member: string): boolean => member.startsWith(`${parameter}=`)
  const members = path.slice(at + 1).split('&')
  // A second one stays in the path, which then repeats the key or is no key.
  const found = members.findIndex(isKey)
  if (found < 0) return null
  const key = decodedPart(members[found]?.slice(parameter.length + 1) ?? '')
  const rest = members.toSpliced(found, 1).join('&')
  return { key, path: rest === '' ? path.slice(0, at) : `${path.slice(0, at)}?${rest}` }
}

const keyRefusals: Record<Extract<Verified, { good: false }>['why'], [number, string, string]> = {
  unknown: [401, 'tool_key_unknown', 'This app key is unknown. Create one on the Local API page of Inference Studio.'],
  revoked: [
    401,
    'tool_key_revoked',
    'This app key was revoked. Create a new one on the Local API page of Inference Studio.',
  ],
  expired: [
    401,
    'tool_key_expired',
    'This app key has expired. Set a later date on the Local API page of Inference Studio.',
  ],
  replaced: [401, 'tool_key_replaced', 'This app key was replaced. Enter the new key in the app.'],
  paused: [403, 'tool_key_paused', 'This app is paused. Resume it on the Local API page of Inference Studio.'],
}

function checkKey(
  request: IncomingMessage,
  target: string,
  rules: GuardRules,
  extraHeaders: HeaderPairs,
): GuardRefused | Pick<GuardPassed, 'app' | 'keyHash' | 'path'> {
  const { key: presented, path } = presentedKey(request, target, rules.keyless !== undefined)
  if (presented === null) {
    const message = 'This request has different keys in two places. Send the app key only.'
    return refuse(400, 'two_keys', message, 'a program with two keys', { extraHeaders })
  }
  if (rules.keyless && presented === undefined) {
    const app = rules.keyless()
    if ('status' in app) return { ...refuse(app.status, '', '', aProgram, { extraHeaders }), refusal: app }
    return { app, keyHash: undefined, path }
  }
  if (presented === undefined) {
    const message =
      'An app key of Inference Studio is required: Authorization: Bearer isk_… or x-api-key: isk_…, or an address that begins with /app/isk_…/'
    return refuse(401, 'tool_key_missing', message, 'a program without a key', { extraHeaders })
  }
  const verified = rules.verify(presented)
  if (!verified.good) {
    const [status, code, message] = keyRefusals[verified.why]
    const { app } = verified
    const from = app?.name ?? 'a program with an unknown key'
    return refuse(status, code, message, from, { appId: app?.id ?? null, extraHeaders })
  }
  if (repeatsKey(path, request, presented)) {
    const message =
      'The app key may occur only in Authorization or x-api-key or once in the address, but it also occurs elsewhere in this request.'
    const { id, name } = verified.app
    return refuse(400, 'key_elsewhere', message, name, { appId: id, extraHeaders })
  }
  return { ...verified, path }
}

/** Where container and service managers ask whether the program lives. It says nothing else, so it needs no key. */
const asksWhetherAlive = (method: string, path: string): boolean =>
  path === '/healthz' && (method === 'GET' || method === 'HEAD')

/** Methods that echo a request or open a tunnel. The service's API does not use them. */
const refusedMethods = new Set(['TRACE', 'TRACK', 'CONNECT'])

const asksForWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined && /websocket/i.test(headers.upgrade)

/** Whether a request opens a WebSocket of the Responses API. */
export function mayUpgrade(request: IncomingMessage): boolean {
  keyInPath(request)
  const { method, url = '', headers } = request
  if (method !== 'GET' || !asksForWebSocket(request)) return false
  // A body would be read as frames.
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') return false
  const route = localRouteOf('POST', url)
  return route?.action === 'create' && dialects[route.dialect].hasWebSocket === true
}

/** A server that is starting replies to such a request as to others. */
const isAccepted = (request: IncomingMessage, { webSockets, closed }: GuardRules): boolean =>
  mayUpgrade(request) && (webSockets || closed !== undefined)

/** Other upgrades are offers that may be ignored (RFC 9110, 7.8), such as h2c, which Java's client sends first. */
const isRefusedUpgrade = (request: IncomingMessage, rules: GuardRules): boolean =>
  asksForWebSocket(request) && !isAccepted(request, rules)

/** Decides about a request from its head, before its body is read and before any byte is sent to the service. */
export function checkRequest(request: IncomingMessage, rules: GuardRules): GuardVerdict {
  const isKeyed = keyInPath(request) !== undefined
  const { headers, method = 'GET' } = request
  const framingRefusal = misframed(request)
  if (framingRefusal) return framingRefusal
  if (headers.host === undefined || !rules.hosts.has(headers.host.toLowerCase())) return wrongHost(headers.host)
  const { origin } = headers
  const isKeyless = rules.keyless !== undefined
  const allowed = origin !== undefined && !isKeyless && isAllowed(origin, rules.allowedOrigins())
  if (!allowed) {
    const page = webPage(request, isKeyless)
    if (page) return page
  }
  const allowedHeaders = allowed ? corsHeaders(origin) : none
  const extraHeaders = isKeyed ? [...allowedHeaders, ...keyedReplyHeaders] : allowedHeaders
  const who = allowed ? describeOrigin(origin) : aProgram
  if (refusedMethods.has(method)) {
    return refuse(405, 'method_refused', `The method ${method} is not relayed.`, who, { extraHeaders })
  }
  const wanted = headers['access-control-request-method']
  const isPreflight = allowed && method === 'OPTIONS' && wanted !== undefined
  const target = checkTarget(isPreflight ? wanted : method, request.url ?? '')
  if (isPreflight) return preflight(request, origin, 'path' in target)
  if ('problem' in target) {
    const { status, code, message } = target.problem
    return refuse(status, code, message, who, { extraHeaders })
  }
  if (isRefusedUpgrade(request, rules)) {
    const message = 'WebSockets are supported at /v1/responses only, because the service has none.'
    return refuse(400, 'no_websocket', message, who, { extraHeaders })
  }
  if (asksWhetherAlive(method, target.path)) return { verdict: 'alive' }
  if (rules.closed) return { ...refuse(rules.closed.status, '', '', who, { extraHeaders }), refusal: rules.closed }
  const checked = checkKey(request, target.path, rules, extraHeaders)
  if ('verdict' in checked) return checked
  const { app, keyHash, path } = checked
  return { verdict: 'pass', app, keyHash, path, extraHeaders }
}
