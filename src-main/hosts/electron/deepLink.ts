import type { WindowPlace } from './window.ts'

/** The scheme of links that open this program. */
export const linkScheme = 'inference-studio'

/** Longest text of a link, UTF-16 units. Command lines have limits near this on some systems. */
const maxPrompt = 8_000

/**
 * Reads a link, or returns null. `inference-studio://chat/new?prompt=Hello` opens a new chat, whose text is only filled in, never sent.
 * `inference-studio://help/PAGE#SECTION` opens the guide. Anyone can make such links, so control characters and characters that hide text
 * are removed, and long texts are cut.
 */
export function readDeepLink(text: string): WindowPlace | null {
  if (!text.toLowerCase().startsWith(`${linkScheme}:`) || !URL.canParse(text)) return null
  const { host, pathname, username, hash, searchParams } = new URL(text)
  // Some systems add a slash at the end.
  const path = pathname.replace(/\/$/, '')
  if (username !== '') return null
  if (host === 'help' && /^(\/[\w-]{1,40})?$/.test(path) && /^(#[\w-]{1,100})?$/.test(hash))
    return { page: 'help', id: path === '' ? null : `${path.slice(1)}${hash}` }
  if (host !== 'chat' || path !== '/new') return null
  return { page: 'chat', id: null, prompt: plain(searchParams.get('prompt') ?? '').slice(0, maxPrompt) }
}

/** The first link among the arguments of a start. */
export function linkInArguments(argv: readonly string[]): WindowPlace | null {
  for (const argument of argv) {
    const link = readDeepLink(argument)
    if (link) return link
  }
  return null
}

const hidden = /(?![\t\n])\p{Cc}|[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu
const plain = (text: string): string => text.replace(/\r\n?/g, '\n').replace(hidden, '')
