import { originToAllow } from '../../shared/origin.ts'
import type { HeaderPairs } from '../../upstream/headers.ts'

// CORS for the origins that a person has allowed (Fetch standard, 3.2). No other origin ever gets one of these headers.

/** Whether an origin is in the list. Compares the exact text, after the list entries are written as browsers write origins. */
export function isAllowed(origin: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0 || originToAllow(origin) !== origin) return false
  return allowed.includes(origin) || allowed.some((entry) => originToAllow(entry) === origin)
}

/** Headers that let the page of an allowed origin read a reply. */
export function corsHeaders(origin: string): HeaderPairs {
  return [
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Expose-Headers', '*'],
    ['Vary', 'Origin'],
  ]
}

const preflightMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
const headerName = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,100}$/
const mostHeaders = 50
/** How long a browser may cache a preflight, seconds. Requests of an origin that was removed are refused at once all the same. */
const preflightAge = '600'

/** Reply headers for the preflight of an allowed origin, or null if its method or headers are invalid. */
export function preflightHeaders(
  origin: string,
  asked: { method: string; headers: string | undefined; privateNetwork: string | undefined },
): HeaderPairs | null {
  if (!preflightMethods.has(asked.method)) return null
  const names = (asked.headers ?? '').split(',').flatMap((name) => name.trim() || [])
  if (names.length > mostHeaders || !names.every((name) => headerName.test(name))) return null
  const pairs: HeaderPairs = [
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Allow-Methods', asked.method],
    ['Access-Control-Max-Age', preflightAge],
    ['Vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'],
  ]
  if (names.length > 0) pairs.push(['Access-Control-Allow-Headers', names.join(', ')])
  if (asked.privateNetwork === 'true') pairs.push(['Access-Control-Allow-Private-Network', 'true'])
  return pairs
}
