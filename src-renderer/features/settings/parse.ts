import { parseDecimal } from '../../shared/typedNumber.ts'

/** Parses an amount of SC: null for empty, undefined when not above 0. */
export function parseAmount(typed: string): string | null | undefined {
  const amount = parseDecimal(typed)
  return amount === '0' ? undefined : amount
}

/** Parses a share in per cent, 1 to 99. Null when invalid. */
export function parseShare(typed: string): number | null {
  const text = typed.trim().replace(/\s*%$/, '')
  return /^[1-9]\d?$/.test(text) ? Number(text) : null
}

/** Parses a port, 0 to 65535. Null when invalid. */
export function parsePort(typed: string): number | null {
  const text = typed.trim()
  if (!/^\d{1,5}$/.test(text)) return null
  const port = Number(text)
  return port <= 65_535 ? port : null
}

/** Parses a number of days, 1 to 365. Null when invalid. */
export function parseDays(typed: string): number | null {
  const text = typed.trim()
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return days >= 1 && days <= 365 ? days : null
}

const maxOrigins = 50

/** `known`: already allowed. `many`: the maximum is reached. */
export type OriginFault = 'bad' | 'known' | 'many'

/**
 * Normalizes a typed origin to the form that a browser sends, or returns the error. A trailing slash is accepted, a path is not. `null` and
 * `*` are not origins.
 */
export function parseOrigin(typed: string, known: readonly string[]): { origin: string } | { fault: OriginFault } {
  const text = typed.trim()
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\s]+)\/?$/i.exec(text)
  if (!parts) return { fault: 'bad' }
  const origin = originOf(text, parts[1] ?? '', parts[2] ?? '')
  if (origin === null || origin.length > 300) return { fault: 'bad' }
  if (known.includes(origin)) return { fault: 'known' }
  return known.length >= maxOrigins ? { fault: 'many' } : { origin }
}

function originOf(text: string, scheme: string, host: string): string | null {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return null
  }
  if (url.protocol === 'http:' || url.protocol === 'https:') return url.origin
  // URL does not support origins of extension schemes. A browser sends them as written.
  return /-extension$/i.test(scheme) ? `${scheme.toLowerCase()}://${host}` : null
}
