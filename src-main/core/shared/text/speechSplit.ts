/** The service's limit for one input (specification, Limits): bytes of UTF-8, not characters. */
export const maxPartBytes = 4096

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' })
const wordsOf = new Intl.Segmenter(undefined, { granularity: 'word' })
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Code units after a cut that the segmenters examine, so that they do not take the end of the window for the end of the text. */
const lookAhead = 256

/** One part of a text: its position (UTF-16 units) and its length in bytes of UTF-8. */
export interface SpeechPlace {
  from: number
  to: number
  bytes: number
}

/**
 * Splits a text into parts of at most `maxBytes` (at least 4) bytes of UTF-8, to be spoken one after another. Splits at the end of a
 * paragraph if the part is then at least half full, else of a sentence, else of a word. A word longer than a part is split between grapheme
 * clusters. Only a single cluster that is longer than a part is split itself. White space around a split is dropped; all other text is
 * preserved.
 */
export function speechPlaces(given: string, maxBytes = maxPartBytes): SpeechPlace[] {
  // An unpaired surrogate has no UTF-8 form. Its replacement has the same length.
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

/** The same parts as strings. */
export function splitForSpeech(given: string, maxBytes = maxPartBytes): string[] {
  const text = given.toWellFormed()
  return speechPlaces(text, maxBytes).map(({ from, to }) => text.slice(from, to))
}

/**
 * Skips white space, which uses no bytes of a part. A space that forms one grapheme cluster with a following mark or a preceding number
 * sign stays.
 */
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

/** The largest index up to which the text from `from` has at most `maxBytes` bytes. Never inside a surrogate pair. */
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
  const most = limit - from
  const half = most / 2
  const whole = (end: number | null): boolean => end !== null && end > 0 && isBoundary(text, from, from + end)
  for (const end of [
    lastMatch(window, /\n\s*\n/g, half, most),
    lastSegmentEnd(sentences, window, half, most),
    lastSegmentEnd(sentences, window, 0, most),
    lastSegmentEnd(wordsOf, window, 0, most),
    lastSegmentEnd(graphemes, window, 0, most),
  ]) {
    if (end !== null && whole(end)) return from + end
  }
  return limit
}

/** The end of the last match within `[least, most]`; null when there is none. */
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

/** Whether `at` is between two grapheme clusters. `from` must be such a position too. */
function isBoundary(text: string, from: number, at: number): boolean {
  if (at >= text.length) return true
  return graphemes.segment(text.slice(from, at + 2)).containing(at - from)?.index === at - from
}
