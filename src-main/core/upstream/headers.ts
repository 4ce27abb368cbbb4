import type { RateLimitHeaders, ReplyFacts } from './types.ts'

export type HeaderPairs = [name: string, value: string][]

/** Names and values in turn, as undici and node:http take them. Array.prototype.flat costs ten times as much. */
export function flattened(headers: HeaderPairs): string[] {
  const flat: string[] = []
  for (const [name, value] of headers) flat.push(name, value)
  return flat
}

/** The first header of that name, or null; names are case-blind. */
export function header(headers: HeaderPairs, name: string): string | null {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? null
}

/** All headers of that name as one list (RFC 9110, 5.3), or null. */
export function headerList(headers: HeaderPairs, name: string): string | null {
  let list: string | null = null
  for (const [key, value] of headers) {
    if (key.length === name.length && key.toLowerCase() === name) list = list === null ? value : `${list}, ${value}`
  }
  return list
}

/** Whether a reply of this content type has an end of its own, beside that of its bytes. */
export const isEventStream = (contentType: string | null): boolean =>
  /^\s*text\/event-stream\s*(?:;|$)/i.test(contentType ?? '')

/** @param now milliseconds of the epoch; a `Retry-After` that is a date is measured from it */
export function factsOf(status: number, headers: HeaderPairs, now: number): ReplyFacts {
  return {
    status,
    requestId: (header(headers, 'x-request-id') ?? header(headers, 'request-id'))?.slice(0, 200) ?? null,
    contentType: header(headers, 'content-type')?.slice(0, 200) ?? null,
    rateLimit: readRateLimit(headers, now),
    shouldRetry: readShouldRetry(headers),
  }
}

const shouldRetryName = 'x-should-retry'

/**
 * What the service wishes of its clients' retry loops: `x-should-retry`, which the usual SDKs follow. Null where it wishes nothing that can be read; of
 * several values "false" counts.
 */
export function readShouldRetry(headers: HeaderPairs): boolean | null {
  let wish: boolean | null = null
  for (const [name, value] of headers) {
    if (name.length !== shouldRetryName.length || name.toLowerCase() !== shouldRetryName) continue
    for (const word of value.toLowerCase().split(',')) {
      if (word.trim() === 'false') return false
      if (word.trim() === 'true') wish = true
    }
  }
  return wish
}

/** The same headers with one `x-should-retry`, since SDKs join several into a value that they do not know. `wish` replaces what the service said; null leaves it. */
export function withShouldRetry(headers: HeaderPairs, wish: boolean | null): HeaderPairs {
  if (wish === null) return headers
  const others = headers.filter(([name]) => name.toLowerCase() !== shouldRetryName)
  const asItIs = headers.length - others.length === 1 && header(headers, shouldRetryName) === String(wish)
  return asItIs ? headers : [...others, [shouldRetryName, String(wish)]]
}

export function readRateLimit(headers: HeaderPairs, now: number): RateLimitHeaders {
  return {
    limit: count(header(headers, 'x-ratelimit-limit')),
    remaining: count(header(headers, 'x-ratelimit-remaining')),
    retryAfterMs: readRetryAfter(header(headers, 'retry-after'), now),
  }
}

function count(text: string | null): number | null {
  if (text === null || !/^\s*\d{1,15}\s*$/.test(text)) return null
  return Number(text)
}

const httpDate =
  /^(?:[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT|[a-z]{6,9}, \d\d-[a-z]{3}-\d\d \d\d:\d\d:\d\d GMT|[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4})$/i

/** Seconds (also with decimals, as some gateways send) or an HTTP date (RFC 9110, 5.6.7), as milliseconds from now; else null. */
export function readRetryAfter(text: string | null, now: number): number | null {
  const given = text?.trim() ?? ''
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(given)) return Math.ceil(Number(given) * 1000)
  if (!httpDate.test(given)) return null
  // The asctime form carries no zone and means UTC.
  const at = Date.parse(/GMT$/i.test(given) ? given : `${given} GMT`)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** RFC 9110, 7.6.1: these belong to one connection, as does each header that `Connection` names. */
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

export function withoutHopByHop(headers: HeaderPairs, alsoOff: ReadonlySet<string> = new Set()): HeaderPairs {
  let named: Set<string> | null = null
  for (const [name, value] of headers) {
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue
    named ??= new Set()
    for (const token of value.split(',')) named.add(token.trim().toLowerCase())
  }
  return headers.filter(([name]) => {
    const key = name.toLowerCase()
    return !hopByHop.has(key) && !alsoOff.has(key) && named?.has(key) !== true
  })
}
