import type { HeaderPairs } from '../../upstream/headers.ts'

// Hop-by-hop headers (RFC 9110, 7.6.1) are taken off where both connections are known: in upstream/forward.

/**
 * A tool's headers that the service must not see: its local key, our host name, and what a browser could bring along. Cookies
 * know no port: those of the web host on 127.0.0.1 would come with a request to this one.
 */
const ours = new Set(['authorization', 'host', 'expect', 'cookie', 'origin', 'referer', 'x-api-key', 'api-key'])

/** Some servers route by these instead of by the request line, which an app's limits are checked against. */
const otherRoutes = new Set([
  'x-original-url',
  'x-rewrite-url',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
])

/** Whether a tool's header stays here. */
export const takenOff = (name: string): boolean => {
  const lower = name.toLowerCase()
  return ours.has(lower) || otherRoutes.has(lower)
}

/** Headers of the service that would act on 127.0.0.1 as a whole. */
const theirs = new Set(['set-cookie', 'strict-transport-security', 'alt-svc', 'clear-site-data'])

/** Only our own answers say that they are ours. */
const isOurMark = (lower: string): boolean => lower === 'x-studio-answer'

/** What of a tool's raw headers (Node's flat list) goes on to the service, order and case kept. */
export function requestHeaders(rawHeaders: string[]): HeaderPairs {
  const pairs: HeaderPairs = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!takenOff(name)) pairs.push([name, rawHeaders[at + 1] ?? ''])
  }
  return pairs
}

/** What of the service's reply goes back to the tool. CORS headers would open this port to web pages. */
export function replyHeaders(pairs: HeaderPairs): HeaderPairs {
  return pairs.filter(([name]) => {
    const lower = name.toLowerCase()
    return !theirs.has(lower) && !lower.startsWith('access-control-') && !isOurMark(lower)
  })
}

/**
 * The service's reason phrase with every byte outside printable ASCII replaced. node:http throws for what it can't send, and the HTTP
 * client has decoded the phrase as UTF-8 by now, so its legal non-ASCII bytes (obs-text, RFC 9112, 4) can't be restored.
 */
export const safeReason = (phrase: string): string => phrase.replace(/[^\t\x20-\x7e]/g, '?')
