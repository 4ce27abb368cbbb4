import { ArrowDown, ArrowUp } from 'lucide-react'
import { useMemo, useState } from 'react'
import { joinFacts } from '../../../i18n/format.ts'
import { revealed } from '../../../shared/markdown/hiddenCharacters.tsx'
import { Button } from '../../../shared/ui/Button.tsx'
import { maxCsvColumns, maxCsvRows, numberOf, readCsv, sortRows } from './csv.ts'
import { maxDocumentChars } from './frame.ts'
import { usePreviewTexts } from './texts.ts'

/** Rows drawn at once, and characters drawn of a cell. */
const [rowStep, cellChars] = [200, 400]

/** A table that can be sorted by each column. */
export function CsvView({ text, title }: { text: string; title: string }) {
  const t = usePreviewTexts()
  const [sort, setSort] = useState<{ column: number; descending: boolean } | null>(null)
  const [most, setMost] = useState(rowStep)
  const long = text.length > maxDocumentChars
  const table = useMemo(() => (long ? null : readCsv(text)), [text, long])
  const rows = useMemo(() => {
    if (!table) return []
    return sort ? sortRows(table.rows, sort.column, sort.descending) : table.rows
  }, [table, sort])
  if (!table) return <p className="chat-preview-note">{t('tooLong', { most: maxDocumentChars })}</p>
  const { header, cut } = table
  if (header.length === 0) return <p className="chat-preview-note">{t('empty')}</p>
  const columns = Math.max(header.length, rows[0]?.length ?? 0)
  /** Ascending, then descending, then as written. */
  const sortBy = (column: number): void => {
    if (sort?.column !== column) setSort({ column, descending: false })
    else setSort(sort.descending ? null : { column, descending: true })
  }
  return (
    <div className="chat-preview-table">
      <p className="chat-preview-count">
        {joinFacts([
          t('csvRows', { count: rows.length }),
          cut && t('csvCut', { rows: maxCsvRows, columns: maxCsvColumns }),
        ])}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <section className="chat-preview-scroll" aria-label={title || t('kinds.csv')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {Array.from({ length: columns }, (_, at) => {
                const sorted = sort?.column === at ? (sort.descending ? 'descending' : 'ascending') : undefined
                const Arrow = sorted === 'descending' ? ArrowDown : ArrowUp
                return (
                  <th key={columnKey(at)} scope="col" aria-sort={sorted} data-number={isNumeric(rows, at) || undefined}>
                    <button type="button" onClick={() => sortBy(at)}>
                      <span>{header[at] || t('csvColumn', { at: at + 1 })}</span>
                      {sorted && <Arrow aria-hidden />}
                    </button>
                  </th>
                )
              })}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row, nth) => (
              <tr key={columnKey(nth)}>
                {Array.from({ length: columns }, (_, at) => {
                  const cell = row[at] ?? ''
                  return (
                    <td key={columnKey(at)} data-number={numberOf(cell) !== null || undefined} dir="auto">
                      {revealed(cell.length > cellChars ? `${cell.slice(0, cellChars)}…` : cell)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length > most && (
          <Button className="chat-preview-more" onClick={() => setMost(most + rowStep)}>
            {t('csvMore', { count: Math.min(rowStep, rows.length - most) })}
          </Button>
        )}
      </section>
    </div>
  )
}

/** Whether the column has numbers at its beginning, so that its heading is above them. */
const isNumeric = (rows: readonly (readonly string[])[], at: number): boolean => {
  const [first] = rows.slice(0, rowStep).flatMap((row) => row[at] || [])
  return first !== undefined && numberOf(first) !== null
}

const columnKey = (at: number): string => `c${at}`
