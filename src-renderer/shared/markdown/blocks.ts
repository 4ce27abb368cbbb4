import { cutPoint } from './cut.ts'
import {
  closesFence,
  headLength,
  isDelimiterRow,
  isRule,
  isUnderline,
  type LineStart,
  normalLabel,
  readLine,
} from './lines.ts'

/** Markdown that is parsed separately. */
export interface FlowBlock {
  kind: 'flow'
  source: string
  /** True when this block continues a paragraph that was too long. Its first line then starts no block. */
  continues: boolean
  /** Definitions from other blocks that this block refers to, as markdown. */
  definitions: string
  /** True when this block continues the table before it. Its source then repeats the header. */
  carries: boolean
  /** Whether the block may still grow. */
  open: boolean
  /** Whether the text ends within the block, because the reply was stopped. */
  isCut?: boolean
}
/** Plain text in pieces of limited size. Only the last piece grows. */
export interface TextBlock {
  kind: 'code' | 'plain'
  language: string
  pieces: readonly string[]
  open: boolean
}
export type Block = FlowBlock | TextBlock

/**
 * Number of characters after which a block is split at the next suitable place. Limits the work per frame, because only the unfinished
 * piece is parsed and laid out again.
 */
export const softLimit = 4_000
/** Characters after which a block without a good place to split continues as plain text. */
export const hardLimit = 12_000
/** The same limits in lines: the parser's work grows with the square of the lines of a list or quote. */
const softLines = 120
const hardLines = 400
/**
 * Parts of a text that the page draws with elements of their own: signs of formulas, and characters that turn text. Each counts as this many
 * characters more, so that a block of them takes no longer to draw than a block of prose.
 */
const dearPart = /\$+|\\[()[\]]|[\u202a\u202b\u202d\u202e]/g
const dearChars = 12
/** What one block more costs to parse and draw, however short it is. */
const oneBlock = 100
/** A line of code in a list item costs the parser less than other lines. */
const codeLine = 1 / 3
/** Maximum length of the definitions from other blocks that a block gets. Further references stay text. */
const maxDefinitions = 12_000
/** The soft limit of tables, because parsing their rows costs several times as much as prose. */
const tableLimit = 1_000
const tableLines = 24
const pieceLines = 80
/** Blocks are drawn in sections, so that a frame checks only the newest section. */
const sectionBlocks = 200
const sectionChars = 8_000
/** Up to this size, a table stays in one section. */
const tableSectionChars = 24_000
/** Blocks that get their late definitions in one `update` with a limit, characters. They are parsed and drawn again. */
const refreshedChars = 16_000

type Shape = 'paragraph' | 'list' | 'table' | 'quote' | 'indented' | 'note'
interface Flow {
  kind: 'flow'
  shape: Shape
  start: number
  end: number
  /** Its characters, as `weightOf` counts them. */
  weight: number
  lines: number
  afterBlank: boolean
  /** Content column of the newest top-level list item. */
  content: number
  prefix: string
  continues: boolean
  /** True while all lines are plain paragraph text, without a list, quote or definition. Only then does an underline make a heading. */
  pure: boolean
  /** The code fence of a list item or note that is open. */
  fence: { char: string; length: number } | null
  /** True while all lines are definitions. Such a block may end before any of them. */
  defines: boolean
}
interface Text {
  kind: 'code' | 'plain'
  language: string
  fence: { char: string; length: number; indent: number } | null
  pieces: string[]
  piece: string
  lines: number
  afterBlank: boolean
}

interface Done {
  block: Block
  weight: number
  /** Normalized labels in brackets in the source. */
  refs: ReadonlySet<string> | null
}

/**
 * Splits a growing markdown text into blocks. Each `update` reads only the new text and the unfinished line, and finished blocks keep their
 * identity. The result depends on the text only, not on how it arrived. The work is linear in the text, whatever it contains.
 */
export class BlockSplitter {
  #text = ''
  /** Offset of the first character that is not processed yet. */
  #at = 0
  /** Whether the processed text ends inside a line. */
  #midLine = false
  #open: Flow | Text | null = null
  #done: Done[] = []
  #sections: Block[][] = []
  /** Index of the first block of each section. */
  #sectionStarts: number[] = []
  #sectionStart = 0
  #definitions = new Map<string, string>()
  /** Indexes of the finished blocks that refer to a label without a definition. */
  #waiting = new Map<string, number[]>()
  /** Indexes of finished blocks whose definitions arrived after them. */
  #outdated = new Set<number>()
  /** Header and delimiter row that the next block repeats. */
  #cutTable = ''

