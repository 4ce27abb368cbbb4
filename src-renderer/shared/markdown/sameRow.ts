import type { AlignType, PhrasingContent, TableRow } from 'mdast'

type Align = AlignType[] | null | undefined

/** A row, and how the columns of its table are aligned. */
export interface AlignedRow {
  row: TableRow
  align: Align
}

/** The last colon of the line below the header may arrive after the header was drawn. */
const sameAlign = (a: Align, b: Align): boolean =>
  a === b || (a?.length === b?.length && (a ?? []).every((one, at) => one === b?.[at]))

/** Whether a row looks the same as before, so that it need not render again while its table grows. */
export function isSameRow(before: AlignedRow, after: AlignedRow): boolean {
  if (!sameAlign(before.align, after.align)) return false
  if (before.row === after.row) return true
  const [a, b] = [before.row.children, after.row.children]
  if (a.length !== b.length) return false
  return a.every((cell, at) => sameNodes(cell.children, b[at]?.children ?? []))
}

/** Whether two lists of inline nodes look the same. References depend on definitions elsewhere, so they never do. */
export function sameNodes(a: readonly PhrasingContent[], b: readonly PhrasingContent[]): boolean {
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
