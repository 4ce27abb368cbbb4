import { createHighlighterCore, type HighlighterCore, type LanguageInput } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import { type IGrammar, INITIAL, type StateStack } from 'shiki/textmate'
import { grammars } from './grammars.ts'
import { kindOf, theme } from './theme.ts'

/** Pairs of end (UTF-16 units from the line's start) and kind. Uncovered text has no kind. */
export type LineMarks = Uint16Array

/** One piece of a block. `text` is all of its text so far. A piece may be requested again with more text. */
export interface PaintQuestion {
  block: number
  /** '' releases the state of the block. */
  language: string
  at: number
  text: string
  /** Whether the piece continues a line of the previous piece. Such a line is so long that it stays plain. */
  inLine: boolean
  /** False: only the end state is needed, to colour later pieces. */
  wanted: boolean
}
/** Marks of the piece's lines from line `from` on. Earlier lines are unchanged. Null: this language cannot be coloured. */
export type PaintAnswer = { from: number; lines: LineMarks[] } | null

/** Longer lines stay plain: the cost of a grammar grows with the line, for some grammars with its square. */
export const longestLine = 2_000
const maxMarks = 400
/** Limit per line, ms (nested languages compile further patterns). A slower grammar leaves the rest plain. */
const lineLimit = 1_500

interface Painted {
  at: number
  lines: string[]
  /** The state before each line, and after the last one. */
  states: StateStack[]
}
interface Block {
  grammar: IGrammar
  /** The known start states of the pieces. */
  states: StateStack[]
  last: Painted | null
}

export class Painter {
  #highlighter: Promise<HighlighterCore> | null = null
  #kinds: number[] = []
  readonly #blocks = new Map<number, Block>()

  async answer(question: PaintQuestion): Promise<PaintAnswer> {
    if (question.language === '') {
      this.#blocks.delete(question.block)
      return null
    }
    const block = this.#blocks.get(question.block) ?? (await this.#begin(question))
    return block ? this.#paint(block, question) : null
  }

  async #begin({ block: id, language }: PaintQuestion): Promise<Block | null> {
    const load = grammars.get(language)
    if (!load) return null
    this.#highlighter ??= createHighlighterCore({
      themes: [theme],
      langs: [],
      // Patterns in plain JavaScript, because the page's policy allows no WebAssembly. A pattern that cannot be translated matches nothing.
      engine: createJavaScriptRegexEngine({ forgiving: true }),
      warnings: false,
    })
    const highlighter = await this.#highlighter
    const grammar: LanguageInput = (await load()).default
    await highlighter.loadLanguage(grammar)
    this.#kinds = highlighter.setTheme(theme.name ?? '').colorMap.map(kindOf)
    const block = { grammar: highlighter.getLanguage(language), states: [INITIAL], last: null }
    // The first line compiles the grammar's patterns. This harmless line keeps that cost out of the time limit of a reply's line.
    block.grammar.tokenizeLine2(' ', INITIAL, 0)
    this.#blocks.set(id, block)
    return block
  }

  #paint(block: Block, { at, text, inLine, wanted }: PaintQuestion): PaintAnswer {
    const start = block.states[at]
    if (!start) return null
    const lines = linesOf(text)
    const before = block.last?.at === at ? block.last : null
    const from = before ? commonLines(before.lines, lines) : 0
    const states = before ? before.states.slice(0, from + 1) : [start]
    const marks: LineMarks[] = []
    let state = states.at(-1) ?? start
    for (let n = from; n < lines.length; n++) {
      const line = lines[n] ?? ''
      if (line.length <= longestLine && !(n === 0 && inLine)) {
        const painted = block.grammar.tokenizeLine2(line, state, lineLimit)
        state = painted.ruleStack
        marks.push(wanted ? this.#marks(painted.tokens) : none)
      } else marks.push(none)
      states.push(state)
    }
    block.states[at + 1] = state
    block.last = wanted ? { at, lines, states } : null
    return { from, lines: wanted ? marks : [] }
  }

  /** `tokens`: pairs of start and metadata, whose bits 15 to 23 are the colour's number (vscode-textmate). */
  #marks(tokens: Uint32Array): LineMarks {
    const pairs: number[] = []
    let kind = 0
    for (let at = 0; at < tokens.length && pairs.length < maxMarks * 2; at += 2) {
      const next = this.#kinds[((tokens[at + 1] ?? 0) >>> 15) & 0x1ff] ?? 0
      const start = tokens[at] ?? 0
      if (next === kind) continue
      if (start > 0) pairs.push(start, kind)
      kind = next
    }
    if (kind !== 0 && pairs.length < maxMarks * 2) pairs.push(0xff_ff, kind)
    return pairs.length === 0 ? none : Uint16Array.from(pairs)
  }
}

const none: LineMarks = new Uint16Array()

/** The lines of a text. A final newline starts no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function commonLines(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length)
  for (let n = 0; n < most; n++) if (a[n] !== b[n]) return n
  return most
}
