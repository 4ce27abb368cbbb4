import type { ReactNode } from 'react'
import { cx } from './cx.ts'

interface KeyValueProps {
  rows: { id: string; name: ReactNode; value: ReactNode; quiet?: boolean }[]
  /** The values are sentences, which begin below each other. */
  sentences?: boolean
}

/** Facts: name on the left, value on the right. */
export function KeyValue({ rows, sentences = false }: KeyValueProps) {
  return (
    <dl className="grid grid-cols-[minmax(0,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-s">
      {rows.map(({ id, name, value, quiet }) => (
        <div key={id} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className={cx('num min-w-0 break-words', !sentences && 'text-end', quiet && 'text-quiet')}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
