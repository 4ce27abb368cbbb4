import type { ReactNode } from 'react'
import { WithSc } from './WithSc.tsx'

export interface FiguresColumn {
  id: string
  /** `SC` and `est.` in a text are explained on hover. */
  title: ReactNode
  /** A column of figures, aligned at the end. */
  num?: boolean
}

/** A table of figures. `children` are the rows, `foot` is the row of totals. */
export function FiguresTable(props: {
  /** Accessible name, not visible. */
  label: string
  columns: readonly FiguresColumn[]
  foot?: ReactNode
  children: ReactNode
}) {
  return (
    <table className="figures">
      <caption className="sr-only">{props.label}</caption>
      <thead>
        <tr>
          {props.columns.map(({ id, title, num }) => (
            <th key={id} scope="col" className={num ? 'num' : undefined}>
              {typeof title === 'string' ? <WithSc text={title} /> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
      {props.foot && <tfoot>{props.foot}</tfoot>}
    </table>
  )
}
