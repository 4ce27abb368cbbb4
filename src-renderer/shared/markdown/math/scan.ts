/** A formula as written. */
export interface FoundFormulas {
  tex: string
  /** True for a formula on lines of its own: `$$…$$` and `\[…\]`. */
  display: boolean
  /** With its delimiters. */
  source: string
}

const open = '\ue000'
const close = '\ue001'
const longestInline = 1_500
const longestDisplay = 6_000

/** Splits a text at its placeholders: text and number alternate. */
export const splitPlaces = (text: string): string[] => text.split(/\ue000(\d+)\ue001/)

/** Restores the source of a text. */
export function restored(text: string, formulas: readonly FoundFormulas[]): string {
  return text.includes(open)
    ? text.replace(/\ue000(\d+)\ue001/g, (place, at: string) => formulas[Number(at)]?.source ?? place)
    : text
}

/**
 * Replaces complete formulas in markdown by placeholders before parsing, so that no `_` or `\\` inside them counts as a mark. Code spans
 * are skipped. `restored` gives back formulas that were inside other code. Cost: one pass, and per opening sign at most the longest
 * formula.
 *
 * `$…$` is a formula by the rules of pandoc and GitHub, which leave prices alone: no white space inside either sign, no letter or digit
 * before the first or after the last sign, no blank line between them.
 */
export function takeFormulas(source: string): { text: string; formulas: FoundFormulas[] } {
  const formulas: FoundFormulas[] = []
  if (!/[$\\]/.test(source) || source.includes(open) || source.includes(close)) return { text: source, formulas }
  let text = ''
  let taken = 0
  const ticks = new TickSpans(source)
  const clear: Clear = { until: 0 }
  for (let at = 0; at < source.length; ) {
    const found = formulaAt(source, at, clear)
    if (found) {
      text += `${source.slice(taken, at)}${open}${formulas.length}${close}`
      formulas.push(found)
      at += found.source.length
      taken = at
    } else at = ticks.after(at)
  }
  return { text: text + source.slice(taken), formulas }
}

/** Offsets up to which no sign closes a formula, so that each range is searched once and not per opening sign. */
interface Clear {
  until: number
}

function formulaAt(source: string, at: number, clear: Clear): FoundFormulas | null {
  const char = source.charAt(at)
  if (char === '\\') return slashed(source, at)
  if (char !== '$') return null
  const run = runLength(source, at, '$')
  if (run > 2) return null
  if (run === 1) return dollars(source, at, clear)
  const end = source.indexOf('$$', at + 2)
  return end < 0 ? null : formula(source, at, at + 2, end, end + 2, true)
}

/** Skips text that is no formula: a code span, an escaped character, a run of signs, a character. */
class TickSpans {
  readonly #source: string
  /** Lengths of backtick runs that are never closed. */
  readonly #unclosed = new Set<number>()

  constructor(source: string) {
    this.#source = source
  }

  after(at: number): number {
    const char = this.#source.charAt(at)
    if (char === '\\') return at + 2
    if (char !== '`' && char !== '$') return at + 1
    const run = runLength(this.#source, at, char)
    if (char === '$' || this.#unclosed.has(run)) return at + run
    const end = endOfTicks(this.#source, at + run, run)
    if (end < 0) this.#unclosed.add(run)
    return end < 0 ? at + run : end
  }
}

function dollars(source: string, at: number, clear: Clear): FoundFormulas | null {
  if (isWord(source.charAt(at - 1)) || isSpace(source.charAt(at + 1))) return null
  const last = Math.min(source.length, at + longestInline)
  let end = Math.max(at + 1, clear.until)
  for (; end < last; end++) {
    const char = source.charAt(end)
    if (char === '\\') end++
    else if (char === '\n' && isBlankLine(source, end + 1)) break
    else if (char === '$' && closes(source, end)) {
      return readsAsMoney(source.slice(at + 1, end)) ? null : formula(source, at, at + 1, end, end + 1, false)
    }
  }
  clear.until = Math.max(clear.until, end)
  return null
}

function closes(source: string, at: number): boolean {
  return !isSpace(source.charAt(at - 1)) && !isWord(source.charAt(at + 1))
}

function slashed(source: string, at: number): FoundFormulas | null {
  const sign = source.charAt(at + 1)
  if (sign !== '(' && sign !== '[') return null
  const end = source.indexOf(sign === '(' ? '\\)' : '\\]', at + 2)
  if (end < 0) return null
  if (sign === '(') return formula(source, at, at + 2, end, end + 2, false)
  // Escaped brackets are common in prose. A display formula starts its line or contains something that only TeX has.
  const begins = /(?:^|\n)[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?$/.test(source.slice(Math.max(0, at - 40), at))
  const inside = source.slice(at + 2, end)
  if (source.charAt(end + 2) === '(' || !(begins || /[\\^_={}]/.test(inside))) return null
  return formula(source, at, at + 2, end, end + 2, true)
}

function formula(
  source: string,
  at: number,
  from: number,
  to: number,
  end: number,
  display: boolean,
): FoundFormulas | null {
  const inside = source.slice(from, to)
  if (to - from > (display ? longestDisplay : longestInline) || inside.trim() === '') return null
  if (/\n[ \t>]*\n/.test(inside)) return null
  // Inside a quote, each line of the formula starts with the quote's marker.
  const tex = /(?:^|\n)[ \t]*>/.test(lineBefore(source, at)) ? inside.replace(/\n[ \t]*(?:>[ \t]?)+/g, '\n') : inside
  return { tex: tex.trim(), display, source: source.slice(at, end) }
}

/** `$5, or 6$` and `$1,000 to a friend$`: a number followed by words, without a sign of a formula. */
function readsAsMoney(inside: string): boolean {
  return (
    /^\d[\d.,]*(?:[\s–—;:)-]|$)/.test(inside) &&
    inside.length > 1 &&
    /[a-z]{2}/i.test(inside) &&
    !/[\\^_=+*<>{}|]/.test(inside)
  )
}

function lineBefore(source: string, at: number): string {
  return source.slice(source.lastIndexOf('\n', at - 1) + 1, at)
}

function runLength(source: string, at: number, char: string): number {
  let end = at
  while (source.charAt(end) === char) end++
  return end - at
}

/** The end of a code span that `run` backticks opened, or -1 (CommonMark 6.1: a run of the same length). */
function endOfTicks(source: string, from: number, run: number): number {
  for (let at = source.indexOf('`', from); at >= 0; ) {
    const length = runLength(source, at, '`')
    if (length === run) return at + run
    at = source.indexOf('`', at + length)
  }
  return -1
}

function isBlankLine(source: string, from: number): boolean {
  for (let at = from; at < source.length; at++) {
    const char = source.charAt(at)
    if (char === '\n') return true
    if (char !== ' ' && char !== '\t' && char !== '>' && char !== '\r') return false
  }
  return false
}

const isSpace = (char: string): boolean => char === '' || /\s/.test(char)
const isWord = (char: string): boolean => char !== '' && /[\p{L}\p{N}$]/u.test(char)
