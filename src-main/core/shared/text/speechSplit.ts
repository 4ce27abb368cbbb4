/** The service's bound for one input (specification, Limits): bytes of UTF-8, not characters. */
export const maxPartBytes = 4096

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' })
const wordsOf = new Intl.Segmenter(undefined, { granularity: 'word' })
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Code units behind a cut that the segmenters look at, so that the end of what they see is not taken for an end of the text. */
const lookAhead = 256

/** One part of a text: where it stands (UTF-16 units) and how many bytes of UTF-8 it has. */
export interface SpeechPlace {
  from: number
  to: number
  bytes: number
}

/**
 * Cuts a text into parts of at most `maxBytes` (at least 4) bytes of UTF-8, to be spoken one after another. Cuts at the end of a paragraph where
 * that leaves the part at least half full, else of a sentence, else of a word. A word that is longer than a part is cut between two
 * characters as people see them (grapheme clusters), and only a single one of those that is itself longer is cut at all.
 * White space around a cut falls away; nothing else does.
 */
export function speechPlaces(given: string, maxBytes = maxPartBytes): SpeechPlace[] {
  // A surrogate without its other half is nothing that UTF-8 can say. What takes its place is as long.
  const text = given.toWellFormed()
  const places: SpeechPlace[] = []
  for (let from = skipSpace(text, 0); from < text.length; ) {
    const limit = reach(text, from, maxBytes)
    const to = limit === text.length ? limit : cut(text, from, limit)
    const part = trimEnd(text.slice(from, to))
    if (part !== '') places.push({ from, to: from + part.length, bytes: Buffer.byteLength(part) })
    from = skipSpace(text, to)
  }
  return places
}

/** The parts themselves. */
export function splitForSpeech(given: string, maxBytes = maxPartBytes): string[] {
  const text = given.toWellFormed()
  return speechPlaces(text, maxBytes).map(({ from, to }) => text.slice(from, to))
}

/** White space costs no bytes of a part. A space that a mark follows, or a number sign stands before, is one character with it and stays. */
function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at] ?? '')) {
    const character = graphemes.segment(text.slice(at, at + lookAhead)).containing(0)?.segment ?? ''
    if (character.trim() !== '') break
    at += character.length
  }
  return at
}

function trimEnd(part: string): string {
  if (!/\s$/.test(part)) return part
  let end = 0
  for (const { index, segment } of graphemes.segment(part)) if (segment.trim() !== '') end = index + segment.length
  return part.slice(0, end)
}

/** The farthest index to which the text from `from` on has at most `maxBytes` bytes; never inside a surrogate pair. */
function reach(text: string, from: number, maxBytes: number): number {
  let bytes = 0
  let at = from
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4
    if (bytes > maxBytes) return at
    at += code < 0x1_0000 ? 1 : 2
  }
  return at
}

function cut(text: string, from: number, limit: number): number {
  const window = text.slice(from, limit + lookAhead)
  const feature = limit - from
  const half = feature / 2
  const whole = (end: number | null): boolean => end !== null && end > 0 && isBoundary(text, from, from + end)
  for (const end of [
    lastMatch(window, /\n\s*\n/g, half, feature),
    lastSegmentEnd(sentences, window, half, feature),
    lastSegmentEnd(sentences, window, 0, feature),
    lastSegmentEnd(wordsOf, window, 0, feature),
    lastSegmentEnd(graphemes, window, 0, feature),
  ]) {
    if (end !== null && whole(end)) return from + end
  }
  return limit
}

/** The end of the last match that lies within `[least, most]`; null where there is none. */
function lastMatch(window: string, pattern: RegExp, least: number, most: number): number | null {
  let found: number | null = null
  for (const match of window.slice(0, most).matchAll(pattern)) {
    const end = match.index + match[0].length
    if (end >= least) found = end
  }
  return found
}

function lastSegmentEnd(segmenter: Intl.Segmenter, window: string, least: number, most: number): number | null {
  const { index } = segmenter.segment(window).containing(most) ?? { index: most }
  return index > 0 && index >= least ? index : null
}

/** Whether `at` lies between two grapheme clusters of the text that begins at `from`, itself such a place. */
function isBoundary(text: string, from: number, at: number): boolean {
  if (at >= text.length) return true
  return graphemes.segment(text.slice(from, at + 2)).containing(at - from)?.index === at - from
}
