/** Extensions (`chrome-extension://id`) and the pages of desktop programs (`app://obsidian.md`, `tauri://localhost`). */
const ownScheme = /^(?!https?:|file:)[a-z][a-z0-9+.-]{0,40}:\/\/[A-Za-z0-9.-]{1,200}(?::\d{1,5})?$/
const longest = 300

/**
 * Normalizes an origin that may be allowed, as browsers write it: `http://localhost:3000/` becomes `http://localhost:3000`. Null for
 * `null`, wildcards and addresses with a path.
 */
export function originToAllow(text: string): string | null {
  const given = text.trim()
  if (given.length > longest) return null
  const bare = given.endsWith('/') ? given.slice(0, -1) : given
  if (ownScheme.test(bare)) return bare
  if (!/^https?:\/\/[^/?#@\\*\s]+$/i.test(bare)) return null
  return URL.parse(bare)?.origin ?? null
}
