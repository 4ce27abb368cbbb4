import { badInput, note } from '../../../shared/notes.ts'
import { type ConvertedDocument, TextCollector } from './converted.ts'
import { attribute, numberAttribute, type OfficePackage, type XmlHandlers } from './officePackage.ts'

/** Number of columns of a sheet in Excel. */
const maxColumns = 16_384
const maxSharedStrings = 5_000_000

/**
 * Converts an XLSX: every sheet as CSV, with the stored results of formulas and dates as ISO 8601.
 * @see ECMA-376 part 1, chapter 18 (SpreadsheetML)
 */
export async function convertSpreadsheet(pack: OfficePackage): Promise<ConvertedDocument> {
  const main = await pack.mainPart('xl/workbook.xml')
  const relations = await pack.relations(main)
  const sheets: { name: string; target: string; isHidden: boolean }[] = []
  let from1904 = false
  await pack.readXml(main, {
    open(element, attributes) {
      if (element === 'workbookPr') from1904 = /^(?:1|true)$/.test(attribute(attributes, 'date1904') ?? '')
      if (element !== 'sheet') return
      const relation = relations.get(attributes['r:id'] ?? attribute(attributes, 'id') ?? '')
      if (!relation) return
      const isHidden = /idden/.test(attribute(attributes, 'state') ?? '')
      sheets.push({ name: attribute(attributes, 'name') ?? '', target: relation.target, isHidden })
    },
    close: () => undefined,
  })
  const partOf = (type: string): string => [...relations.values()].find((one) => one.type === type)?.target ?? ''
  const strings = await readSharedStrings(pack, partOf('sharedStrings'))
  const dates = await readDateStyles(pack, partOf('styles'))
  const out = new TextCollector()
  const read = new Set<string>()
  for (const [at, { name, target, isHidden }] of sheets.entries()) {
    if (read.has(target)) continue
    read.add(target)
    if (!out.canTakeMore()) break
    out.begin(`Sheet ${at + 1}: ${name}${isHidden ? ' (hidden)' : ''}`)
    // A chart sheet has no cells.
    await readSheet(pack, target, { strings, dates, from1904 }, out)
  }
  out.end()
  if (pack.names().some((name) => /vbaProject\.bin$/i.test(name))) out.note(note('document.macros'))
  const drawings = pack.names().filter((name) => /^xl\/charts\/chart[^/]*\.xml$/.test(name)).length
  for (let drawing = 0; drawing < drawings; drawing += 1) out.count('charts')
  const mime = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  return { kind: 'xlsx', mime, unit: 'sheet', parts: out.parts, notes: out.notes() }
}

async function readSharedStrings(pack: OfficePackage, name: string): Promise<string[]> {
  const strings: string[] = []
  let text = ''
  let isText = false
  let isPhonetic = false
  await pack.readXml(name, {
    open(element) {
      if (element === 'si') text = ''
      else if (element === 'rPh') isPhonetic = true
      else if (element === 't') isText = true
    },
    close(element) {
      if (element === 'si') {
        if (strings.length >= maxSharedStrings) throw badInput(note('unreadable.manyTexts'))
        strings.push(text)
      } else if (element === 'rPh') isPhonetic = false
      else if (element === 't') isText = false
    },
    text(piece) {
      if (isText && !isPhonetic) text += piece
    },
  })
  return strings
}

type DateStyle = 'date' | 'time' | null

/** For each cell style, whether it shows a number as a date. @see ECMA-376 part 1, 18.8.30 (numFmt) */
async function readDateStyles(pack: OfficePackage, name: string): Promise<DateStyle[]> {
  const formats = new Map<number, string>()
  const styles: DateStyle[] = []
  let isCells = false
  await pack.readXml(name, {
    open(element, attributes) {
      if (element === 'numFmt') {
        formats.set(numberAttribute(attributes, 'numFmtId', -1), attribute(attributes, 'formatCode') ?? '')
      } else if (element === 'cellXfs') isCells = true
      else if (element === 'xf' && isCells) {
        const id = numberAttribute(attributes, 'numFmtId', 0)
        styles.push(dateStyle(id, formats.get(id)))
      }
    },
    close(element) {
      if (element === 'cellXfs') isCells = false
    },
  })
  return styles
}

