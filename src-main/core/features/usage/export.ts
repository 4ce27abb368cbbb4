import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import type { TableFormat, ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { csvCell } from '../../shared/csv.ts'
import { exportParquet } from './exportParquet.ts'
import { type ExportRow, exportColumns } from './exportRows.ts'

/** The folder for download files, and the list of downloads. */
interface Transfers {
  readonly folder: string
  readonly downloads: { offer(file: { path: string; name: string; mime: string; bytes: number }): Download }
}

const mimes: Record<TableFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  parquet: 'application/vnd.apache.parquet',
}

/** Encodes rows as the bytes of a file. */
export function exportRows(rows: readonly ExportRow[], format: TableFormat): Uint8Array {
  if (format === 'parquet') return exportParquet(rows)
  return Buffer.from(format === 'csv' ? csvOf(rows) : jsonOf(rows))
}

/**
 * Exports a view as a download. `write` writes the file to a path and returns its length in bytes.
 * @throws StudioError `busy` with too many pending downloads, and errors of `write`
 */
export async function exportView(
  write: (path: string) => Promise<number>,
  { query: { from, to, source, by }, format }: { query: ViewQuery; format: TableFormat },
  transfers: Transfers,
): Promise<Download> {
  const path = join(transfers.folder, randomUUID())
  try {
    const bytes = await write(path)
    const name = `usage-${source}-by-${by}-${from}-${to}.${format}`
    return transfers.downloads.offer({ path, name, mime: mimes[format], bytes })
  } catch (thrown) {
    await rm(path, { force: true })
    throw thrown
  }
}

/** CSV (RFC 4180), UTF-8, with a header line. */
function csvOf(rows: readonly ExportRow[]): string {
  // A negative amount is a number, not the beginning of a formula.
  const cell = (row: ExportRow, column: (typeof exportColumns)[number]) =>
    column === 'cost_sc' ? (row.cost_sc ?? '') : csvCell(row[column])
  const lines = rows.map((row) => exportColumns.map((column) => cell(row, column)).join(','))
  return [exportColumns.join(','), ...lines, ''].join('\r\n')
}

/** JSON: one array, with one row per line. */
const jsonOf = (rows: readonly ExportRow[]): string =>
  `[${rows.map((row) => `\n${JSON.stringify(row)}`).join(',')}\n]\n`
