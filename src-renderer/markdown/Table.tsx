import { FileSpreadsheet } from 'lucide-react'
import type { AlignType, PhrasingContent, Table, TableRow } from 'mdast'
import { memo, type ReactNode, useRef } from 'react'
import { CopyTool } from './CopyTool.tsx'
import { tableAsCsv, tableAsMarkdown } from './copy.ts'
import { useMarkdownWords } from './words.ts'

/** Draws the content of a row's cell. */
type DrawCell = (row: TableRow, at: number) => ReactNode

/** A table (GFM 4.10), scrolling sideways. A long one comes in several of these, each with the header again, as in print. */
export function TableView({ table, label }: { table: Table; label: DrawCell }) {
  const words = useMarkdownWords()
  const box = useRef<HTMLDivElement>(null)
  const [header, ...rows] = table.children
  const whole = (): HTMLTableElement[] => (box.current ? tablesFrom(box.current) : [])
  return (
    <div className="md-table-box" ref={box}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways must be reachable by keyboard (WCAG 2.1.1) */}
      <section className="md-table" aria-label={words('table')} tabIndex={0}>
        <table>
          {header && (
            <thead>
              <Row row={header} align={table.align} Tag="th" label={label} />
            </thead>
          )}
          <tbody>
            {rows.map((row, at) => (
              <Row key={rowKey(at)} row={row} align={table.align} Tag="td" label={label} />
            ))}
          </tbody>
        </table>
      </section>
      <span className="md-float">
        <CopyTool label={words('copyMarkdown')} text={() => tableAsMarkdown(whole())} />
        <CopyTool label={words('copyCsv')} text={() => tableAsCsv(whole())} icon={<FileSpreadsheet aria-hidden />} />
      </span>
    </div>
  )
}

const rowKey = (at: number): string => `r${at}`

interface RowProps {
  row: TableRow
  align: AlignType[] | null | undefined
  Tag: 'th' | 'td'
  label: DrawCell
}

/** While a table is written its block is parsed again at each change; rows that say the same stay as they are. */
const Row = memo(
  function Row({ row, align, Tag, label }: RowProps) {
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
  },
  (before, after) => before.row === after.row || sameRow(before, after),
)

const cellKey = (at: number): string => `c${at}`

function sameRow(before: RowProps, after: RowProps): boolean {
  const [a, b] = [before.row.children, after.row.children]
  if (a.length !== b.length || before.align?.length !== after.align?.length) return false
  return a.every((cell, at) => sameNodes(cell.children, b[at]?.children ?? []))
}

/** Whether two lists of inline nodes are drawn the same. References depend on definitions elsewhere, so they never count as the same. */
function sameNodes(a: readonly PhrasingContent[], b: readonly PhrasingContent[]): boolean {
  if (a.length !== b.length) return false
  return a.every((one, at) => {
    const other = b[at]
    if (!other || one.type !== other.type || one.type.endsWith('Reference')) return false
    if ('value' in one && (!('value' in other) || one.value !== other.value)) return false
    if ('url' in one && (!('url' in other) || one.url !== other.url)) return false
    if ('alt' in one && (!('alt' in other) || one.alt !== other.alt)) return false
    return !('children' in one) || ('children' in other && sameNodes(one.children, other.children))
  })
}

const alignOf = (align: AlignType | undefined): 'center' | 'right' | undefined =>
  align === 'center' || align === 'right' ? align : undefined

/** The table in `box` with the parts that were cut from it: neighbours that begin with the very same header. */
function tablesFrom(box: HTMLElement): HTMLTableElement[] {
  const all = [...(box.closest('.md')?.querySelectorAll<HTMLElement>('.md-table-box') ?? [box])]
  const head = (each: HTMLElement | undefined): string => each?.querySelector('thead')?.textContent ?? ''
  const joined = (before: HTMLElement | undefined, after: HTMLElement | undefined): boolean =>
    before !== undefined && after !== undefined && head(before) === head(after) && followsAtOnce(before, after)
  let from = all.indexOf(box)
  let to = from
  while (joined(all[from - 1], all[from])) from--
  while (joined(all[to], all[to + 1])) to++
  return all.slice(from, to + 1).flatMap((each) => each.querySelector('table') ?? [])
}

function followsAtOnce(before: HTMLElement, after: HTMLElement): boolean {
  if (before.nextElementSibling === after) return true
  const next = before.parentElement?.nextElementSibling
  return before.nextElementSibling === null && after.previousElementSibling === null && next === after.parentElement
}
