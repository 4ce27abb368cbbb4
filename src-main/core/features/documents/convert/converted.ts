import type { DocumentKind, DocumentUnit } from '../../../../../src-preload/contract/documents.ts'
import type { Note } from '../../../../../src-preload/contract/note.ts'
import { note } from '../../../shared/notes.ts'

/** Maximum length of a converted document, UTF-16 units. The rest is left out, with a note. */
const maxCharacters = 20_000_000
/** Maximum number of pages, slides, sheets or chapters. */
const maxParts = 20_000
/** Maximum length of the text that a document makes by repeating cells, rows or spaces, UTF-16 units. A few bytes can ask for terabytes. */
const maxRepeated = 5_000_000
/** Levels of tables in cells that are kept as tables. Each level copies the text of those inside it. */
export const maxTableDepth = 8

/** A page, slide, sheet or chapter as text. */
export interface ConvertedPart {
  /** Such as `Page 3` or `Sheet 2: Prices`. Empty for a document with one part. */
  label: string
  text: string
}

/** A document as text. */
export interface ConvertedDocument {
  kind: DocumentKind
  mime: string
  unit: DocumentUnit
  parts: ConvertedPart[]
  /** What was left out or changed. */
  notes: Note[]
}

/** Things that are left out and counted. */
type Counted = 'images' | 'charts' | 'objects' | 'hiddenFields'

/** Collects the text of a document, part by part, within `maxCharacters`. */
export class TextCollector {
  readonly parts: ConvertedPart[] = []
  /** By their text: each once. */
  readonly #notes = new Map<string, Note>()
  readonly #counts = new Map<Counted, number>()
  #blocks: string[] = []
  #label: string | null = null
  #characters = 0
  #repeated = 0

  /** How many characters may still be added. */
  get charactersLeft(): number {
    return maxCharacters - this.#characters
  }

  /** Whether more text or parts can be added. Notes that the rest is left out when not, so call it only when there is more. */
  canTakeMore(): boolean {
    if (this.charactersLeft <= 0) this.#noteLength()
    else if (this.parts.length >= maxParts) this.#noteParts()
    else return true
    return false
  }

  /**
   * How often a text is written that a file asks to repeat: `times`, or once with a note when the repetitions would be too long. Ask before the
   * work, because the repetitions of a small file may not fit into memory.
   * @param length characters of one repetition
   */
  repetitions(length: number, times: number): number {
    const more = length * (times - 1)
    if (this.#repeated + more > maxRepeated) {
      this.note(note('document.repeated'))
      return 1
    }
    this.#repeated += more
    return times
  }

  /** Ends the current part and begins another. */
  begin(label: string): void {
    this.end()
    this.#label = label
  }

  /** Adds text as it is. */
  add(text: string): void {
    if (text === '') return
    this.#label ??= ''
    const left = this.charactersLeft
    if (text.length > left) {
      this.#noteLength()
      if (left <= 0) return
    }
    const taken = text.slice(0, left)
    this.#characters += taken.length
    this.#blocks.push(taken)
  }

  /** Adds a paragraph, heading or table, followed by an empty line. */
  block(text: string): void {
    const trimmed = trimmedLines(text)
    if (trimmed !== '') this.add(`${trimmed}\n\n`)
  }

  /** Ends the current part. */
  end(): void {
    if (this.#label === null) return
    if (this.parts.length < maxParts) {
      this.parts.push({ label: this.#label, text: tidy(this.#blocks.join('')) })
    } else this.#noteParts()
    this.#blocks = []
    this.#label = null
  }

  #noteLength(): void {
    this.note(note('document.long', { most: maxCharacters }))
  }

  #noteParts(): void {
    this.note(note('document.parts', { most: maxParts }))
  }

  note(one: Note): void {
    this.#notes.set(one.text, one)
  }

  /** Counts something that is left out. */
  count(what: Counted): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  /** The notes, first those about counted things. */
  notes(): Note[] {
    const counted = [...this.#counts].map(([what, figure]) => note(`document.${what}`, { figure }))
    return [...counted, ...this.#notes.values()].slice(0, 50)
  }
}

/** Removes control characters except tabs and line ends, and runs of empty lines. */
function tidy(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd()
}

// A pattern such as /\s+$/ or /\s*\n/ tries each place of a run of white space, which takes minutes for a megabyte of spaces. These are linear.

/** The lines without white space at their ends, and without empty lines before the first and after the last one. */
export function trimmedLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd())
  const first = lines.findIndex((line) => line !== '')
  return first < 0 ? '' : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1).join('\n')
}

/** One line: each line end with the white space around it becomes a space. */
export const joinedLines = (text: string): string =>
  text.replace(/\s+/g, (run) => (run.includes('\n') ? ' ' : run)).trim()

/**
 * A Markdown table. Cells are one line each. The first row is the head and as wide as the widest row. Other rows have their own cells only, as
 * GitHub Flavored Markdown allows, because padding of many rows to one wide row would multiply the size.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (width === 0) return ''
  const line = (cells: readonly string[]): string => `| ${cells.map(cellText).join(' | ')} |`
  const [head = [], ...body] = rows
  const padded = [...head, ...Array.from({ length: width - head.length }, () => '')]
  const filled = body.filter((row) => row.length > 0)
  return [line(padded), `|${' --- |'.repeat(width)}`, ...filled.map(line)].join('\n')
}

const cellText = (text: string): string => joinedLines(text).replaceAll('|', '\\|')