  /**
   * The sections of `text`, each a list of blocks. All except the last keep their identity while the text grows, unless a later definition
   * changes a block.
   * @param maxChars limit of new text to read. Call again while `isBehind`.
   * @param isEnded whether the text no longer grows, so that its last block is complete. See `ended`.
   * @param isCut whether the text has ended early, so that its last block may be half
   */
  update(
    text: string,
    maxChars = Number.POSITIVE_INFINITY,
    isEnded = false,
    isCut = false,
  ): readonly (readonly Block[])[] {
    if (text !== this.#text && !text.startsWith(this.#text)) this.#reset()
    this.#text = text
    const last = this.#at + maxChars
    while (this.#at < last && this.#takeNext());
    this.isBehind = this.#at >= last
    this.#refresh(maxChars === Number.POSITIVE_INFINITY ? maxChars : refreshedChars)
    return this.#view(isEnded && !this.isBehind, isCut)
  }

  /** Whether the last `update` reached its limit. Its result then is that of a part of the text. */
  isBehind = false

  /** Processes the next line or part of a long line. False when the rest may still grow. */
  #takeNext(): boolean {
    // Within the limit, so that a text of one line is not read to its end for each part.
    const ahead = this.#text.slice(this.#at, this.#at + softLimit)
    const newline = ahead.indexOf('\n')
    const line = newline < 0 ? ahead : ahead.slice(0, newline + 1)
    const part = lightStart(line)
    if (newline >= 0 && part === line) this.#take(this.#at, this.#at + line.length, true)
    // A part of a line that is longer. The split depends on the text only, not on how it arrived.
    else if (this.#text.length - this.#at > part.length) this.#take(this.#at, this.#at + cutPoint(part), false)
    else return false
    return true
  }

  #reset(): void {
    this.#at = 0
    this.#midLine = false
    this.#open = null
    this.#done = []
    this.#sections = []
    this.#sectionStarts = []
    this.#sectionStart = 0
    this.#cutTable = ''
    this.#definitions.clear()
    this.#waiting.clear()
    this.#outdated.clear()
  }

  #take(from: number, to: number, ended: boolean): void {
    this.#at = to
    const inside = this.#midLine
    this.#midLine = !ended
    const head = this.#text.slice(from, Math.min(to, from + headLength)).replace(/\r?\n$/, '')
    if (this.#open && this.#open.kind !== 'flow') this.#takeText(this.#open, head, from, to, inside)
    else if (inside && this.#open) this.#grow(this.#open, to, false)
    else this.#takeFlow(readLine(head), head, from, to)
  }

  #takeFlow(line: LineStart, head: string, from: number, to: number): void {
    const open = this.#open as Flow | null
    if (open && !line.blank && this.#endsBefore(open, line)) {
      // The next piece of a split table starts with the header again.
      const cut = open.shape === 'table' && !open.afterBlank && !line.fence
      this.#close(cut)
      this.#cutTable = cut ? open.prefix : ''
    }
    if (line.blank) {
      if (this.#open) this.#grow(this.#open as Flow, to, true)
      return
    }
    if (this.#open === null && line.fence) {
      this.#open = {
        kind: 'code',
        language: line.fence.info,
        fence: { char: line.fence.char, length: line.fence.length, indent: line.indent },
        pieces: [],
        piece: '',
        lines: 0,
        afterBlank: false,
      }
      return
    }
    if (line.definition !== null) this.#define(line.definition, head)
    else if (open) open.defines = false
    if (this.#open === null) this.#open = this.#begin(line, from)
    const flow = this.#open as Flow
    if (flow.shape === 'paragraph' && flow.lines === 1 && isDelimiterRow(head)) {
      flow.shape = 'table'
      flow.prefix = this.#text.slice(flow.start, to).replace(/\n?$/, '\n')
    }
    if (line.item > 0) flow.content = line.item
    flow.fence = fenceAfter(flow, head)
    const underlined = this.#isUnderlined(flow, line, head)
    this.#grow(flow, to, false)
    if ((line.heading || underlined) && flow.shape === 'paragraph') this.#close()
  }

  /** Whether an underlined heading ends here (CommonMark 4.3). The parser's cost is quadratic in the number of headings per block. */
  #isUnderlined(flow: Flow, line: LineStart, head: string): boolean {
    if (this.#midLine) return false
    if (flow.pure && flow.lines > 0 && isUnderline(head)) return true
    if (line.item > 0 || line.quote || line.definition !== null || isRule(head)) flow.pure = false
    return false
  }

  /** Whether `line`, not blank, cannot belong to the open block. A wrong "no" only makes a block bigger. */
  #endsBefore(open: Flow, line: LineStart): boolean {
    const container = open.shape === 'list' || open.shape === 'note'
    if (line.fence) return !(container && line.indent >= Math.max(open.content, 1))
    if (this.#isLong(open) && this.#mayCut(open, line)) return true
    if (!open.afterBlank) return line.heading && !container && open.shape !== 'quote'
    if (open.shape === 'list') return line.item === 0 && line.indent < 2
    if (open.shape === 'note') return line.indent < 2
    if (open.shape === 'indented') return line.indent < 4
    return true
  }

  #isLong(open: Flow): boolean {
    if (open.shape === 'table') return open.weight > tableLimit || open.lines > tableLines
    return open.weight > softLimit || open.lines > softLines
  }

  #mayCut(open: Flow, line: LineStart): boolean {
    if (open.shape === 'list') return line.item > 0 && line.indent < 2
    if (open.shape === 'paragraph') return open.defines && line.definition !== null
    return open.shape === 'table' || (open.shape === 'quote' && line.quote)
  }

