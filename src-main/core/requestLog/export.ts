import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import type { TableFormat } from '../../../src-preload/contract/usage.ts'
import { csvCell } from '../shared/csv.ts'

/** A row of the exported log. Money is exact decimal text. */
export interface LogRow {
  row: RequestRow
  /** The id of the account that the row belongs to; empty when unknown. */
  linkedAccount: string
}

type Kind = 'text' | 'count' | 'ms' | 'flag' | 'instant' | 'sc'
type Cell = string | number | boolean | null

const whoOf = ({ who }: RequestRow): string =>
  who.kind === 'app' ? who.name : who.kind === 'studio' ? who.feature : who.from

/** Columns in file order. Append only; never reorder. */
const columns: readonly (readonly [name: string, kind: Kind, of: (one: LogRow) => Cell])[] = [
  ['id', 'count', ({ row }) => row.id],
  ['at', 'instant', ({ row }) => row.at],
  ['account', 'text', ({ linkedAccount }) => linkedAccount],
  ['who_kind', 'text', ({ row }) => row.who.kind],
  ['who_id', 'text', ({ row }) => (row.who.kind === 'app' ? row.who.id : null)],
  ['who', 'text', ({ row }) => whoOf(row)],
  ['method', 'text', ({ row }) => row.method],
  ['path', 'text', ({ row }) => row.path],
  ['endpoint', 'text', ({ row }) => row.endpoint],
  ['model', 'text', ({ row }) => row.model],
  ['state', 'text', ({ row }) => row.state],
  ['stream', 'flag', ({ row }) => row.stream],
  ['status', 'count', ({ row }) => row.status],
  ['problem', 'text', ({ row }) => row.problem?.kind ?? null],
  ['problem_words', 'text', ({ row }) => row.problem?.message ?? null],
  ['cancelled_by', 'text', ({ row }) => row.cancelledBy],
  ['attempts', 'count', ({ row }) => row.attempts],
  ['retried_after', 'text', ({ row }) => (row.retriedAfter.length === 0 ? null : row.retriedAfter.join(' '))],
  ['queued_ms', 'ms', ({ row }) => row.queuedMs],
  ['backoff_ms', 'ms', ({ row }) => row.backoffMs],
  ['connect_ms', 'ms', ({ row }) => row.connectMs],
  ['first_byte_ms', 'ms', ({ row }) => row.firstByteMs],
  ['duration_ms', 'ms', ({ row }) => row.durationMs],
  ['bytes_up', 'count', ({ row }) => row.bytesUp],
  ['bytes_down', 'count', ({ row }) => row.bytesDown],
  ['tokens_in', 'count', ({ row }) => row.tokensIn],
  ['tokens_out', 'count', ({ row }) => row.tokensOut],
  ['tokens_cached', 'count', ({ row }) => row.tokensCached],
  ['tokens_are', 'text', ({ row }) => row.tokensAre],
  ['cost_sc', 'sc', ({ row }) => row.cost],
  ['cost_is', 'text', ({ row }) => row.costIs],
  ['request_id', 'text', ({ row }) => row.requestId],
  ['times', 'count', ({ row }) => row.times],
  ['dialect', 'text', ({ row }) => row.dialect],
  ['asked_model', 'text', ({ row }) => row.askedModel],
  ['answered_model', 'text', ({ row }) => row.answeredModel],
  ['finish_reason', 'text', ({ row }) => row.finishReason],
  ['ignored', 'text', ({ row }) => (row.ignored.length === 0 ? null : row.ignored.join('; '))],
  ['adapted', 'text', ({ row }) => (row.adapted.length === 0 ? null : row.adapted.join('; '))],
  ['answer', 'text', ({ row }) => row.answer],
]

/** Maximum number of rows in memory. */
export const rowsAtOnce = 10_000

/** Yields the log as a file, in parts. `json` is one document per line. */
export async function* exportLog(
  parts: Iterable<readonly LogRow[]> | AsyncIterable<readonly LogRow[]>,
  format: TableFormat,
): AsyncGenerator<Uint8Array, undefined> {
  if (format === 'parquet') {
    yield* parquet(parts)
    return
  }
  if (format === 'csv') yield Buffer.from(`${columns.map(([name]) => name).join(',')}\r\n`)
  const line = format === 'csv' ? csvLine : jsonLine
  for await (const rows of parts) yield Buffer.from(rows.map(line).join(''))
}

const jsonLine = (one: LogRow): string =>
  `${JSON.stringify(Object.fromEntries(columns.map(([name, , of]) => [name, of(one)])))}\n`

/** RFC 4180, UTF-8. */
const csvLine = (one: LogRow): string => `${columns.map(([, , of]) => csvCell(of(one))).join(',')}\r\n`

/** Maximum number of fraction digits of SC in the contract, and the number of digits that fit into 16 bytes. */
const scale = 18
const precision = 38
export const parquetTypes = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  count: { type: 'INT64' },
  ms: { type: 'DOUBLE' },
  flag: { type: 'BOOLEAN' },
  instant: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  sc: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', scale, precision },
} as const

/** Apache Parquet with one row group per part. Counts are INT64 and money is DECIMAL(38, 18), so that sums are exact. */
async function* parquet(
  parts: Iterable<readonly LogRow[]> | AsyncIterable<readonly LogRow[]>,
): AsyncGenerator<Uint8Array, undefined> {
  const bytes = new ByteWriter()
  const schema = [
    { name: 'requests', num_children: columns.length },
    ...columns.map(([name, kind]) => ({ name, repetition_type: 'OPTIONAL' as const, ...parquetTypes[kind] })),
  ]
  const writer = new ParquetWriter({ writer: bytes, schema })
  /** Returns the new bytes. The total count continues, because the file's directory refers to offsets. */
  const fresh = (): Uint8Array => {
    const part = bytes.getBytes().slice()
    bytes.index = 0
    return part
  }
  for await (const rows of parts) {
    if (rows.length === 0) continue
    const columnData = columns.map(([name, kind, of]) => ({ name, data: rows.map((one) => stored(kind, of(one))) }))
    await writer.write({ columnData, rowGroupSize: rows.length })
    yield fresh()
  }
  await writer.finish()
  yield fresh()
}

function stored(kind: Kind, value: Cell): string | number | bigint | boolean | Date | null {
  if (value === null) return null
  if (kind === 'count' && typeof value === 'number') return BigInt(value)
  if (kind === 'instant' && typeof value === 'string') return new Date(value)
  return kind === 'sc' && typeof value === 'string' ? unscaled(value) : value
}

/** Converts decimal text to units of 1e-18 SC. */
export function unscaled(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(scale, '0'))
}
