import type { RateLimitHeaders } from '../ports/requests.ts'
import type { ReplyFacts } from './reply/events.ts'

/** Headers in their order and case; a name may occur more than once. */
export type HeaderPairs = [name: string, value: string][]

/** Names and values in turn, as undici and node:http expect. Array.prototype.flat costs ten times as much. */
export function flattened(headers: HeaderPairs): string[] {
  const flat: string[] = []
  for (const [name, value] of headers) flat.push(name, value)
  return flat
}

/** The first header with that name, or null. Names are case-insensitive. */
export function header(headers: HeaderPairs, name: string): string | null {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? null
}

/** All headers with that name as one list (RFC 9110, 5.3), or null. */
export function headerList(headers: HeaderPairs, name: string): string | null {
  let list: string | null = null
  for (const [key, value] of headers) {
    if (key.length === name.length && key.toLowerCase() === name) list = list === null ? value : `${list}, ${value}`
  }
  return list
}

/** Whether a reply with this content type marks its own end, beside the end of its bytes. */
export const isEventStream = (contentType: string | null): boolean =>
  /^\s*text\/event-stream\s*(?:;|$)/i.test(contentType ?? '')

/** The id by which the service names a request, at most 200 characters, or null. */
export const requestIdOf = (headers: HeaderPairs): string | null =>
  (header(headers, 'x-request-id') ?? header(headers, 'request-id'))?.slice(0, 200) ?? null

/** @param now ms since 1970; a `Retry-After` date is measured from it */
export function factsOf(status: number, headers: HeaderPairs, now: number): ReplyFacts {
  return {
    status,
    requestId: requestIdOf(headers),
    contentType: header(headers, 'content-type')?.slice(0, 200) ?? null,
    rateLimit: readRateLimit(headers, now),
    shouldRetry: readShouldRetry(headers),
  }
}

const shouldRetryName = 'x-should-retry'

/** Reads `x-should-retry`, which the usual SDKs follow. Null when it is missing or unreadable. "false" wins over other values. */
export function readShouldRetry(headers: HeaderPairs): boolean | null {
  let shouldRetry: boolean | null = null
  for (const [name, value] of headers) {
    if (name.length !== shouldRetryName.length || name.toLowerCase() !== shouldRetryName) continue
    for (const word of value.toLowerCase().split(',')) {
      if (word.trim() === 'false') return false
      if (word.trim() === 'true') shouldRetry = true
    }
  }
  return shouldRetry
}

/**
 * Returns the headers with a single `x-should-retry`, because SDKs join several into an unknown value. `shouldRetry` replaces the service's value;
 * null preserves it.
 */
export function withShouldRetry(headers: HeaderPairs, shouldRetry: boolean | null): HeaderPairs {
  if (shouldRetry === null) return headers
  const others = headers.filter(([name]) => name.toLowerCase() !== shouldRetryName)
  const asItIs = headers.length - others.length === 1 && header(headers, shouldRetryName) === String(shouldRetry)
  return asItIs ? headers : [...others, [shouldRetryName, String(shouldRetry)]]
}

/** Reads the rate-limit headers. Missing or invalid ones are null. */
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

/**
 * Reads `Retry-After`: seconds (also with decimals, as some gateways send) or an HTTP date (RFC 9110, 5.6.7). Returns ms from now, or null.
 */
export function readRetryAfter(text: string | null, now: number): number | null {
  const given = text?.trim() ?? ''
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(given)) return Math.ceil(Number(given) * 1000)
  if (!httpDate.test(given)) return null
  // The asctime form has no zone and means UTC.
  const at = Date.parse(/GMT$/i.test(given) ? given : `${given} GMT`)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** Headers of one connection (RFC 9110, 7.6.1). `Connection` may name more. */
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

/** Removes hop-by-hop headers and those in `alsoOff` (lower case). */
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
