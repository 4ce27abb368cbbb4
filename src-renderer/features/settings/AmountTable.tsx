import type { ReactNode } from 'react'
import { cx } from '../../shared/ui/cx.ts'

export interface AmountRow {
  id: string
  name: ReactNode
  /** Null: the name spans this column too. */
  first: ReactNode
  second: ReactNode
}

/** A table with a name and two amounts per row, and an optional row of totals. */
export function AmountTable(props: {
  columns: readonly [name: string, first: string, second: string]
  rows: readonly AmountRow[]
  total?: AmountRow
  /** More space between the rows. */
  roomy?: boolean
}) {
  const space = props.roomy ? 'py-1.5' : 'py-1'
  const [name, first, second] = props.columns
  return (
    <table className="w-full border-collapse text-s">
      <thead>
        <tr className="text-faint">
          <th scope="col" className="py-1 text-start font-normal">
            {name}
          </th>
          <th scope="col" className="px-3 py-1 text-end font-normal">
            {first}
          </th>
          <th scope="col" className="py-1 text-end font-normal">
            {second}
          </th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => (
          <tr key={row.id} data-amount={row.id} className="border-line border-t align-top">
            <Cells row={row} space={space} weight="font-normal" />
          </tr>
        ))}
      </tbody>
      {props.total && (
        <tfoot>
          <tr className="border-line-strong border-t font-[540]">
            <Cells row={props.total} space={space} weight="font-[540]" />
          </tr>
        </tfoot>
      )}
    </table>
  )
}

function Cells({ row, space, weight }: { row: AmountRow; space: string; weight: string }) {
  return (
    <>
      <th scope="row" colSpan={row.first === null ? 2 : 1} className={cx(space, weight, 'text-start align-top')}>
        {row.name}
      </th>
      {row.first !== null && <td className={cx(space, 'num px-3 text-end align-top')}>{row.first}</td>}
      <td className={cx(space, 'num text-end align-top')}>{row.second}</td>
    </>
  )
}
