import { FileSpreadsheet } from 'lucide-react'
import type { AlignType, Table, TableRow } from 'mdast'
import { memo, type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'
import { CopyTool } from './CopyTool.tsx'
import { tableAsCsv, tableAsMarkdown } from './copy.ts'
import { useMarkdownTexts } from './messages.ts'
import { type AlignedRow, isSameRow, sameNodes } from './sameRow.ts'

/** Draws the content of a cell. */
type DrawCell = (row: TableRow, at: number) => ReactNode

/**
 * A table (GFM 4.10) that scrolls sideways. A long table consists of several tables that look like one: they share the column widths of the
 * first part and its header, and parts far from the view are not laid out.
 */
export function TableView({ table, label }: { table: Table; label: DrawCell }) {
  const t = useMarkdownTexts()
  const box = useRef<HTMLDivElement>(null)
  const parts = [table, ...(table.more ?? [])]
  useColumns(box, parts.length, table.children[0]?.children.length ?? 0)
  const whole = (): HTMLTableElement[] => [...(box.current?.querySelectorAll('table') ?? [])]
  return (
    <div className="md-table-box" ref={box}>
      {/* biome-ignore lint/a11y/useSemanticElements: no form field, and a section would be a landmark with the same name per table */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls sideways must be reachable by keyboard (WCAG 2.1.1) */}
      <div role="group" className="md-table" aria-label={t('table')} tabIndex={0}>
        {parts.map((part, at) => (
          <Part key={partKey(at)} rows={part.children} align={table.align} first={at === 0} label={label} />
        ))}
      </div>
      <span className="md-float">
        <CopyTool label={t('copyMarkdown')} text={() => tableAsMarkdown(whole())} />
        <CopyTool label={t('copyCsv')} text={() => tableAsCsv(whole())} icon={<FileSpreadsheet aria-hidden />} />
      </span>
    </div>
  )
}

const partKey = (at: number): string => `t${at}`

interface PartProps {
  rows: readonly TableRow[]
  align: AlignType[] | null | undefined
  first: boolean
  label: DrawCell
}

const Part = memo(
  function Part({ rows: [header, ...rows], align, first, label }: PartProps) {
    return (
      <div className={first ? 'md-part' : 'md-part md-more'}>
        <table>
          {header && (
            <thead>
              <Row row={header} align={align} Tag="th" label={label} />
            </thead>
          )}
          <tbody>
            {rows.map((row, at) => (
              <Row key={rowKey(at)} row={row} align={align} Tag="td" label={label} />
            ))}
          </tbody>
        </table>
      </div>
    )
  },
  (before, after) => before.rows === after.rows && !after.rows.some(refers),
)

/** Whether a row contains references, whose definitions in other blocks may change. */
const refers = (row: TableRow): boolean => row.children.some((cell) => !sameNodes(cell.children, cell.children))

/** Gives all parts the column shares of the first part. Measured once, so that later rows never move earlier ones. */
function useColumns(box: RefObject<HTMLElement | null>, parts: number, columns: number): void {
  const widths = useRef<{ shares: number[]; least: number } | null>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    if (parts < 2 || widths.current?.shares.length !== columns) widths.current = null
    const tables = [...element.querySelectorAll('table')]
    element.toggleAttribute('data-parts', parts > 1)
    if (parts < 2) return
    widths.current ??= measured(tables[0])
    const { shares, least } = widths.current
    element.style.setProperty('--md-table-least', `${least}px`)
    for (const table of tables) {
      for (const [at, cell] of [...(table.rows[0]?.cells ?? [])].entries()) {
        const width = `${shares[at] ?? 0}%`
        if (cell.style.width !== width) cell.style.width = width
      }
    }
  }, [box, parts, columns])
}

/** Column shares in percent, and the minimum width in px at which no word breaks. */
function measured(table: HTMLTableElement | undefined): { shares: number[]; least: number } {
  if (!table) return { shares: [], least: 0 }
  const { style } = table
  style.tableLayout = 'auto'
  const whole = table.offsetWidth || 1
  const shares = [...(table.rows[0]?.cells ?? [])].map((cell) => (cell.getBoundingClientRect().width / whole) * 100)
  style.width = 'min-content'
  const least = table.offsetWidth
  style.width = ''
  style.tableLayout = ''
  return { shares, least }
}

const rowKey = (at: number): string => `r${at}`

interface RowProps extends AlignedRow {
  Tag: 'th' | 'td'
  label: DrawCell
}

/** A growing table is parsed again at each change. Rows with the same content do not render again. */
const Row = memo(function Row({ row, align, Tag, label }: RowProps) {
  return (
    <tr>
      {row.children.map((_, at) => (
        <Tag
          key={cellKey(at)}
          dir="auto"
          data-align={alignOf(align?.[at])}
          {...(Tag === 'th' ? { scope: 'col' as const } : {})}
        >
          {label(row, at)}
        </Tag>
      ))}
    </tr>
  )
}, isSameRow)

const cellKey = (at: number): string => `c${at}`

const alignOf = (align: AlignType | undefined): 'center' | 'right' | undefined =>
  align === 'center' || align === 'right' ? align : undefined
