/** The scheme of links that open this program. */
export const linkScheme = 'inference-studio'

/** Longest text of a link, UTF-16 units. Command lines have limits near this on some systems. */
const maxPrompt = 8_000

/** A link that opens a new chat. Its text is only filled in, never sent. */
export interface DeepLink {
  prompt: string
}

/**
 * Reads a link such as `inference-studio://chat/new?prompt=Hello`, or returns null. Anyone can make such links, so control characters and
 * characters that hide text are removed, and long texts are cut.
 */
export function readDeepLink(text: string): DeepLink | null {
  if (!text.toLowerCase().startsWith(`${linkScheme}:`) || !URL.canParse(text)) return null
  const url = new URL(text)
  // Some systems add a slash at the end.
  if (url.host !== 'chat' || url.pathname.replace(/\/$/, '') !== '/new' || url.username !== '') return null
  return { prompt: plain(url.searchParams.get('prompt') ?? '').slice(0, maxPrompt) }
}

/** The first link among the arguments of a start. */
export function linkInArguments(argv: readonly string[]): DeepLink | null {
  for (const argument of argv) {
    const link = readDeepLink(argument)
    if (link) return link
  }
  return null
}

const hidden = /(?![\t\n])\p{Cc}|[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu
const plain = (text: string): string => text.replace(/\r\n?/g, '\n').replace(hidden, '')
