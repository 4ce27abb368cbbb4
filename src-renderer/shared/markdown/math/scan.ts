/** A formula in the text of one paragraph, heading or cell. Offsets are UTF-16 units. */
export interface FormulaRange {
  start: number
  /** Offset after the closing sign. */
  end: number
}

const longestInline = 1_500
/** Longest formula on lines of its own, characters. */
export const longestDisplay = 6_000

/**
 * The formulas of a text run: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`. Code spans bind tighter, so no formula contains or cuts one (as
 * CommonMark 6.1 has it for links and emphasis). Linear, apart from at most `longestInline` characters per opening `$`.
 *
 * `$…$` is a formula by the rules of pandoc and GitHub, which leave prices and shell variables alone: no white space inside either sign,
 * no letter or digit before the first or after the last sign (a CJK letter may be there, because these scripts have no spaces), no
 * blank line between them. Text that reads as a price or as prose is none either.
 */
export function formulasIn(text: string): FormulaRange[] {
  const search = new Search(text)
  const found: FormulaRange[] = []
  for (let at = 0; at < text.length; ) {
    const end = search.endOfFormula(at)
    if (end > 0) {
      found.push({ start: at, end })
      at = end
    } else at = search.next(at)
  }
  return found
}

/**
 * Offset of the first formula that has begun in a text run that still grows, or -1. A sign that may be a price, a variable or a bracket
 * counts until the text after it reads as prose, so that a sign of a formula is never drawn.
 */
export function openFormulaIn(text: string): number {
  const search = new Search(text)
  for (let at = 0; at < text.length; ) {
    const end = search.endOfFormula(at)
    // A letter or digit may follow, after which it is none: `$10-$20`.
    if (end === text.length && !texSigns.test(text.slice(at, end))) return at
    if (end === 0 && search.mayBegin(at)) return at
    at = end > 0 ? end : search.next(at)
  }
  return -1
}

/** Whether all of a text is one formula. */
export const isFormula = (source: string): boolean => formulasIn(source)[0]?.end === source.length

/** The TeX of a formula as written, with its delimiters. */
export const texOf = (source: string): string => source.slice(delimiter(source), -delimiter(source)).trim()

/** What reads as a formula even without its closing sign, unlike a price (`$5`) and a variable (`$HOME`, `$user_name`). */
const formulaLike = /[\\^]|^\$\$|^\$[a-z](?:_\w|\W|$)|^\$[^a-z]*=/i

/** The text of a formula that never ends, without its opening sign: `$a^2 + b` is `a^2 + b`. */
export const textOfOpen = (source: string): string =>
  formulaLike.test(source) ? source.slice(delimiter(source)).trim() : source

