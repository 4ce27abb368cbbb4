const maxOrigins = 50

export type OriginFault = 'bad' | 'known' | 'many'

/**
 * A web page's origin as typed, in the one form in which a browser sends it, or what is wrong with it. A trailing slash is
 * forgiven, anything behind it is not: an origin has no path, and `null` and `*` are none.
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
  // URL knows no origin of an extension's scheme; a browser sends it as it stands.
  return /-extension$/i.test(scheme) ? `${scheme.toLowerCase()}://${host}` : null
}