  #begin(line: LineStart, from: number): Flow {
    let shape: Shape = 'paragraph'
    if (line.indent >= 4) shape = 'indented'
    else if (line.item > 0) shape = 'list'
    else if (line.quote) shape = 'quote'
    else if (line.definition?.startsWith('^')) shape = 'note'
    const prefix = this.#cutTable
    this.#cutTable = ''
    return {
      kind: 'flow',
      shape: prefix === '' ? shape : 'table',
      start: from,
      end: from,
      weight: 0,
      lines: 0,
      afterBlank: false,
      content: line.item,
      prefix,
      continues: false,
      pure: true,
      fence: null,
      defines: shape === 'paragraph' && line.definition !== null,
    }
  }

  #grow(flow: Flow, to: number, blank: boolean): void {
    flow.weight += weightOf(this.#text.slice(flow.end, to))
    flow.end = to
    flow.lines += flow.fence ? codeLine : 1
    flow.afterBlank = blank
    if (flow.shape === 'paragraph') {
      if ((flow.weight > softLimit || flow.lines > hardLines) && !blank) this.#cutParagraph(flow)
      // The next part of a long line adds up to `softLimit`.
    } else if (flow.weight > hardLimit - (this.#midLine ? softLimit : 0) || flow.lines > hardLines)
      this.#goOnAsPlain(flow)
  }

  #cutParagraph(flow: Flow): void {
    const source = this.#text.slice(flow.start, flow.end)
    const at = flow.start + cutPoint(lightStart(source))
    this.#push(this.#flowBlock({ ...flow, end: at }, false))
    const weight = weightOf(this.#text.slice(at, flow.end))
    this.#open = { ...flow, start: at, weight, continues: true, lines: 2 }
  }

  #goOnAsPlain(flow: Flow): void {
    this.#close()
    this.#open = {
      kind: 'plain',
      language: '',
      fence: null,
      pieces: [],
      piece: '',
      lines: 0,
      afterBlank: flow.afterBlank,
    }
  }

  #takeText(open: Text, head: string, from: number, to: number, inside: boolean): void {
    if (!inside && open.fence && closesFence(head, open.fence.char, open.fence.length)) {
      this.#close()
      return
    }
    if (!inside && open.kind === 'plain') {
      const line = readLine(head)
      if (open.afterBlank && !line.blank && line.indent < 2) {
        this.#close()
        this.#takeFlow(line, head, from, to)
        return
      }
      open.afterBlank = line.blank
    }
    appendText(open, this.#text.slice(from, to), inside)
  }

  #close(goesOn = false): void {
    const open = this.#open
    this.#open = null
    if (!open) return
    this.#push(open.kind === 'flow' ? this.#flowBlock(open, false) : textBlock(open, false), goesOn)
  }

  #flowBlock(flow: Flow, open: boolean): FlowBlock {
    const own = this.#text.slice(flow.start, flow.end)
    const repeats = flow.shape === 'table' && flow.prefix !== '' && !own.startsWith(flow.prefix)
    const source = repeats ? flow.prefix + own : own
    const definitions = this.#definitionsFor(flow.defines ? null : refsIn(source))
    return { kind: 'flow', source, continues: flow.continues, definitions, carries: repeats, open }
  }

  #push(block: Block, goesOn = false): void {
    const refs = block.kind === 'flow' ? refsIn(block.source) : null
    for (const ref of refs ?? []) {
      if (this.#definitions.has(ref)) continue
      const waiting = this.#waiting.get(ref)
      if (waiting) waiting.push(this.#done.length)
      else this.#waiting.set(ref, [this.#done.length])
    }
    this.#done.push({ block, refs, weight: sizeOf(block) })
    let chars = 0
    for (let at = this.#sectionStart; at < this.#done.length; at++) chars += this.#done[at]?.weight ?? 0
    if (
      goesOn
        ? chars < tableSectionChars
        : this.#done.length - this.#sectionStart < sectionBlocks && chars < sectionChars
    )
      return
    this.#sections.push(this.#done.slice(this.#sectionStart).map((done) => done.block))
    this.#sectionStarts.push(this.#sectionStart)
    this.#sectionStart = this.#done.length
  }

  /** The first definition of a label wins (CommonMark 4.7). Earlier blocks that refer to the label get it at the end of the update. */
  #define(label: string, head: string): void {
    const key = normalLabel(label)
    if (this.#definitions.has(key)) return
    this.#definitions.set(key, label.startsWith('^') ? `[${label}]: .` : head.trimStart())
    for (const at of this.#waiting.get(key) ?? []) this.#outdated.add(at)
    this.#waiting.delete(key)
  }

  /** Gives late definitions to blocks with together about `maxChars`. */
  #refresh(maxChars: number): void {
    let left = maxChars
    for (const at of this.#outdated) {
      if (left <= 0) {
        this.isBehind = true
        return
      }
      this.#outdated.delete(at)
      const done = this.#done[at]
      if (done?.block.kind !== 'flow') continue
      const definitions = this.#definitionsFor(done.refs)
      if (definitions === done.block.definitions) continue
      done.block = { ...done.block, definitions }
      left -= sizeOf(done.block)
      if (at >= this.#sectionStart) continue
      const section = lastAtMost(this.#sectionStarts, at)
      this.#sections[section] = (this.#sections[section] ?? []).with(
        at - (this.#sectionStarts[section] ?? 0),
        done.block,
      )
    }
  }

  #definitionsFor(refs: ReadonlySet<string> | null): string {
    if (!refs || this.#definitions.size === 0) return ''
    let found = ''
    for (const ref of refs) {
      const definition = this.#definitions.get(ref)
      if (definition === undefined || found.length + definition.length > maxDefinitions) continue
      found += found === '' ? definition : `\n\n${definition}`
    }
    return found
  }

  /** The sections, with the unfinished line treated as complete. */
  #view(isEnded: boolean, isCut: boolean): readonly (readonly Block[])[] {
    const settled = (block: Block): Block =>
      isCut && block.kind === 'flow' ? { ...block, open: false, isCut } : { ...block, open: false }
    const tail = isEnded ? this.#preview().map(settled) : this.#preview()
    const rest = this.#done.slice(this.#sectionStart).map((done) => done.block)
    return [...this.#sections, [...rest, ...tail]]
  }

  #preview(): Block[] {
    const open = this.#open
    const from = this.#at
    const to = this.#text.length
    if (from === to || this.isBehind) return this.#openBlocks()
    const head = this.#text.slice(from, Math.min(to, from + headLength))
    if (open && open.kind !== 'flow') {
      if (!this.#midLine && mayCloseFence(head, open)) return this.#openBlocks()
      const shown = { ...open, pieces: [...open.pieces] }
      appendText(shown, this.#text.slice(from, to), this.#midLine)
      return [textBlock(shown, true)]
    }
    const line = readLine(head)
    if (open && (this.#midLine || line.blank || !this.#endsBefore(open, line)))
      return [this.#flowBlock({ ...open, end: to }, true)]
    const before = this.#openBlocks().map((block) => ({ ...block, open: false }))
    // Until the line is complete, a fence may be code in a line of text.
    if (line.blank || line.fence) return before
    // A table that is cut continues with its header.
    const prefix = open?.shape === 'table' && !open.afterBlank ? open.prefix : ''
    const opened: FlowBlock = {
      kind: 'flow',
      source: prefix + this.#text.slice(from, to),
      continues: false,
      definitions: '',
      carries: prefix !== '',
      open: true,
    }
    return [...before, opened]
  }

  #openBlocks(): Block[] {
    if (!this.#open) return []
    return [this.#open.kind === 'flow' ? this.#flowBlock(this.#open, true) : textBlock(this.#open, true)]
  }
}

/** Index of the last element of an ascending list that is at most `value`. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((sorted[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}

/** The open fence of a list item or note after a line. */
function fenceAfter({ shape, fence: open }: Flow, head: string): Flow['fence'] {
  if (shape !== 'list' && shape !== 'note') return null
  if (open) return closesFence(head.trimStart(), open.char, open.length) ? null : open
  const run = /^[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/.exec(head)?.[1]
  return run === undefined ? null : { char: run.charAt(0), length: run.length }
}

function mayCloseFence(head: string, open: Text): boolean {
  const bare = head.trim()
  return open.fence !== null && bare !== '' && bare === open.fence.char.repeat(bare.length)
}

function appendText(open: Text, raw: string, inside: boolean): void {
  let text = raw.replace(/\r\n$/, '\n')
  if (!inside && open.fence && open.fence.indent > 0) {
    // Removes up to the fence's indentation from each line (CommonMark 4.5).
    const spaces = /^ */.exec(text)?.[0].length ?? 0
    text = text.slice(Math.min(spaces, open.fence.indent))
  }
  open.piece += text
  open.lines++
  if (open.piece.length < softLimit && open.lines < pieceLines) return
  open.pieces.push(open.piece)
  open.piece = ''
  open.lines = 0
}

function textBlock(open: Text, growing: boolean): TextBlock {
  const pieces = open.piece === '' ? open.pieces.slice() : [...open.pieces, open.piece]
  return { kind: open.kind, language: open.language, pieces, open: growing }
}

/** A text that no longer grows, for `update`: its last line is complete, so that it may be a definition. */
export const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** Characters that are split between two steps. */
const stepChars = 32_000

/** Splits a text that no longer grows into blocks. Yields an empty text after each step, because 1 MB takes longer than one frame. */
export function* blocksInSteps(text: string): Generator<string, Block[]> {
  const splitter = new BlockSplitter()
  // Once, because it copies the text.
  const whole = ended(text)
  let sections = splitter.update(whole, stepChars, true)
  while (splitter.isBehind) {
    yield ''
    sections = splitter.update(whole, stepChars, true)
  }
  return sections.flat()
}

/** About how many characters of prose take as long to draw as a text. */
const weightOf = (text: string): number => text.length + dearChars * (text.match(dearPart)?.length ?? 0)

/** The start of a text that weighs at most `softLimit`. */
function lightStart(text: string): string {
  let most = softLimit
  for (const { index, 0: part } of text.matchAll(dearPart)) {
    if (index >= most) break
    most -= dearChars
    if (index + part.length > most) return text.slice(0, Math.max(index, most))
  }
  return text.slice(0, most)
}

/** About how many characters of prose take as long to draw as a block. Code and tables have controls. */
export function sizeOf(block: Block | undefined): number {
  if (!block) return 0
  if (block.kind !== 'flow') return 400 + block.pieces.length * 400
  return weightOf(block.source) + block.definitions.length + (block.source.includes('|') ? 200 : oneBlock)
}

function refsIn(source: string): ReadonlySet<string> | null {
  if (!source.includes('[')) return null
  const refs = new Set<string>()
  for (const match of source.matchAll(/\[([^[\]]{1,200})\]/g)) refs.add(normalLabel(match[1] ?? ''))
  return refs.size === 0 ? null : refs
}
