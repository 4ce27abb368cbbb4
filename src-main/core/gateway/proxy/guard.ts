import type { IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { Verified } from '../../ports/requests.ts'
import { originToAllow } from '../../shared/origin.ts'
import type { HeaderPairs } from '../../upstream/headers.ts'
import type { Refusal } from './errorReplies.ts'
import { takenOff } from './headers.ts'
import { checkTarget } from './localPath.ts'
import { corsHeaders, isAllowed, preflightHeaders } from './origins.ts'

/** What the gate decides by. */
export interface Gate {
  /** The exact `Host` values that it answers to. */
  hosts: ReadonlySet<string>
  verify(presented: string): Verified
  allowedOrigins(): readonly string[]
  /** What everybody gets who would be asked for a key: nobody can be let in now. */
  closed?: Refusal | undefined
}

export interface Passed {
  verdict: 'pass'
  tool: App
  /** The whole local path with its query. */
  path: string
  /** For the reply: CORS headers where the origin was allowed by hand, else empty. */
  extraHeaders: HeaderPairs
}

export interface Refused {
  verdict: 'refuse'
  refusal: Refusal
  /** Who tried, in words. */
  from: string
  /** Where the secret was right all the same. */
  toolId: string | null
  /** The origin that could be allowed by hand; null where that is not what stands in the way. */
  origin: string | null
  extraHeaders: HeaderPairs
}

export type Verdict = Passed | Refused | { verdict: 'preflight'; headers: HeaderPairs }

const none: HeaderPairs = []

function refuse(status: number, code: string, message: string, from: string, more: Partial<Refused> = {}): Refused {
  const refusal: Refusal = { status, type: 'studio_refused', code, message }
  // What was framed in a doubtful way may be followed by anything.
  if (status === 400 || status === 431 || status === 501) refusal.close = true
  return { verdict: 'refuse', refusal, from, toolId: null, origin: null, extraHeaders: none, ...more }
}

const mostHeaders = 200
const aProgram = 'a program on this machine'

/**
 * Text of a stranger's, safe to show: printable ASCII, bounded. Browsers write origins and hosts in ASCII (Punycode), so that
 * nothing honest is lost.
 */
export function shown(text: string, longest = 120): string {
  const clean = text.replace(/[^\x20-\x7e]/g, '?')
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean
}

/** Headers that must stand once: two of them would be read in two ways by two programs (RFC 9112, 6.3). */
function singleBit(name: string): number {
  // By length first: most headers end here.
  switch (name.length) {
    case 4:
      return name.toLowerCase() === 'host' ? 1 : 0
    case 6:
      return name.toLowerCase() === 'origin' ? 2 : 0
    case 12:
      return name.toLowerCase() === 'content-type' ? 4 : 0
    case 13:
      return name.toLowerCase() === 'authorization' ? 8 : 0
    case 14:
      return name.toLowerCase() === 'content-length' ? 16 : 0
    case 17:
      return name.toLowerCase() === 'transfer-encoding' ? 32 : 0
    default:
      return 0
  }
}

function repeated(rawHeaders: string[]): string | null {
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const bit = singleBit(name)
    if (bit === 0) continue
    if ((seen & bit) !== 0) return name.toLowerCase()
    seen |= bit
  }
  return null
}

/** What two parsers could cut into messages in two ways, and what is no HTTP/1. */
function misframed({ rawHeaders, headers, httpVersionMajor }: IncomingMessage): Refused | null {
  if (httpVersionMajor !== 1) return refuse(400, 'http_version', 'Only HTTP/1.1 is spoken here.', aProgram)
  if (rawHeaders.length > mostHeaders * 2) {
    return refuse(431, 'too_many_headers', `A request may have ${mostHeaders} headers.`, aProgram)
  }
  const twice = repeated(rawHeaders)
  if (twice) return refuse(400, 'repeated_header', `The header ${twice} stands more than once.`, aProgram)
  const encoding = headers['transfer-encoding']
  if (encoding === undefined) return null
  if (headers['content-length'] !== undefined) {
    return refuse(400, 'two_lengths', 'Content-Length and Transfer-Encoding exclude each other.', aProgram)
  }
  // RFC 9112, 6.1. A second coding would be lost on the way: the next connection frames the body anew.
  if (encoding.toLowerCase() === 'chunked') return null
  return refuse(501, 'transfer_coding', 'The one transfer coding that is understood is chunked.', aProgram)
}

/** The exact names that this server answers to; a rebound name of an attacker's is none of them. */
export function hostsOf(port: number, ipv6 = false): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', ...(ipv6 ? ['[::1]'] : [])]
  // Clients leave out the port that is the scheme's own (RFC 9110, 4.2.1).
  return new Set([...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])])
}

function wrongHost(host: string | undefined): Refused {
  if (host === undefined) return refuse(400, 'no_host', 'A request names its host.', 'a program that names no host')
  return refuse(
    421,
    'wrong_host',
    'This address answers only to 127.0.0.1 and localhost with its own port.',
    `a page under another name (${host === '' ? 'none' : shown(host)})`,
  )
}

const originWords = (origin: string): string => {
  if (origin === 'null') return 'a web page without an address (a file or a sandboxed frame)'
  return /^https?:/i.test(origin)
    ? `a web page at ${shown(origin)}`
    : /-extension:/i.test(origin)
      ? `a browser extension at ${shown(origin)}`
      : `the page of a program at ${shown(origin)}`
}