/** Whether a formula, as written, has lines of its own. */
export const isDisplay = (source: string): boolean => /^(?:\$\$|\\\[)/.test(source)

const delimiter = (source: string): number => (/^(?:\$\$|\\)/.test(source) ? 2 : 1)

class Search {
  readonly #text: string
  readonly #codeSpans: readonly FormulaRange[]
  #span = 0
  /** Offset up to which no `$` closes a formula, so that each range is searched once and not per opening sign. */
  #clear = 0
  /** The next closing sign of two characters after some offset, or Infinity. */
  readonly #closers = new Map<string, number>()

  constructor(text: string) {
    this.#text = text
    this.#codeSpans = codeSpansIn(text)
  }

  /** The offset after what starts at `at` when it is no formula: a code span, an escaped character, a run of signs, a character. */
  next(at: number): number {
    const char = this.#text.charAt(at)
    const span = this.#spanAfter(at)
    if (span?.start === at) return span.end
    if (char === '\\') return at + 2
    return char === '$' ? at + runLength(this.#text, at) : at + 1
  }

  /** The offset after the formula that starts at `at`. 0: none does. */
  endOfFormula(at: number): number {
    const char = this.#text.charAt(at)
    if (char !== '$' && char !== '\\') return 0
    const limit = this.#spanAfter(at)?.start ?? this.#text.length
    if (limit <= at) return 0
    if (char === '\\') return this.#slashed(at, limit)
    const run = runLength(this.#text, at)
    if (run === 1) return this.#dollar(at, limit)
    return run === 2 ? this.#dollars(at, limit) : 0
  }

  /** Whether what starts at `at`, which is no formula, may become one when the text grows. */
  mayBegin(at: number): boolean {
    const text = this.#text
    const char = text.charAt(at)
    if ((char !== '$' && char !== '\\') || this.#spanAfter(at)) return false
    if (char === '\\') return at + 1 === text.length || this.#mayBeSlashed(at)
    const run = runLength(text, at)
    if (run > 2 || (run === 1 && isWord(text, at - 1))) return false
    return at + run === text.length || (run === 1 ? this.#mayBeDollar(at + 1) : this.#mayBeDollars(at + 2))
  }

  #mayBeDollar(from: number): boolean {
    const inside = this.#text.slice(from)
    // A further `$` has closed nothing.
    if (isSpace(inside.charAt(0)) || inside.length > longestInline || /(?<!\\)(?:\\\\)*\$/.test(inside)) return false
    // In a table, the cell of a price.
    return !beginsAsProse(inside) && !hasSentence(inside) && !/^\d[\d.,]*\s*\|/.test(inside)
  }

  #mayBeDollars(from: number): boolean {
    const inside = this.#text.slice(from)
    if (this.#isClosed('$$', from) || inside.length > longestDisplay || hasSentence(inside)) return false
    return /^\s*\n/.test(inside) || !beginsAsProse(inside)
  }

  #mayBeSlashed(at: number): boolean {
    const sign = this.#text.charAt(at + 1)
    if ((sign !== '(' && sign !== '[') || this.#isClosed(sign === '(' ? '\\)' : '\\]', at + 2)) return false
    const inside = this.#text.slice(at + 2)
    return inside.length <= (sign === '(' ? longestInline : longestDisplay) && !hasSentence(inside)
  }

  #isClosed(sign: string, from: number): boolean {
    return this.#closer(sign, from) < this.#text.length
  }

  #spanAfter(at: number): FormulaRange | undefined {
    while ((this.#codeSpans[this.#span]?.end ?? Number.POSITIVE_INFINITY) <= at) this.#span++
    return this.#codeSpans[this.#span]
  }

  #dollar(at: number, limit: number): number {
    const text = this.#text
    if (isWord(text, at - 1) || isSpace(text.charAt(at + 1))) return 0
    const last = Math.min(limit, at + longestInline)
    let end = Math.max(at + 1, this.#clear)
    for (; end < last; end++) {
      const char = text.charAt(end)
      if (char === '\\') end++
      else if (char === '$') {
        // A formula contains no `$`, so that a price does not reach to the next formula (as in pandoc).
        if (isSpace(text.charAt(end - 1)) || isWord(text, end + 1)) return 0
        return readsAsProse(text.slice(at + 1, end)) ? 0 : end + 1
      }
    }
    this.#clear = Math.max(this.#clear, end)
    return 0
  }

  #dollars(at: number, limit: number): number {
    const end = this.#closer('$$', at + 2)
    if (end >= limit || !this.#isFilled(at + 2, end, longestDisplay)) return 0
    const inside = this.#text.slice(at + 2, end)
    // `$$` is the number of the process in a shell.
    return readsAsProse(inside) || (/^\s.*\s$/.test(inside) && !texSigns.test(inside)) ? 0 : end + 2
  }

  #slashed(at: number, limit: number): number {
    const text = this.#text
    const sign = text.charAt(at + 1)
    if (sign !== '(' && sign !== '[') return 0
    const end = this.#closer(sign === '(' ? '\\)' : '\\]', at + 2)
    if (end >= limit || !this.#isFilled(at + 2, end, sign === '(' ? longestInline : longestDisplay)) return 0
    if (sign === '(') return end + 2
    // Escaped brackets are common in prose. A display formula starts its line or contains something that only TeX has.
    const begins = /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 40), at))
    return text.charAt(end + 2) !== '(' && (begins || texSigns.test(text.slice(at + 2, end))) ? end + 2 : 0
  }

  /** Offset of the next `sign`. Each is searched once. */
  #closer(sign: string, from: number): number {
    const known = this.#closers.get(sign)
    if (known !== undefined && known >= from) return known
    const found = this.#text.indexOf(sign, from)
    const at = found < 0 ? Number.POSITIVE_INFINITY : found
    this.#closers.set(sign, at)
    return at
  }

  #isFilled(from: number, to: number, most: number): boolean {
    return to - from <= most && this.#text.slice(from, to).trim() !== ''
  }
}

