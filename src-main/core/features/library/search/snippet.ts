import type { SearchHit } from '../../../../../src-preload/contract/library.ts'
import type { SearchQuery } from '../../../shared/text/query.ts'
import { isCharacterWord, type Word, words } from '../../../shared/text/splitWords.ts'

/** Characters (UTF-16 units) of a snippet, and of them before the first hit. */
const whole = 300
const before = 60

interface Place {
  start: number
  end: number
}

/** Text around the first hit from `from` on, in pieces, cut between graphemes and if it can be between words. */
export function snippet(text: string, query: SearchQuery, from = 0): SearchHit['snippet'] {
  const places: Place[] = []
  let first: Place | null = null
  for (const place of hits(text, query, firstLook(text, query, from))) {
    first ??= place
    if (place.end > first.start + whole) break
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
  const show = (from: number, to: number): string => text.slice(from, to).replaceAll(/\s+/gu, ' ')
  let at = start
  for (const place of places) {
    // A piece that the window cut through is no hit any more that could be read.
    if (place.start < at || place.end > end) continue
    add(show(at, place.start), false)
    add(show(place.start, place.end), true)
    at = place.end
  }
  add(show(at, end), false)
  return pieces
}

const sign = '\\p{L}\\p{N}\\p{M}'

/**
 * Where to begin to look. A first look through the text as it is written, by an expression, is a hundred times faster than to fold
 * all of a long text; where it finds nothing (an accent, another form of a character), the text is folded from the start.
 */
function firstLook(text: string, query: SearchQuery, from: number): number {
  if (text.length - from < quickly) return from
  const look = looks.get(query) ?? lookFor(query)
  looks.set(query, look)
  look.lastIndex = from
  return look.exec(text)?.index ?? from
}

/** An expression with classes of Unicode costs milliseconds to make: one for each query. */
const looks = new WeakMap<SearchQuery, RegExp>()

function lookFor({ terms, open }: SearchQuery): RegExp {
  const ways = terms.map((term, index) => {
    const isOpen = open && index === terms.length - 1
    // Folded words hold letters, digits, marks and pictographs: nothing that means something in an expression.
    const before = isCharacterWord(term[0] ?? '') ? '' : `(?<![${sign}])`
    const after = isOpen || isCharacterWord(term.at(-1) ?? '') ? '' : `(?![${sign}])`
    return before + term.join(`[^${sign}]*`) + after
  })
  return new RegExp(ways.join('|'), 'giu')
}

/** Texts shorter than this are folded at once. */
const quickly = 600

/** Where a term of the query stands, in order. */
function* hits(text: string, { terms, open }: SearchQuery, from: number): Generator<Place, undefined> {
  const longest = Math.max(...terms.map((term) => term.length))
  const recent: Word[] = []
  let reported = from
  let last = Number.POSITIVE_INFINITY
  for (const word of words(text, from)) {
    // Behind the window of the first hit nothing is shown: a long text is not folded to its end.
    if (word.start > last) return
    recent.push(word)
    if (recent.length > longest) recent.shift()
    let best: Place | null = null
    for (const [index, term] of terms.entries()) {
      const place = endsHere(recent, term, open && index === terms.length - 1, text)
      if (place && place.start >= reported && (!best || place.start < best.start)) best = place
    }
    if (best) {
      reported = best.end
      last = Math.min(last, best.start + whole)
      yield best
    }
  }
}

/** Whether a term's last word is the newest one read, and all others stand before it. */
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
  // Of the beginning of a word, the beginning is marked: where folding changed no lengths, it is known which part that is.
  const isPart = open && last.folded.length > wanted && last.end - last.start === last.folded.length
  const end = isPart ? grapheme(text, last.start + wanted, 1) : last.end
  return { start: first.start, end }
}

/** A part of the text with at most `whole` characters and a little before `at`. */
function window(text: string, at: number): Place {
  let start = Math.max(0, at - before)
  if (start > 0) {
    const space = text.slice(start, at).search(/\s/u)
    start = space >= 0 ? start + space + 1 : grapheme(text, start, 1)
  }
  let end = Math.min(text.length, start + whole)
  if (end < text.length) {
    const space = text.slice(start, end).search(/\s\S*$/u)
    const cut = space > whole / 2 ? start + space : grapheme(text, end, -1)
    end = cut > at ? cut : end
  }
  return { start, end }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** A grapheme is hardly ever longer; a heap of accents is, and is cut. */
const around = 40

/** The nearest border between graphemes at `at`, or else in the given direction. */
function grapheme(text: string, at: number, direction: 1 | -1): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length))
  const whole = isLow(text, at) ? at - 1 : at
  const low = Math.max(0, at - around)
  const from = isLow(text, low) ? low - 1 : low
  let border = from
  for (const { index, segment } of graphemes.segment(text.slice(from, at + around))) {
    const end = from + index + segment.length
    if (end === at) return at
    if (end < at) {
      border = end
      continue
    }
    // A heap of accents that is longer than what was looked at is cut where it is.
    if (direction === 1) return end < at + around ? end : whole
    return border > from ? border : whole
  }
  return whole
}

const isLow = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00
