import { badInput, note } from '../../../shared/notes.ts'
import { type ConvertedDocument, joinedLines, markdownTable, maxTableDepth, TextCollector } from './converted.ts'
import { attribute, eachOf, numberAttribute, type OfficePackage, type XmlClose, type XmlOpen } from './officePackage.ts'
import { csvCell } from './spreadsheet.ts'

const kinds = { odt: 'page', odp: 'slide', ods: 'sheet' } as const

/** Maximum repetitions of a cell or row with content. Empty ones are not repeated. */
const maxRepeat = 1000
/** Number of columns of a sheet. */
const maxColumns = 16_384
/** Maximum spaces in a row. */
const maxSpaces = 1000

interface Table {
  rows: string[][]
  cells: string[]
  /** Empty cells since the last one with text. A row may end with thousands of them, so they are only written before another text. */
  emptyCells: number
  cell: string[]
  value: string | null
  cellRepeat: number
  rowRepeat: number
}

/**
 * Converts OpenDocument: text with headings, lists, tables and notes; slides; sheets as CSV.
 * @see https://docs.oasis-open.org/office/OpenDocument/v1.3/os/part3-schema/OpenDocument-v1.3-os-part3-schema.html
 */
export async function convertOpenDocument(pack: OfficePackage, kind: keyof typeof kinds): Promise<ConvertedDocument> {
  await refuseEncrypted(pack)
  const out = new TextCollector()
  if (!(await readContent(pack, kind, out))) throw badInput(note('unreadable.content'))
  out.end()
  if (pack.names().some((name) => /^(?:Basic|Scripts)\//.test(name))) {
    out.note(note('document.macros'))
  }
  const names = { odt: 'text', odp: 'presentation', ods: 'spreadsheet' } as const
  const isPaged = kind !== 'odt' || out.parts.length > 1
  const parts = isPaged ? out.parts : out.parts.map((part) => ({ ...part, label: '' }))
  return {
    kind,
    mime: `application/vnd.oasis.opendocument.${names[kind]}`,
    unit: isPaged ? kinds[kind] : 'text',
    parts,
    notes: out.notes(),
  }
}

async function refuseEncrypted(pack: OfficePackage): Promise<void> {
  let isEncrypted = false
  await pack.readXml('META-INF/manifest.xml', {
    open(element) {
      isEncrypted ||= element === 'encryption-data'
    },
    close: () => undefined,
  })
  if (isEncrypted) throw badInput(note('unreadable.password'))
}

/** Elements whose text the reader of the document does not see. */
const skipped: ReadonlySet<string> = new Set([
  ...['tracked-changes', 'annotation', 'sequence-decls', 'forms', 'styles', 'event-listeners'],
  ...['shapes', 'object-ole', 'named-expressions', 'database-ranges', 'font-face-decls', 'master-styles', 'script'],
])

async function readContent(pack: OfficePackage, kind: keyof typeof kinds, out: TextCollector): Promise<boolean> {
  const paragraphs: { text: string; heading: number }[] = []
  const tables: Table[] = []
  const notes: { id: string; text: string[] }[] = []
  const links: string[] = []
  let noteCount = 0
  let isItemStart = false
  let skip = 0
  let part = 0
  let isCitation = false
  let isSpeakerNotes = false
  /** Open tables beyond `maxTableDepth`, whose text belongs to the cell around them. */
  let flatTables = 0
  const openTable = (): Table | undefined => (flatTables > 0 ? undefined : tables.at(-1))
  const styles = styleReader()
  /** The style of each open list, and the number of its current item. */
  const openLists: { style: string; item: number }[] = []
  if (kind === 'odt') out.begin('Page 1')

  function say(text: string): void {
    const paragraph = paragraphs.at(-1)
    if (paragraph) paragraph.text += text
  }

  function endParagraph(): void {
    const paragraph = paragraphs.pop()
    if (!paragraph) return
    const text = paragraph.text.trim()
    const inside = notes.at(-1)?.text ?? tables.at(-1)?.cell
    if (inside) inside.push(text)
    else if (text !== '') writeParagraph(text, paragraph.heading)
  }

  function writeParagraph(text: string, heading: number): void {
    if (heading > 0) out.block(`${'#'.repeat(heading)} ${joinedLines(text)}`)
    else if (openLists.length > 0) {
      const list = openLists.at(-1)
      const isNumbered = styles.isNumbered(openLists[0]?.style ?? '', openLists.length)
      const mark = isNumbered ? `${list?.item ?? 1}. ` : '- '
      out.add(`${'  '.repeat(Math.min(8, openLists.length - 1))}${isItemStart ? mark : '  '}${text}\n`)
      isItemStart = false
    } else out.block(text)
  }

  function breakPage(): void {
    if (kind !== 'odt' || tables.length > 0 || notes.length > 0) return
    const paragraph = paragraphs.at(-1)
    if (paragraph) {
      endParagraph()
      paragraphs.push({ text: '', heading: 0 })
    }
    part = Math.max(part, 1) + 1
    out.begin(`Page ${part}`)
  }

  function endCell(table: Table): void {
    const shown = table.cell.filter((text) => text !== '').join(kind === 'ods' ? '\n' : ' ')
    const text = shown === '' ? (table.value ?? '') : shown
    table.cell = []
    if (text === '') {
      table.emptyCells += table.cellRepeat
      return
    }
    const empty = out.repetitions(1, Math.min(table.emptyCells, maxColumns - table.cells.length) + 1) - 1
    const times = out.repetitions(text.length + 1, Math.min(table.cellRepeat, maxRepeat))
    for (let n = 0; n < empty; n += 1) table.cells.push('')
    for (let n = 0; n < times && table.cells.length < maxColumns; n += 1) table.cells.push(text)
    table.emptyCells = 0
  }

  function endRow(table: Table): void {
    const { cells } = table
    table.cells = []
    table.emptyCells = 0
    if (cells.length === 0) return
    const length = cells.reduce((sum, text) => sum + text.length + 1, 0)
    const times = out.repetitions(length, Math.min(table.rowRepeat, maxRepeat))
    for (let n = 0; n < times; n += 1) {
      if (kind === 'ods') out.add(`${cells.map(csvCell).join(',')}\n`)
      else table.rows.push(cells)
    }
  }

  const opened = new Map<string, XmlOpen>([
    [
      'p',
      (attributes) => {
        if (styles.breaksPage(attributes)) breakPage()
        paragraphs.push({ text: '', heading: 0 })
      },
    ],
    [
      'h',
      (attributes) => {
        if (styles.breaksPage(attributes)) breakPage()
        paragraphs.push({
          text: '',
          heading: Math.min(6, Math.max(1, numberAttribute(attributes, 'outline-level', 1))),
        })
      },
    ],
    [
      's',
      (attributes) => {
        const count = Math.min(maxSpaces, Math.max(1, numberAttribute(attributes, 'c', 1)))
        say(' '.repeat(out.repetitions(1, count)))
      },
    ],
    [
      'tab',
      () => {
        say('\t')
      },
    ],
    [
      'line-break',
      () => {
        say('\n')
      },
    ],
    [
      'soft-page-break',
      () => {
        breakPage()
      },
    ],
    [
      'list',
      (attributes) => {
        openLists.push({ style: attribute(attributes, 'style-name') ?? '', item: 0 })
      },
    ],
    [
      'list-item',
      () => {
        isItemStart = true
        const list = openLists.at(-1)
        if (list) list.item += 1
      },
    ],
    [
      'a',
      (attributes) => {
        links.push(attribute(attributes, 'href') ?? '')
        if (/^https?:|^mailto:/i.test(links.at(-1) ?? '')) say('[')
      },
    ],
    [
      'note',
      () => {
        noteCount += 1
        say(`[^${noteCount}]`)
        notes.push({ id: String(noteCount), text: [] })
      },
    ],
    [
      'note-citation',
      () => {
        isCitation = true
      },
    ],
    [
      'image',
      () => {
        out.count('images')
      },
    ],
    [
      'object',
      () => {
        out.count('objects')
      },
    ],
    [
      'page',
      () => {
        part += 1
        out.begin(`Slide ${part}`)
      },
    ],
    [
      'notes',
      () => {
        isSpeakerNotes = true
      },
    ],
    [
      'table',
      (attributes) => {
        if (kind === 'ods' && tables.length === 0) {
          part += 1
          out.begin(`Sheet ${part}: ${attribute(attributes, 'name') ?? ''}`)
        }
        if (tables.length >= maxTableDepth) flatTables += 1
        else tables.push({ rows: [], cells: [], emptyCells: 0, cell: [], value: null, cellRepeat: 1, rowRepeat: 1 })
      },
    ],
    [
      'table-row',
      (attributes) => {
        const table = openTable()
        if (table) table.rowRepeat = Math.max(1, numberAttribute(attributes, 'number-rows-repeated', 1))
      },
    ],
    ...eachOf<XmlOpen>(['table-cell', 'covered-table-cell'], (attributes) => {
      const table = openTable()
      if (!table) return
      table.cellRepeat = Math.max(1, numberAttribute(attributes, 'number-columns-repeated', 1))
      table.value = attribute(attributes, 'date-value') ?? attribute(attributes, 'value')
    }),
  ])

  function open(element: string, attributes: Record<string, string>): void {
    if (skip > 0 || skipped.has(element)) {
      skip += 1
      return
    }
    if (styles.open(element, attributes)) return
    opened.get(element)?.(attributes, element)
  }

  const closed = new Map<string, XmlClose>([
    ...eachOf(['p', 'h'], () => {
      const text = paragraphs.at(-1)?.text.trim() ?? ''
      // LibreOffice writes an empty paragraph into the notes of every slide, and the slide's number.
      if (isSpeakerNotes && text !== '' && !/^(?:<number>|\d+)$/.test(text)) {
        const last = paragraphs.at(-1)
        if (last) last.text = `Speaker notes: ${text}`
      } else if (isSpeakerNotes && paragraphs.length > 0) {
        const last = paragraphs.at(-1)
        if (last) last.text = ''
      }
      endParagraph()
    }),
    [
      'a',
      () => {
        const address = links.pop() ?? ''
        if (/^https?:|^mailto:/i.test(address)) say(`](${address})`)
      },
    ],
    [
      'note-citation',
      () => {
        isCitation = false
      },
    ],
    [
      'note',
      () => {
        const note = notes.pop()
        if (note) pendingNotes.push(`[^${note.id}]: ${note.text.filter((text) => text !== '').join(' ')}`)
      },
    ],
    [
      'list',
      () => {
        openLists.pop()
        if (openLists.length === 0 && tables.length === 0) out.add('\n')
      },
    ],
    [
      'notes',
      () => {
        isSpeakerNotes = false
      },
    ],
    ...eachOf(['table-cell', 'covered-table-cell'], () => {
      const table = openTable()
      if (table) endCell(table)
    }),
    [
      'table-row',
      () => {
        const table = openTable()
        if (table) endRow(table)
      },
    ],
    [
      'table',
      () => {
        if (flatTables > 0) {
          flatTables -= 1
          return
        }
        const table = tables.pop()
        if (!table || kind === 'ods') return
        const outer = tables.at(-1)
        if (outer) outer.cell.push(table.rows.map((row) => row.join(', ')).join('; '))
        else out.block(markdownTable(table.rows))
      },
    ],
  ])

  function close(element: string): void {
    if (skip > 0) {
      skip -= 1
      return
    }
    if (styles.close()) return
    closed.get(element)?.(element)
  }

  const pendingNotes: string[] = []
  function text(piece: string): void {
    if (skip === 0 && !isCitation && !styles.isInside()) say(piece.replace(/[\s]+/g, ' '))
  }

  const isThere = await pack.readXml('content.xml', { open, close, text }, () => !out.canTakeMore())
  for (const note of pendingNotes) out.block(note)
  return isThere
}

/** Reads from `automatic-styles` which paragraphs begin a page and which list levels are numbered. */
function styleReader() {
  const breaking = new Set<string>()
  const numbered = new Set<string>()
  let depth = 0
  let name = ''
  return {
    isInside: (): boolean => depth > 0,
    /** True for an element of the styles, which has no text. */
    open(element: string, attributes: Record<string, string>): boolean {
      if (depth === 0 && element !== 'automatic-styles') return false
      depth += 1
      if (element === 'style' || element === 'list-style') name = attribute(attributes, 'name') ?? ''
      if (element === 'paragraph-properties' && attribute(attributes, 'break-before') === 'page') breaking.add(name)
      if (element === 'list-level-style-number' && attribute(attributes, 'num-format')) {
        numbered.add(`${name} ${numberAttribute(attributes, 'level', 1)}`)
      }
      return true
    },
    close(): boolean {
      if (depth === 0) return false
      depth -= 1
      return true
    },
    breaksPage: (attributes: Record<string, string>): boolean =>
      breaking.has(attribute(attributes, 'style-name') ?? ''),
    isNumbered: (style: string, level: number): boolean => numbered.has(`${style} ${level}`),
  }
}