/** Code spans (CommonMark 6.1): a run of backticks up to the next run of the same length. */
function codeSpansIn(text: string): FormulaRange[] {
  const found: FormulaRange[] = []
  /** Lengths of backtick runs that are never closed. */
  const unclosed = new Set<number>()
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at)
    if (char === '\\') at += 2
    else if (char !== '`') at++
    else {
      const run = runLength(text, at)
      const end = unclosed.has(run) ? -1 : endOfTicks(text, at + run, run)
      if (end < 0) unclosed.add(run)
      else found.push({ start: at, end })
      at = end < 0 ? at + run : end
    }
  }
  return found
}

/** Signs that prose rarely has. */
const texSigns = /[\\^_={}]/
const prose = /[a-z]{2}[,.;:]?\s+[a-z]{2}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/iu
/** Prose, or a number and words, before any sign of a formula. Stays so, whatever follows. */
const proseFirst = new RegExp(
  `^(?:[^\\\\^_={}]*(?:${prose.source})|\\d[\\d.,]*[\\s–—;:)-][^\\\\^_={}+*<>|]*[a-z]{2})`,
  'iu',
)
const beginsAsProse = (inside: string): boolean => proseFirst.test(inside)

/** `$5, or 6$`, `$1,000 to a friend$` and `$HOME, not the '$`: words, or a number followed by words, without a sign of a formula. */
function readsAsProse(inside: string): boolean {
  if (texSigns.test(inside)) return false
  if (prose.test(inside)) return true
  return (
    /^\d[\d.,]*(?:[\s–—;:)-]|$)/.test(inside) &&
    inside.length > 1 &&
    /[a-z]{2}/i.test(inside) &&
    !/[+*<>|]/.test(inside)
  )
}

/** Three words in a row, which TeX has only in the braces of a command: `\text{if it is so}`. */
const hasSentence = (inside: string): boolean =>
  /(?:\b[a-z]{2,}[,.;:]?\s+){2}[a-z]{2}|\p{sc=Han}{4}|[\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]{4}/iu.test(
    inside.replace(/\\[a-z]+\s*(?:\{[^{}]*\}?)?/gi, ' '),
  )

function runLength(text: string, at: number): number {
  const char = text.charAt(at)
  let end = at
  while (text.charAt(end) === char) end++
  return end - at
}

/** The end of a code span that `run` backticks opened, or -1. */
function endOfTicks(text: string, from: number, run: number): number {
  for (let at = text.indexOf('`', from); at >= 0; ) {
    const length = runLength(text, at)
    if (length === run) return at + run
    at = text.indexOf('`', at + length)
  }
  return -1
}

const isSpace = (char: string): boolean => char === '' || /\s/.test(char)
const wordChar = /[\p{L}\p{N}$]/u
const cjkLetter = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Hang}]/u
const isWord = (text: string, at: number): boolean => {
  const char = text.charAt(at)
  return wordChar.test(char) && !cjkLetter.test(char)
}
