import { Fragment, type ReactNode } from 'react'

/**
 * Characters that change how others appear and are invisible themselves, so that code reads differently from what it does (CVE-2021-42574).
 * Each is drawn in an isolate, where it has no effect, next to its name. Copying includes the character.
 */
const names: Record<string, string> = {
  '\u00ad': 'SHY',
  '\u061c': 'ALM',
  '\u180e': 'MVS',
  '\u200b': 'ZWSP',
  '\u200c': 'ZWNJ',
  '\u200d': 'ZWJ',
  '\u200e': 'LRM',
  '\u200f': 'RLM',
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2060': 'WJ',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
  '\ufeff': 'BOM',
}
const anyHidden = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/
const eachHidden = /([\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff])/
/**
 * In prose, joiners and direction marks are legitimate (emoji, Persian, Hebrew). These characters reverse text and have no use in a reply.
 */
const anyTurning = /[\u202a\u202b\u202d\u202e]/
const eachTurning = /([\u202a\u202b\u202d\u202e])/

/** Code with hidden characters made visible. */
export function revealed(text: string): ReactNode {
  return anyHidden.test(text) ? withNames(text.split(eachHidden)) : text
}

/** Prose with direction overrides made visible. */
export function revealedProse(text: string): ReactNode {
  return anyTurning.test(text) ? withNames(text.split(eachTurning)) : text
}

/** Longest text that is laid out as one, characters. The browser's work for breaking its lines grows with the square of its length. */
const longestRun = 1_000

/** Code or plain text with hidden characters made visible, which may break lines after each `longestRun` characters. */
export function BoundedText({ text }: { text: string }): ReactNode {
  if (text.length <= longestRun) return revealed(text)
  const runs: ReactNode[] = []
  for (let at = 0; at < text.length; ) {
    // A character of two units stays whole.
    const code = text.charCodeAt(at + longestRun)
    const end = at + longestRun - (code >= 0xdc00 && code <= 0xdfff ? 1 : 0)
    runs.push(<Fragment key={at}>{revealed(text.slice(at, end))}</Fragment>, <wbr key={`${at}.`} />)
    at = end
  }
  return runs
}

/** The same as plain text, for places without elements: `U+202E` in brackets instead of the character. */
export function spelled(text: string): string {
  if (!anyHidden.test(text)) return text
  return text
    .split(eachHidden)
    .map((part) => (part in names && part.length === 1 ? `[${names[part]}]` : part))
    .join('')
}

/** `parts`: text and hidden characters alternate, as `split` with a group returns them. */
function withNames(parts: readonly string[]): ReactNode {
  return parts.map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <span key={partKey(at)} className="md-hidden" data-name={names[part]} title={codePoint(part)}>
        {part}
      </span>
    ),
  )
}

const partKey = (at: number): string => `h${at}`
const codePoint = (char: string): string => `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
