import type { Literal } from 'mdast'
import type { CompileContext, Extension as MdastExtension, Token } from 'mdast-util-from-markdown'
import type { Code, Construct, Effects, Extension, ParseContext, State, TokenizeContext } from 'micromark-util-types'
import { formulasIn, isDisplay, longestDisplay, openFormulaIn, texOf } from '../math/scan.ts'
import { filtered } from './filtered.ts'

export interface FormulaNode extends Literal {
  type: 'formula'
  /** With its delimiters, as written. */
  value: string
  tex: string
  /** Whether it has lines of its own. */
  display: boolean
  /** Whether it ends with the text because its closing sign has not arrived. */
  open: boolean
}
declare module 'mdast' {
  interface PhrasingContentMap {
    formula: FormulaNode
  }
  interface RootContentMap {
    formula: FormulaNode
  }
}
declare module 'micromark-util-types' {
  interface TokenTypeMap {
    formula: 'formula'
    formulaText: 'formulaText'
    lookahead: 'lookahead'
  }
}

const dollar = 36
const asterisk = 42
const backslash = 92
const backtick = 96
const pipe = 124
const openBracket = 91
const closeBracket = 93

const isLineEnd = (code: Code): code is -5 | -4 | -3 => code !== null && code < -2
const isBlank = (code: Code): boolean => code === -2 || code === -1 || code === 32

/** Text ahead of a tokenizer, and the offset of each of its characters in the source. */
interface Ahead {
  text: string
  offsets: number[]
}

/** Reads up to the end of the text run without consuming it: for `effects.check`. */
function readAhead(ahead: Ahead): Construct {
  return {
    partial: true,
    tokenize(effects, ok) {
      effects.enter('lookahead')
      const next: State = (code) => {
        if (code === null) {
          effects.exit('lookahead')
          return ok(code)
        }
        ahead.offsets.push(this.now().offset)
        ahead.text += isLineEnd(code) ? '\n' : code < 0 ? ' ' : String.fromCharCode(code)
        effects.consume(code)
        return next
      }
      return next
    },
  }
}

/** Replaces the character before the text that was read ahead. The beginning of a line is what a formula must know of it, or a letter. */
function before({ previous }: TokenizeContext): string {
  if (previous === null) return ''
  if (isLineEnd(previous)) return '\n'
  return isBlank(previous) || previous === backslash || previous === backtick ? '.' : String.fromCharCode(previous)
}

/** Lengths of the formulas of a text run, by their offset in the source. Each run is read once. */
const known = new WeakMap<TokenizeContext, ReadonlyMap<number, number>>()
/** Offset of the formula of a text run that is not closed. */
const openAt = new WeakMap<TokenizeContext, number>()

/** A formula in a text run. @param end see `formulaSyntax` */
const inText = (end: number): Construct => ({
  name: 'formula',
  tokenize(effects, ok, nok) {
    const take: State = (code) => {
      const { offset } = this.now()
      let left = known.get(this)?.get(offset) ?? 0
      if (left === 0) return nok(code)
      effects.enter('formula')._open = openAt.get(this) === offset
      const consume = inPieces(effects)
      const inside: State = (next) => {
        if (left === 0) {
          consume('end')
          effects.exit('formula')
          return ok(next)
        }
        left--
        consume(next)
        return inside
      }
      return inside(code)
    }
    if (known.has(this)) return take
    const text = before(this)
    const ahead: Ahead = { text, offsets: text === '' ? [] : [-1] }
    return effects.check(
      readAhead(ahead),
      (code) => {
        const lengths = new Map(
          formulasIn(ahead.text).map((one) => [ahead.offsets[one.start] ?? -1, one.end - one.start]),
        )
        const open = reaches(ahead, end) ? openFormulaIn(ahead.text) : -1
        if (open >= 0) {
          const offset = ahead.offsets[open] ?? -1
          openAt.set(this, offset)
          lengths.set(offset, ahead.text.length - open)
        }
        known.set(this, lengths)
        return take(code)
      },
      nok,
    )
  },
})

/** Whether the text ahead contains the end of a growing text. */
const reaches = ({ offsets }: Ahead, end: number): boolean => (offsets.at(-1) ?? -1) + 1 >= end

/** Consumes the text of a formula. A line ending is a token of its own, because the next line may start with the mark of a quote. */
function inPieces(effects: Effects): (code: Code | 'end') => void {
  let isOpen = false
  return (code) => {
    const isText = code !== 'end' && !isLineEnd(code)
    if (isOpen !== isText) {
      if (isText) effects.enter('formulaText')
      else effects.exit('formulaText')
      isOpen = isText
    }
    if (code === 'end') return
    if (!isText) effects.enter('lineEnding')
    effects.consume(code)
    if (!isText) effects.exit('lineEnding')
  }
}

/** Per document, the offset up to which no sign closes a formula, so that each range is searched once: by the opening sign. */
const unclosed = new WeakMap<ParseContext, Map<Code, number>>()

/**
 * A formula on lines of its own: `$$` or `\[` starts a line and the closing sign ends one, with no blank line and no code between. Like
 * fenced code, it may end a paragraph, and nothing in it starts a list, a quote or a heading.
 * @param end see `formulaSyntax`
 */
