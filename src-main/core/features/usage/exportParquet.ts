import { parquetWriteBuffer } from 'hyparquet-writer'
import { parquetTypes, unscaled } from '../../requestLog/export.ts'
import { type ExportRow, exportColumns } from './exportRows.ts'

type Column = (typeof exportColumns)[number]
type Schema = NonNullable<Parameters<typeof parquetWriteBuffer>[0]['schema']>

const { text, count, instant, sc } = parquetTypes
const day = { type: 'INT32', converted_type: 'DATE' } as const

const types: Record<Column, Omit<Schema[number], 'name'>> = {
  from: day,
  to: day,
  state: text,
  source: text,
  by: text,
  id: text,
  name: text,
  requests: count,
  tokens_in: count,
  tokens_out: count,
  tokens_cached: count,
  cost_sc: sc,
  as_of: instant,
  incomplete: count,
}

/** Apache Parquet with days as DATE, counts as INT64 and money as DECIMAL(38, 18), so that sums are exact. */
export function exportParquet(rows: readonly ExportRow[]): Uint8Array {
  const schema: Schema = [
    { name: 'usage', num_children: exportColumns.length },
    ...exportColumns.map((name) => ({ name, repetition_type: 'OPTIONAL' as const, ...types[name] })),
  ]
  const columnData = exportColumns.map((name) => ({ name, data: rows.map((row) => stored(name, row[name])) }))
  return new Uint8Array(parquetWriteBuffer({ columnData, schema }))
}

function stored(column: Column, value: string | number | null): string | number | bigint | Date | null {
  if (value === null) return null
  if (typeof value === 'number') return BigInt(value)
  if (column === 'from' || column === 'to' || column === 'as_of') return new Date(value)
  return column === 'cost_sc' ? unscaled(value) : value
}
