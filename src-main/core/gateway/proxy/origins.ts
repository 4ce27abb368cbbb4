import { originToAllow } from '../../shared/origin.ts'
import type { HeaderPairs } from '../../upstream/headers.ts'

// CORS for the few origins that a person allowed by hand (Fetch standard, 3.2). Nobody else ever gets one of these headers.

/**
 * Exact, character by character, with what stands in the list read as browsers write it; what can't be allowed is not, whatever
 * stands there.
 */
export function isAllowed(origin: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0 || originToAllow(origin) !== origin) return false
  return allowed.includes(origin) || allowed.some((entry) => originToAllow(entry) === origin)
}

/** What every reply to an allowed origin carries, so that its page may read it. */
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
/** Seconds. A browser may go on for this long after an origin was taken off the list; its requests are refused at once all the same. */
const preflightAge = '600'

/** The reply to the preflight of an allowed origin; null where what it asks for makes no sense. */
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
