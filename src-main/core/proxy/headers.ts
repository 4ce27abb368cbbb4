/** A connection's own headers (RFC 9110, 7.6.1), never relayed. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * A tool's headers that the service must not see: its local key, our host name, and what a browser could bring along. Cookies
 * know no port: those of the web host on 127.0.0.1 would come with a request to this one.
 */
const ours = new Set(['authorization', 'host', 'expect', 'cookie', 'origin', 'referer', 'x-api-key', 'api-key'])

/** Headers of the service that would act on 127.0.0.1 as a whole, or open this port to web pages. */
const theirs = new Set(['set-cookie', 'strict-transport-security', 'alt-svc', 'clear-site-data'])

type Pair = [name: string, value: string]

function listed(pairs: Pair[]): Set<string> {
  const names = new Set<string>()
  for (const [name, value] of pairs) {
    if (name.toLowerCase() !== 'connection') continue
    for (const token of value.split(',')) names.add(token.trim().toLowerCase())
  }
  return names
}

function kept(pairs: Pair[], without: Set<string>): Pair[] {
  const named = listed(pairs)
  return pairs.filter(([name]) => {
    const lower = name.toLowerCase()
    return !hopByHop.has(lower) && !without.has(lower) && !named.has(lower)
  })
}

/** Node's flat list of raw headers as pairs, order and case kept. */
export function pairsOf(rawHeaders: string[]): Pair[] {
  const pairs: Pair[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  return pairs
}

/** What of a tool's request goes on to the service. */
export const requestHeaders = (rawHeaders: string[]): Pair[] => kept(pairsOf(rawHeaders), ours)

/** What of the service's reply goes back to the tool. */
export function replyHeaders(pairs: Pair[]): Pair[] {
  return kept(pairs, theirs).filter(([name]) => !name.toLowerCase().startsWith('access-control-'))
}
