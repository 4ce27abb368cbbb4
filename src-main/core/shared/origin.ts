/** Extensions (`chrome-extension://id`) and the pages of desktop programs (`app://obsidian.md`, `tauri://localhost`). */
const ownScheme = /^(?!https?:|file:)[a-z][a-z0-9+.-]{0,40}:\/\/[A-Za-z0-9.-]{1,200}(?::\d{1,5})?$/
const longest = 300

/**
 * An origin as browsers write it, or null where it is none that could be allowed: `null`, wildcards, addresses with a path.
 * `http://localhost:3000/` as a person types it becomes `http://localhost:3000`.
 */
export function originToAllow(text: string): string | null {
  const given = text.trim()
  if (given.length > longest) return null
  const bare = given.endsWith('/') ? given.slice(0, -1) : given
  if (ownScheme.test(bare)) return bare
  if (!/^https?:\/\/[^/?#@\\*\s]+$/i.test(bare)) return null
  return URL.parse(bare)?.origin ?? null
}