const onLines = (end: number): Construct => ({
  name: 'formulaOnLines',
  concrete: true,
  tokenize(effects, ok, nok) {
    const failed = unclosed.get(this.parser) ?? new Map<Code, number>()
    unclosed.set(this.parser, failed)
    const consume = inPieces(effects)
    let sign: Code = null
    let length = 0
    let isLineBlank = false
    let isEmpty = true
    let token: Token | undefined

    const fail: State = (code) => {
      failed.set(sign, Math.max(failed.get(sign) ?? 0, this.now().offset))
      return nok(code)
    }
    const isEnd = (code: Code): boolean => (code === null || isLineEnd(code)) && this.now().offset >= end
    /** At the end of a growing text. */
    const unfinished: State = (code) => {
      const text = token ? this.sliceSerialize({ start: token.start, end: this.now() }) : ''
      if (openFormulaIn(text) !== 0) return fail(code)
      consume('end')
      effects.exit('formula')._open = true
      return ok(code)
    }
    const inside: State = (code) => {
      if (isEnd(code)) return unfinished(code)
      if (code === null || code === backtick || ++length > longestDisplay) return fail(code)
      if (isLineEnd(code)) return lineEnd(code)
      const isSign = code === sign
      if (!isBlank(code) && !isSign) isLineBlank = isEmpty = false
      consume(code)
      if (isSign) return afterSign
      return code === backslash ? escaped : inside
    }
    const lineEnd: State = (code) => {
      if (isLineBlank) return fail(code)
      isLineBlank = true
      consume(code)
      return lineStart
    }
    const lineStart: State = (code) => (this.parser.lazy[this.now().line] ? fail(code) : inside(code))
    const escaped: State = (code) => {
      if (code === null || isLineEnd(code)) return inside(code)
      consume(code)
      return inside
    }
    /** After the first character of a closing sign. */
    const afterSign: State = (code) => {
      if (code === (sign === dollar ? dollar : closeBracket)) {
        if (isEmpty) return fail(code)
        consume(code)
        consume('end')
        effects.exit('formula')
        return rest
      }
      isLineBlank = isEmpty = false
      return sign === backslash ? escaped(code) : inside(code)
    }
    /** Only white space follows. */
    const rest: State = (code) => {
      if (code === null || isLineEnd(code)) return ok(code)
      if (!isBlank(code)) return nok(code)
      effects.enter('whitespace')
      const blank: State = (next) => {
        if (isBlank(next)) {
          effects.consume(next)
          return blank
        }
        effects.exit('whitespace')
        return rest(next)
      }
      return blank(code)
    }
    return (code) => {
      if (this.now().offset < (failed.get(code) ?? 0)) return nok(code)
      token = effects.enter('formula')
      consume(code)
      return (second) => {
        if (second !== (code === dollar ? dollar : openBracket)) return nok(second)
        consume(second)
        sign = code
        return (third) => (third === dollar && sign === dollar ? nok(third) : inside(third))
      }
    }
  },
})

/** Pipes inside the formulas of a table row, by their offset. Also those of a formula that is not closed yet. */
function pipesIn(ahead: Ahead, end: number): ReadonlySet<number> {
  const { text, offsets } = ahead
  const found = new Set<number>()
  const open = reaches(ahead, end) ? openFormulaIn(text) : -1
  for (let at = open; open >= 0 && at < text.length; at++) if (text.charAt(at) === '|') found.add(offsets[at] ?? -1)
  for (const { start, end } of formulasIn(text)) {
    const pipes: number[] = []
    for (let at = start; at < end; at++) if (text.charAt(at) === '|' && text.charAt(at - 1) !== '\\') pipes.push(at)
    // A single one ends a cell: `|$|$|`.
    if (pipes.length % 2 === 0) for (const at of pipes) found.add(offsets[at] ?? -1)
  }
  return found
}

/** A table whose cells may contain formulas with a pair of pipes, as in `$|x|$`. */
export const tableWithFormulas = (table: Construct, end: number): Construct => {
  const rows = new WeakMap<ParseContext, { line: number; pipes: ReadonlySet<number> }>()
  return filtered(table, function see(code) {
    const { line, offset } = this.now()
    let row = rows.get(this.parser)
    if (row?.line !== line) {
      row = { line, pipes: pipesIn(restOfLine(this), end) }
      rows.set(this.parser, row)
    }
    return code === pipe && row.pipes.has(offset) ? asterisk : code
  })
}

/** The line ahead. Blocks get their text line by line, so all of it has arrived. */
function restOfLine(context: TokenizeContext): Ahead {
  const start = context.now()
  const ahead: Ahead = { text: '', offsets: [] }
  let { offset } = start
  for (const chunk of context.sliceStream({
    start,
    end: { ...start, _index: Number.POSITIVE_INFINITY, _bufferIndex: 0 },
  })) {
    if (chunk === null || (typeof chunk === 'number' && isLineEnd(chunk))) break
    const text = typeof chunk === 'string' ? chunk : ' '
    for (let at = 0; at < text.length; at++) ahead.offsets.push(offset + at)
    ahead.text += text
    // The further columns of a tab have no characters.
    if (chunk !== -1) offset += text.length
  }
  return ahead
}

/** @param end offset of the end of a text that still grows, where a formula may end without its closing sign. Infinity: it does not grow. */
export function formulaSyntax(end: number): Extension {
  const [text, flow] = [inText(end), onLines(end)]
  return { text: { [dollar]: text, [backslash]: text }, flow: { [dollar]: flow, [backslash]: flow } }
}

export const formulaNodes: MdastExtension = {
  enter: {
    formula(token) {
      this.enter({ type: 'formula', value: '', tex: '', display: false, open: token._open === true }, token)
      this.buffer()
    },
    formulaText: data,
  },
  exit: {
    formula(token) {
      const value = this.resume()
      const node = this.stack.at(-1)
      if (node?.type !== 'formula') throw new Error('A formula ends that did not start.')
      Object.assign(node, { value, tex: texOf(value), display: isDisplay(value) })
      this.exit(token)
    },
  },
}

function data(this: CompileContext, token: Token): void {
  this.config.enter.data?.call(this, token)
  this.config.exit.data?.call(this, token)
}
