import { note } from '../../../shared/notes.ts'
import { type ConvertedDocument, joinedLines, markdownTable, maxTableDepth, TextCollector } from './converted.ts'
import {
  attribute,
  eachOf,
  numberAttribute,
  type OfficePackage,
  type Relation,
  type XmlClose,
  type XmlOpen,
} from './officePackage.ts'

/** Whether a list level is numbered, by list id and level. */
type Lists = ReadonlyMap<string, ReadonlyMap<number, string>>

interface Context {
  headings: ReadonlyMap<string, number>
  lists: Lists
  relations: ReadonlyMap<string, Relation>
}

/** A paragraph that is being read. Text boxes put paragraphs inside paragraphs. */
interface Paragraph {
  text: string
  heading: number
  listId: string | null
  level: number
}

/** A table that is being read: finished rows, the current row, the current cell. */
interface Table {
  rows: string[][]
  cells: string[]
  cell: string[]
}

/**
 * Converts a DOCX: headings, lists, tables, links, footnotes, and the pages as Word last broke them.
 * @see ECMA-376 part 1, chapter 17 (WordprocessingML)
 */
export async function convertWordprocessing(pack: OfficePackage): Promise<ConvertedDocument> {
  const main = await pack.mainPart('word/document.xml')
  const relations = await pack.relations(main)
  const partOf = (type: string): string | null =>
    [...relations.values()].find((one) => one.type === type)?.target ?? null
  const context: Context = {
    headings: await readHeadings(pack, partOf('styles') ?? 'word/styles.xml'),
    lists: await readLists(pack, partOf('numbering') ?? 'word/numbering.xml'),
    relations,
  }
  const out = new TextCollector()
  await readBody(pack, main, context, out, true)
  for (const type of ['footnotes', 'endnotes']) {
    const part = partOf(type)
    if (part !== null) await readBody(pack, part, context, out, false)
  }
  out.end()
  if ([...relations.values()].some(({ type }) => type === 'header' || type === 'footer')) {
    out.note(note('document.headers'))
  }
  if (partOf('comments') !== null) out.note(note('document.comments'))
  if (pack.names().some((name) => /vbaProject\.bin$/i.test(name))) out.note(note('document.macros'))
  const mime = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  const isPaged = out.parts.length > 1
  const parts = isPaged ? out.parts : out.parts.map((part) => ({ ...part, label: '' }))
  return { kind: 'docx', mime, unit: isPaged ? 'page' : 'text', parts, notes: out.notes() }
}

/** Heading levels by style id: of styles with an outline level, or named "heading N" or "Title". */
async function readHeadings(pack: OfficePackage, name: string): Promise<Map<string, number>> {
  const levels = new Map<string, number>()
  let style: string | null = null
  await pack.readXml(name, {
    open(element, attributes) {
      if (element === 'style') style = attribute(attributes, 'styleId')
      else if (style === null) return
      else if (element === 'outlineLvl') {
        const level = numberAttribute(attributes, 'val', 9) + 1
        if (level <= 6) levels.set(style, level)
      } else if (element === 'name') {
        const named = (attribute(attributes, 'val') ?? '').toLowerCase()
        const [, digit] = /^heading ([1-6])$/.exec(named) ?? []
        if (digit !== undefined) levels.set(style, Number(digit))
        else if (named === 'title') levels.set(style, 1)
      }
    },
    close(element) {
      if (element === 'style') style = null
    },
  })
  return levels
}

async function readLists(pack: OfficePackage, name: string): Promise<Lists> {
  const formats = new Map<string, Map<number, string>>()
  const lists = new Map<string, Map<number, string>>()
  let format: Map<number, string> | null = null
  let level = 0
  let list: string | null = null
  await pack.readXml(name, {
    open(element, attributes) {
      const value = attribute(attributes, 'val') ?? ''
      if (element === 'abstractNum') {
        format = new Map()
        formats.set(attribute(attributes, 'abstractNumId') ?? '', format)
      } else if (element === 'lvl') level = numberAttribute(attributes, 'ilvl', 0)
      else if (element === 'numFmt') format?.set(level, value)
      else if (element === 'num') list = attribute(attributes, 'numId')
      else if (element === 'abstractNumId' && list !== null) lists.set(list, formats.get(value) ?? new Map())
    },
    close(element) {
      if (element === 'abstractNum') format = null
      if (element === 'num') list = null
    },
  })
  return lists
}