/** Longest format, as in Excel. The pattern below is quadratic. */
const maxFormat = 255

function dateStyle(id: number, format: string | undefined): DateStyle {
  if (format === undefined) {
    if ((id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 31)) return 'date'
    return (id >= 18 && id <= 21) || (id >= 45 && id <= 47) ? 'time' : null
  }
  // Quoted and bracketed pieces of the format are texts, colours and conditions.
  const plain = format.slice(0, maxFormat).replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '')
  if (/[yd]/i.test(plain)) return 'date'
  return /[hs]/i.test(plain) ? 'time' : null
}

interface SheetContext {
  strings: readonly string[]
  dates: readonly DateStyle[]
  from1904: boolean
}

async function readSheet(pack: OfficePackage, name: string, context: SheetContext, out: TextCollector): Promise<void> {
  let cells: string[] = []
  /** Characters of the row. Cells can refer to one long text many times, so a row may not fit into memory. */
  let length = 0
  let column = 0
  let type = ''
  let style = 0
  let value = ''
  let formula = ''
  let reading: 'value' | 'formula' | null = null
  const handlers: XmlHandlers = {
    open(element, attributes) {
      switch (element) {
        case 'row':
          cells = []
          length = 0
          column = 0
          break
        case 'c': {
          const place = columnOf(attribute(attributes, 'r') ?? '')
          column = place ?? column + 1
          type = attribute(attributes, 't') ?? 'n'
          style = numberAttribute(attributes, 's', 0)
          value = ''
          formula = ''
          break
        }
        case 'v':
        case 't':
          reading = 'value'
          break
        case 'f':
          reading = 'formula'
          break
      }
    },
    close(element) {
      if (element === 'v' || element === 't' || element === 'f') reading = null
      else if (element === 'c' && column >= 1 && column <= maxColumns) {
        const text = value === '' && formula !== '' ? `=${formula}` : cellText(value, type, style, context)
        // Cells beyond the limit are left out, with a note when the row is added.
        if (text === '' || length > out.charactersLeft) return
        length += text.length + Math.max(0, column - cells.length)
        while (cells.length < column - 1) cells.push('')
        cells[column - 1] = text
      } else if (element === 'row' && cells.length > 0) out.add(`${cells.map(csvCell).join(',')}\n`)
    },
    text(piece) {
      if (reading === 'value') value += piece
      else if (reading === 'formula') formula += piece
    },
  }
  await pack.readXml(name, handlers, () => !out.canTakeMore())
}

function cellText(value: string, type: string, style: number, { strings, dates, from1904 }: SheetContext): string {
  if (type === 's') return strings[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  const shown = type === 'n' ? dates[style] : null
  if (!shown || value === '') return type === 'n' ? plainNumber(value) : value
  return dateText(Number(value), shown, from1904) ?? value
}

/** Removes the noise of binary fractions: `0.30000000000000004` becomes `0.3`. Excel stores 17 digits and shows 15. */
function plainNumber(value: string): string {
  if (!/^-?\d+\.\d{12,}(?:E[-+]?\d+)?$/.test(value)) return value
  return String(Number(Number(value).toPrecision(15)))
}

/** Day 60 of the 1900 system is 29 February 1900, which did not exist, so days after it count from 30 December 1899. */
function dateText(serial: number, shown: 'date' | 'time', from1904: boolean): string | null {
  if (!Number.isFinite(serial) || Math.abs(serial) > 3_000_000) return null
  const first = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30)
  const instant = new Date(first + Math.round(serial * 86_400) * 1000).toISOString()
  const time = instant.slice(11, 19)
  if (shown === 'time' && serial < 1) return time
  return time === '00:00:00' ? instant.slice(0, 10) : `${instant.slice(0, 10)} ${time}`
}

/** The column number of a reference such as `AB12`, from 1; null when it has none. */
function columnOf(reference: string): number | null {
  const [, letters] = /^([A-Z]{1,3})\d*$/.exec(reference) ?? []
  if (letters === undefined) return null
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column
}

/** A cell of CSV (RFC 4180). */
export const csvCell = (text: string | undefined): string => {
  const plain = (text ?? '').replace(/\r\n?/g, '\n')
  return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
