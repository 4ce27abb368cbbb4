import type { HeaderPairs } from '../../upstream/headers.ts'
import { allDialects } from '../dialects/dialects.ts'

// upstream/forward removes the hop-by-hop headers (RFC 9110, 7.6.1), because it knows both connections.

/** The headers that may have the app key besides `Authorization`. */
export const keyHeaders: readonly string[] = ['x-api-key', ...allDialects.flatMap(({ keyHeaders: own = [] }) => own)]

const headerPrefixes = allDialects.flatMap(({ headerPrefix }) => headerPrefix ?? [])

/**
 * Request headers that the service must not see: the app key, the local host name, and headers that a browser may add. Cookies ignore the
 * port, so cookies of the web host on 127.0.0.1 are sent to this server too.
 */
const removedFromRequest = new Set([
  'authorization',
  'host',
  'expect',
  'cookie',
  'origin',
  'referer',
  'api-key',
  ...keyHeaders,
])

/** Some servers route by these headers instead of the request line, which the app's limits are checked against. */
const routingHeaders = new Set([
  'x-original-url',
  'x-rewrite-url',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
])

/** Whether a request header is removed before the request is sent to the service. */
export const isRemoved = (name: string): boolean => {
  const lower = name.toLowerCase()
  return removedFromRequest.has(lower) || routingHeaders.has(lower)
}

/** Reply headers that would affect every server on 127.0.0.1. */
const removedFromReply = new Set(['set-cookie', 'strict-transport-security', 'alt-svc', 'clear-site-data'])

/** Only replies of this server may have these headers. */
const isStudioMark = (lower: string): boolean =>
  lower === 'x-studio-answer' || lower === ignoredHeader || lower === adaptedHeader

/** Names the fields of a chat request that were changed to what the service reads. */
const adaptedHeader = 'x-studio-adapted'

/** The header that names what was changed. Empty when nothing was. */
export const adaptedHeaders = (fields: readonly string[]): HeaderPairs =>
  fields.length === 0 ? [] : [[adaptedHeader, fields.join(', ')]]

/** Names the fields and tools of a translated request that had no effect. */
const ignoredHeader = 'x-studio-ignored'

/** Longest value of `x-studio-ignored`, in characters. The log has the whole list. */
const maxIgnored = 2000

/** The header that names what had no effect, in printable ASCII. Empty when everything had. */
export function ignoredHeaders(ignored: readonly string[]): HeaderPairs {
  if (ignored.length === 0) return []
  const names = ignored.map((name) => name.replace(/[^\x21-\x2b\x2d-\x7e]/g, '?')).join(', ')
  return [[ignoredHeader, names.length > maxIgnored ? `${names.slice(0, maxIgnored)}...` : names]]
}

/** Headers of another vendor's API, and those that describe the body that the app sent. */
const replacedInTranslation = new Set([
  'accept',
  'content-type',
  'content-length',
  'content-encoding',
  'content-md5',
  'digest',
  'content-digest',
])

/** The headers of a translated request: the app's own without those that describe its API and its body. */
export function translatedRequestHeaders(rawHeaders: string[], bytes: number, stream: boolean): HeaderPairs {
  const pairs = requestHeaders(rawHeaders).filter(([name]) => {
    const lower = name.toLowerCase()
    return !replacedInTranslation.has(lower) && !headerPrefixes.some((prefix) => lower.startsWith(prefix))
  })
  pairs.push(['accept', stream ? 'text/event-stream' : 'application/json'])
  pairs.push(['content-type', 'application/json'], ['content-length', String(bytes)])
  return pairs
}

const replacedInReply = new Set(['content-type', 'content-length', 'content-encoding', 'etag', 'content-md5', 'digest'])

/** The headers of the service's reply without those that describe its body. */
export const translatedReplyHeaders = (pairs: HeaderPairs): HeaderPairs =>
  replyHeaders(pairs).filter(([name]) => !replacedInReply.has(name.toLowerCase()))

/** The headers of an app's request that are sent to the service, in their order and case. Takes the flat list of node:http. */
export function requestHeaders(rawHeaders: string[]): HeaderPairs {
  const pairs: HeaderPairs = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!isRemoved(name)) pairs.push([name, rawHeaders[at + 1] ?? ''])
  }
  return pairs
}

/** The headers of the service's reply that the app gets. CORS headers are removed, because they would open this port to web pages. */
export function replyHeaders(pairs: HeaderPairs): HeaderPairs {
  return pairs.filter(([name]) => {
    const lower = name.toLowerCase()
    return !removedFromReply.has(lower) && !lower.startsWith('access-control-') && !isStudioMark(lower)
  })
}

/**
 * The service's reason phrase in printable ASCII. node:http throws for other characters. The HTTP client has decoded the phrase as UTF-8,
 * so its legal non-ASCII bytes (obs-text, RFC 9112, 4) can't be restored.
 */
export const safeReason = (phrase: string): string => phrase.replace(/[^\t\x20-\x7e]/g, '?')