/**
 * A web page is told from a program by what browsers can't leave out: `Origin`, or `Sec-Fetch-Site` where a request carries no
 * origin (pictures, scripts, frames). Those name their page in `Referer` at most, which is good for words and for nothing else.
 */
function webPage({ headers }: IncomingMessage): Refused | null {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (origin === undefined && (site === undefined || site === 'none')) return null
  const page = origin ?? URL.parse(headers.referer ?? '')?.origin
  return refuse(
    403,
    'web_page',
    'Web pages and browser extensions may not use this address unless their origin was allowed in the Proxy room of Inference Studio.',
    page === undefined ? 'a web page (its browser does not say which)' : originWords(page),
    { origin: origin === undefined ? null : originToAllow(origin) },
  )
}

function preflight(request: IncomingMessage, origin: string, relayed: boolean): Verdict {
  const { headers } = request
  const asked = {
    method: headers['access-control-request-method'] ?? '',
    headers: headers['access-control-request-headers'],
    privateNetwork: String(headers['access-control-request-private-network'] ?? ''),
  }
  const pairs = relayed ? preflightHeaders(origin, asked) : null
  if (pairs) return { verdict: 'preflight', headers: pairs }
  return refuse(403, 'preflight', 'This origin is allowed, but not what it asks for.', originWords(origin))
}

/** A key in the query or in a header that goes on would reach the service, and its logs. */
function repeatsKey({ url = '', rawHeaders }: IncomingMessage, key: string): boolean {
  if (url.includes(key)) return true
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at + 1]?.includes(key) && !takenOff(rawHeaders[at] ?? '')) return true
  }
  return false
}

const bearer = /^Bearer ([\x21-\x7e]{1,512})$/i

const keyRefusals: Record<Extract<Verified, { good: false }>['why'], [number, string, string]> = {
  unknown: [401, 'tool_key_unknown', 'This tool key is unknown. Make one in the Proxy room of Inference Studio.'],
  revoked: [
    401,
    'tool_key_revoked',
    'This tool key was revoked. Make a new one in the Proxy room of Inference Studio.',
  ],
  expired: [
    401,
    'tool_key_expired',
    'This tool key has expired. Set a later date in the Proxy room of Inference Studio.',
  ],
  paused: [403, 'tool_key_paused', 'This tool is paused. Let it go on in the Proxy room of Inference Studio.'],
}

function checkKey(request: IncomingMessage, gate: Gate, extraHeaders: HeaderPairs): Refused | App {
  const presented = bearer.exec(request.headers.authorization ?? '')?.[1]
  if (presented === undefined) {
    const message = 'A tool key of Inference Studio is needed: Authorization: Bearer isk_…'
    return refuse(401, 'tool_key_missing', message, 'a program without a key', { extraHeaders })
  }
  const verified = gate.verify(presented)
  if (!verified.good) {
    const [status, code, message] = keyRefusals[verified.why]
    const { tool } = verified
    const from = tool?.name ?? 'a program with an unknown key'
    return refuse(status, code, message, from, { toolId: tool?.id ?? null, extraHeaders })
  }
  if (repeatsKey(request, presented)) {
    const message = 'The tool key belongs in the Authorization header alone; it stands elsewhere too.'
    const { id, name } = verified.tool
    return refuse(400, 'key_elsewhere', message, name, { toolId: id, extraHeaders })
  }
  return verified.tool
}

/** Methods that echo a request or open a tunnel: nothing that a tool of this service needs. */
const refusedMethods = new Set(['TRACE', 'TRACK', 'CONNECT'])

/** Decides over a request from its head alone, before a byte of it goes upstream and before its body is read. */
export function judge(request: IncomingMessage, gate: Gate): Verdict {
  const { headers, method = 'GET' } = request
  const odd = misframed(request)
  if (odd) return odd
  if (headers.host === undefined || !gate.hosts.has(headers.host.toLowerCase())) return wrongHost(headers.host)
  const { origin } = headers
  const allowed = origin !== undefined && isAllowed(origin, gate.allowedOrigins())
  if (!allowed) {
    const page = webPage(request)
    if (page) return page
  }
  const extraHeaders = allowed ? corsHeaders(origin) : none
  const who = allowed ? originWords(origin) : aProgram
  if (refusedMethods.has(method)) {
    return refuse(405, 'method_refused', `The method ${method} is not relayed.`, who, { extraHeaders })
  }
  const wanted = headers['access-control-request-method']
  const asksFirst = allowed && method === 'OPTIONS' && wanted !== undefined
  const target = checkTarget(asksFirst ? wanted : method, request.url ?? '')
  if (asksFirst) return preflight(request, origin, 'path' in target)
  if ('problem' in target) {
    const { status, code, message } = target.problem
    return refuse(status, code, message, who, { extraHeaders })
  }
  // Any other protocol (h2c, which Java's client offers at first) is an offer, and we go on in HTTP/1.1 (RFC 9110, 7.8).
  if (headers.upgrade !== undefined && /websocket/i.test(headers.upgrade)) {
    return refuse(400, 'no_websocket', 'WebSockets are not relayed; the service has none.', who, { extraHeaders })
  }
  if (gate.closed) return { ...refuse(gate.closed.status, '', '', who, { extraHeaders }), refusal: gate.closed }
  const tool = checkKey(request, gate, extraHeaders)
  return 'verdict' in tool ? tool : { verdict: 'pass', tool, path: target.path, extraHeaders }
}
