const maxOrigins = 50

export type OriginFault = 'bad' | 'known' | 'many'

/**
 * Normalizes a typed origin to the form that a browser sends, or returns the error. A trailing slash is accepted, a path is not. `null` and
 * `*` are not origins.
 */
export function readOrigin(typed: string, known: readonly string[]): { origin: string } | { fault: OriginFault } {
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