/** Elements whose text is not part of the document: deleted text, the source of a move, and copies for other programs. */
const skipped: ReadonlySet<string> = new Set(['moveFrom', 'Fallback', 'del', 'annotation'])

async function readBody(
  pack: OfficePackage,
  part: string,
  { headings, lists, relations }: Context,
  out: TextCollector,
  isMain: boolean,
): Promise<void> {
  const paragraphs: Paragraph[] = []
  const tables: Table[] = []
  const links: (string | null)[] = []
  /** The next number of each list and level. */
  const counters = new Map<string, number>()
  let page = 1
  let skip = 0
  let isText = false
  /** Open tables beyond `maxTableDepth`, whose text belongs to the cell around them. */
  let flatTables = 0
  let note: { id: string; text: string[] } | null = null
  if (isMain) out.begin('Page 1')

  function say(text: string): void {
    const paragraph = paragraphs.at(-1)
    if (paragraph) paragraph.text += text
  }

  function emit(text: string, separator: 'block' | 'line'): void {
    const cell = tables.at(-1)?.cell
    if (cell) cell.push(text.trim())
    else if (note) note.text.push(text.trim())
    else if (separator === 'line') out.add(`${text}\n`)
    else out.block(text)
  }

  let wasItem = false
  function emitParagraph({ text, heading, listId, level }: Paragraph): void {
    if (text.trim() === '') return
    const isItem = listId !== null && listId !== '0' && heading === 0
    if (wasItem && !isItem && tables.length === 0 && note === null) out.add('\n')
    wasItem = isItem
    if (heading > 0) {
      emit(`${'#'.repeat(heading)} ${joinedLines(text)}`, 'block')
      return
    }
    if (!isItem) {
      emit(text, 'block')
      return
    }
    const format = lists.get(listId)?.get(level) ?? 'bullet'
    const indent = '  '.repeat(Math.min(8, level))
    emit(
      `${indent}${format === 'bullet' || format === 'none' ? '-' : `${nextNumber(listId, level)}.`} ${text.trim()}`,
      'line',
    )
  }

  function nextNumber(listId: string, level: number): number {
    const key = `${listId} ${level}`
    const number = (counters.get(key) ?? 0) + 1
    counters.set(key, number)
    for (let deeper = level + 1; deeper <= 8; deeper += 1) counters.delete(`${listId} ${deeper}`)
    return number
  }

  function breakPage(): void {
    if (!isMain || tables.length > 0 || paragraphs.length > 1) return
    const paragraph = paragraphs.at(-1)
    if (paragraph && paragraph.text !== '') {
      emitParagraph(paragraph)
      paragraph.text = ''
    }
    page += 1
    out.begin(`Page ${page}`)
  }

  const opened = new Map<string, XmlOpen>([
    [
      'p',
      () => {
        paragraphs.push({ text: '', heading: 0, listId: null, level: 0 })
      },
    ],
    [
      'pStyle',
      (attributes) => {
        const paragraph = paragraphs.at(-1)
        if (paragraph) paragraph.heading = headings.get(attribute(attributes, 'val') ?? '') ?? 0
      },
    ],
    [
      'outlineLvl',
      (attributes) => {
        const paragraph = paragraphs.at(-1)
        if (paragraph) paragraph.heading = (numberAttribute(attributes, 'val', 9) + 1) % 10
      },
    ],
    [
      'numId',
      (attributes) => {
        const paragraph = paragraphs.at(-1)
        if (paragraph) paragraph.listId = attribute(attributes, 'val')
      },
    ],
    [
      'ilvl',
      (attributes) => {
        const paragraph = paragraphs.at(-1)
        if (paragraph) paragraph.level = Math.max(0, numberAttribute(attributes, 'val', 0))
      },
    ],
    [
      't',
      () => {
        isText = true
      },
    ],
    [
      'tab',
      (attributes) => {
        // Also the name of a tab stop inside `tabs`, which has a value.
        if (attribute(attributes, 'val') === null) say('\t')
      },
    ],
    [
      'br',
      (attributes) => {
        if (attribute(attributes, 'type') === 'page') breakPage()
        else say('\n')
      },
    ],
    [
      'cr',
      () => {
        say('\n')
      },
    ],
    [
      'noBreakHyphen',
      () => {
        say('-')
      },
    ],
    [
      'lastRenderedPageBreak',
      () => {
        breakPage()
      },
    ],
    ...eachOf<XmlOpen>(['footnoteReference', 'endnoteReference'], (attributes, element) => {
      say(`[^${element === 'endnoteReference' ? 'e' : ''}${attribute(attributes, 'id') ?? ''}]`)
    }),
    [
      'hyperlink',
      (attributes) => {
        const relation = relations.get(attribute(attributes, 'id') ?? '')
        links.push(relation?.isExternal ? relation.target : null)
        if (relation?.isExternal) say('[')
      },
    ],
    ...eachOf(['blip', 'imagedata'], () => {
      out.count('images')
    }),
    [
      'chart',
      () => {
        out.count('charts')
      },
    ],
    [
      'tbl',
      () => {
        if (tables.length < maxTableDepth) tables.push({ rows: [], cells: [], cell: [] })
        else flatTables += 1
      },
    ],
    ...eachOf<XmlOpen>(['footnote', 'endnote'], (attributes, element) => {
      // Notes with a type are separators, not text of the author.
      if (attribute(attributes, 'type') === null) {
        note = { id: `${element === 'endnote' ? 'e' : ''}${attribute(attributes, 'id') ?? ''}`, text: [] }
      }
    }),
  ])

  function open(element: string, attributes: Record<string, string>): void {
    if (skip > 0 || skipped.has(element)) {
      skip += 1
      return
    }
    opened.get(element)?.(attributes, element)
  }

  const closed = new Map<string, XmlClose>([
    [
      't',
      () => {
        isText = false
      },
    ],
    [
      'p',
      () => {
        const paragraph = paragraphs.pop()
        if (paragraph && (isMain || note)) emitParagraph(paragraph)
      },
    ],
    [
      'hyperlink',
      () => {
        const address = links.pop()
        if (address) say(`](${address})`)
      },
    ],
    [
      'tc',
      () => {
        const table = flatTables > 0 ? undefined : tables.at(-1)
        table?.cells.push(table.cell.filter((text) => text !== '').join(' '))
        if (table) table.cell = []
      },
    ],
    [
      'tr',
      () => {
        const table = flatTables > 0 ? undefined : tables.at(-1)
        if (table) {
          table.rows.push(table.cells)
          table.cells = []
        }
      },
    ],
    [
      'tbl',
      () => {
        if (flatTables > 0) {
          flatTables -= 1
          return
        }
        const table = tables.pop()
        if (!table) return
        // A table inside a cell becomes lines of that cell.
        if (tables.length > 0) emit(table.rows.map((row) => row.join(', ')).join('; '), 'line')
        else emit(markdownTable(table.rows), 'block')
      },
    ],
    ...eachOf(['footnote', 'endnote'], () => {
      if (note) out.block(`[^${note.id}]: ${note.text.filter((text) => text !== '').join(' ')}`)
      note = null
    }),
  ])

  function close(element: string): void {
    if (skip > 0) {
      skip -= 1
      return
    }
    closed.get(element)?.(element)
  }

  function text(piece: string): void {
    if (isText && skip === 0) say(piece)
  }

  await pack.readXml(part, { open, close, text }, () => !out.canTakeMore())
}
