const allowed = new Set(['http:', 'https:', 'mailto:'])

/** The address as the system's browser would be given it, or null for every scheme but http, https and mailto. */
export function safeAddress(url: string): string | null {
  try {
    const parsed = new URL(url)
    return allowed.has(parsed.protocol) ? parsed.href : null
  } catch {
    // Relative, empty or garbage: a reply has no place of its own that it could be relative to.
    return null
  }
}
