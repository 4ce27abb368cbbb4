import { locale } from '../../../i18n/format.ts'

/** Limits of a displayed table. */
export const maxCsvRows = 20_000
export const maxCsvColumns = 200

export interface CsvTable {
  header: readonly string[]
  rows: readonly (readonly string[])[]
  /** Whether rows or columns beyond the limits were left out. */
  cut: boolean
}

/** Reads comma, semicolon or tab separated values (RFC 4180). Accepts everything: a quote that is never closed ends with the text. */
export function readCsv(text: string): CsvTable {
  const separator = separatorOf(text)
  const all: string[][] = []
  let row: string[] = []
  let cell = ''
  let cut = false
  let at = 0
  const endCell = (): void => {
    if (row.length < maxCsvColumns) row.push(cell)
    else cut = true
    cell = ''
  }
  const endRow = (): void => {
    endCell()
    if (row.length > 1 || row[0] !== '') all.push(row)
    row = []
  }
  while (at < text.length && all.length <= maxCsvRows) {
    const char = text.charAt(at)
    if (char === '"' && cell === '') {
      const end = quoteEnd(text, at + 1)
      cell = text.slice(at + 1, end).replaceAll('""', '"')
      at = end + 1
      continue
    }
    if (char === separator) endCell()
    else if (char === '\n') endRow()
    else if (char !== '\r' || text.charAt(at + 1) !== '\n') cell += char
    at++
  }
  if (at < text.length) cut = true
  else if (cell !== '' || row.length > 0) endRow()
  const [header = [], ...rows] = all
  return { header, rows, cut }
}

/** Position of the quote that ends a quoted cell, or the end of the text. */
function quoteEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text.charAt(at + 1) !== '"') return at
  }
  return text.length
}

/** The most frequent separator of the first line. Quoted cells are skipped: they may contain separators and line ends. */
function separatorOf(text: string): string {
  const line =
    text
      .slice(0, 10_000)
      .replace(/(^|[,;\t\n])"(?:[^"]|"")*"/g, '$1')
      .split('\n', 1)[0] ?? ''
  const count = (separator: string): number => line.split(separator).length
  return ['\t', ';'].reduce((best, next) => (count(next) > count(best) ? next : best), ',')
}

/** Rows in the order of a column. Numbers come before texts, and equal rows keep their order. */
export function sortRows(rows: CsvTable['rows'], column: number, descending: boolean): CsvTable['rows'] {
  const keyed = rows.map((row) => {
    const text = row[column] ?? ''
    const number = numberOf(text)
    return { row, text, number }
  })
  const collator = new Intl.Collator(locale(), { numeric: true })
  const sign = descending ? -1 : 1
  keyed.sort((a, b) => {
    if (a.number !== null && b.number !== null) return sign * (a.number - b.number)
    if (a.number !== null || b.number !== null) return sign * (a.number === null ? 1 : -1)
    return sign * collator.compare(a.text, b.text)
  })
  return keyed.map(({ row }) => row)
}

/** The number that a cell contains, also with grouping, a currency or a percent sign. Null for other texts. */
export function numberOf(cell: string): number | null {
  const bare = cell
    .slice(0, 60)
    .trim()
    .replace(/^[€$£¥]\s?|\s?[€$£¥%]$/g, '')
    .replace(/(?<=\d),(?=\d{3}(?:\D|$))/g, '')
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?$/i.test(bare) ? Number(bare) : null
}
