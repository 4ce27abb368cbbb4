import type { SearchHit } from '../../../../../src-preload/contract/library.ts'
import type { SearchQuery } from '../../../shared/text/query.ts'
import { isCharacterWord, type Word, words } from '../../../shared/text/splitWords.ts'
import { markdownMarks, type TextRange } from './markdownMarks.ts'

/** Length of a snippet, and of the text before its first hit, UTF-16 units. */
const maxLength = 300
const lengthBefore = 60

type Place = TextRange

/**
 * Text around the first hit from `from` on, in pieces. Cut between graphemes, preferably between words.
 * @param isMarkdown whether to drop marks such as `**` and the addresses of links, unless they contain a hit
 */
export function snippet(
  text: string,
  query: SearchQuery,
  { from = 0, isMarkdown = false }: { from?: number; isMarkdown?: boolean } = {},
): SearchHit['snippet'] {
  const places: Place[] = []
  let first: Place | null = null
  for (const place of hits(text, query, firstLook(text, query, from))) {
    first ??= place
    if (place.end > first.start + maxLength) break
    places.push(place)
  }
  const { start, end } = window(text, first?.start ?? from)
  const pieces: SearchHit['snippet'] = []
  const add = (text: string, hit: boolean): void => {
    const last = pieces.at(-1)
    if (text === '') return
    if (last?.hit === hit) last.text += text
    else pieces.push({ text, hit })
  }
  const dropped = isMarkdown
    ? markdownMarks(text, start, end).filter((mark) =>
        places.every((place) => place.end <= mark.start || place.start >= mark.end),
      )
    : []
  const show = (from: number, to: number): string => {
    let shown = ''
    let at = from
    for (const mark of dropped) {
      if (mark.start < at || mark.end > to) continue
      shown += text.slice(at, mark.start)
      at = mark.end
    }
    return (shown + text.slice(at, to)).replaceAll(/\s+/gu, ' ')
  }
  let at = start
  for (const place of places) {
    // Skips a hit that is cut at the edge of the snippet.
    if (place.start < at || place.end > end) continue
    add(show(at, place.start), false)
    add(show(place.start, place.end), true)
    at = place.end
  }
  add(show(at, end), false)
  return pieces
}

const wordCharacters = '\\p{L}\\p{N}\\p{M}'

/**
 * Position from which the text is folded. A regular expression on the unfolded text is a hundred times faster than
 * folding a long text. If it finds nothing (accents, other character forms), the whole text is folded.
 */
function firstLook(text: string, query: SearchQuery, from: number): number {
  if (text.length - from < minSearchLength) return from
  const look = looks.get(query) ?? lookFor(query)
  looks.set(query, look)
  look.lastIndex = from
  return look.exec(text)?.index ?? from
}

/** Regular expressions with Unicode classes take milliseconds to compile, so they are cached per query. */
const looks = new WeakMap<SearchQuery, RegExp>()

function lookFor({ terms, open }: SearchQuery): RegExp {
  const ways = terms.map((term, index) => {
    const isOpen = open && index === terms.length - 1
    // Folded words consist of letters, digits, marks and pictographs, none of which is special in a regular expression.
    const before = isCharacterWord(term[0] ?? '') ? '' : `(?<![${wordCharacters}])`
    const after = isOpen || isCharacterWord(term.at(-1) ?? '') ? '' : `(?![${wordCharacters}])`
    return before + term.join(`[^${wordCharacters}]*`) + after
  })
  return new RegExp(ways.join('|'), 'giu')
}

/** Shorter texts are folded at once. UTF-16 units. */
const minSearchLength = 600

/** Yields the hits of the query, in order. */
function* hits(text: string, { terms, open }: SearchQuery, from: number): Generator<Place, undefined> {
  const longest = Math.max(...terms.map((term) => term.length))
  const recent: Word[] = []
  let lastEnd = from
  let last = Number.POSITIVE_INFINITY
  for (const word of words(text, from)) {
    // The snippet ends before this word, so the rest of a long text need not be folded.
    if (word.start > last) return
    recent.push(word)
    if (recent.length > longest) recent.shift()
    let best: Place | null = null
    for (const [index, term] of terms.entries()) {
      const place = endsHere(recent, term, open && index === terms.length - 1, text)
      if (place && place.start >= lastEnd && (!best || place.start < best.start)) best = place
    }
    if (best) {
      lastEnd = best.end
      last = Math.min(last, best.start + maxLength)
      yield best
    }
  }
}

/** Returns the place of `term` if its last word is the newest of the recent words, or null. */
function endsHere(recent: readonly Word[], term: readonly string[], open: boolean, text: string): Place | null {
  const offset = recent.length - term.length
  if (offset < 0) return null
  const last = recent.at(-1)
  const first = recent[offset]
  if (!last || !first) return null
  for (const [index, wanted] of term.entries()) {
    const folded = recent[offset + index]?.folded ?? ''
    const isOpen = open && index === term.length - 1
    if (isOpen ? !folded.startsWith(wanted) : folded !== wanted) return null
  }
  const wanted = term.at(-1)?.length ?? 0
  // Marks only the typed beginning of a word. Its length is known if folding changed no lengths.
  const isPart = open && last.folded.length > wanted && last.end - last.start === last.folded.length
  const end = isPart ? grapheme(text, last.start + wanted, 1) : last.end
  return { start: first.start, end }
}

/** A part of the text of at most `maxLength` characters, with some text before `at`. */
function window(text: string, at: number): Place {
  let start = Math.max(0, at - lengthBefore)
  if (start > 0) {
    const space = text.slice(start, at).search(/\s/u)
    start = space >= 0 ? start + space + 1 : grapheme(text, start, 1)
  }
  let end = Math.min(text.length, start + maxLength)
  if (end < text.length) {
    const space = text.slice(start, end).search(/\s\S*$/u)
    const cut = space > maxLength / 2 ? start + space : grapheme(text, end, -1)
    end = cut > at ? cut : end
  }
  return { start, end }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Longer graphemes, such as many stacked accents, are cut. UTF-16 units. */
const graphemeRange = 40

/** The border between graphemes at `at`, or the nearest one in the given direction. */
function grapheme(text: string, at: number, direction: 1 | -1): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length))
  const inside = isLow(text, at) ? at - 1 : at
  const low = Math.max(0, at - graphemeRange)
  const from = isLow(text, low) ? low - 1 : low
  let border = from
  for (const { index, segment } of graphemes.segment(text.slice(from, at + graphemeRange))) {
    const end = from + index + segment.length
    if (end === at) return at
    if (end < at) {
      border = end
      continue
    }
    // A grapheme beyond the examined range is cut.
    if (direction === 1) return end < at + graphemeRange ? end : inside
    return border > from ? border : inside
  }
  return inside
}

const isLow = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00
