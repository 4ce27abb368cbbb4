import type { DocumentKind, DocumentUnit } from '../../../../../src-preload/contract/documents.ts'
import { StudioError } from '../../../errors.ts'

/** Maximum length of a converted document, UTF-16 units. The rest is left out, with a note. */
const maxCharacters = 20_000_000
/** Maximum number of pages, slides, sheets or chapters. */
const maxParts = 20_000

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
  /** What was left out or changed, one sentence each. */
  notes: string[]
}

/** The error `bad_input` for a file that cannot be converted. `words` is one or two sentences for the person. */
export const unreadable = (words: string, cause?: unknown): StudioError =>
  new StudioError('bad_input', words, {}, cause === undefined ? undefined : { cause })

/** Collects the text of a document, part by part, within `maxCharacters`. */
export class TextCollector {
  readonly parts: ConvertedPart[] = []
  readonly #notes = new Set<string>()
  readonly #counts = new Map<string, number>()
  #blocks: string[] = []
  #label: string | null = null
  #characters = 0

  /** Whether the limit is reached. A converter may stop early. */
  get isFull(): boolean {
    return this.#characters >= maxCharacters || this.parts.length >= maxParts
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
    const left = maxCharacters - this.#characters
    if (text.length > left) {
      this.note('The document is very long: text after 20 million characters was left out.')
      if (left <= 0) return
    }
    const taken = text.slice(0, left)
    this.#characters += taken.length
    this.#blocks.push(taken)
  }

  /** Adds a paragraph, heading or table, followed by an empty line. */
  block(text: string): void {
    const trimmed = text.replace(/[ \t\f\v]+$/gm, '').replace(/^\n+|\n+$/g, '')
    if (trimmed !== '') this.add(`${trimmed}\n\n`)
  }

  /** Ends the current part. */
  end(): void {
    if (this.#label === null) return
    if (this.parts.length < maxParts) {
      this.parts.push({ label: this.#label, text: tidy(this.#blocks.join('')) })
    } else this.note(`Only the first ${maxParts} parts were read.`)
    this.#blocks = []
    this.#label = null
  }

  note(sentence: string): void {
    this.#notes.add(sentence)
  }

  /** Counts something that is left out, such as `picture`. */
  count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  /** The notes, with a sentence for all counted things. */
  notes(): string[] {
    const counted = [...this.#counts].map(([what, n]) => `${n} ${what}${n === 1 ? '' : 's'}`)
    const total = [...this.#counts.values()].reduce((sum, n) => sum + n, 0)
    const left = counted.length === 0 ? [] : [`${counted.join(', ')} ${total === 1 ? 'was' : 'were'} left out.`]
    return [...left, ...this.#notes].slice(0, 50)
  }
}

/** Removes control characters except tabs and line ends, and runs of empty lines. */
function tidy(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\s+$/g, '')
}

/** A Markdown table. Cells are one line each. The first row is the head. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (width === 0) return ''
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, at) => cellText(cells[at] ?? '')).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n')
}

const cellText = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim()
