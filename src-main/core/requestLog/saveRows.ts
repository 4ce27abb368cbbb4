import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RequestFilter } from '../../../src-preload/contract/requests.ts'
import type { Download } from '../../../src-preload/contract/transfers.ts'
import { exportLog, type LogRow } from './export.ts'
import type { SqliteRequestLog } from './requestLog.ts'

/** Maximum number of rows in memory. Reading them takes a few ms, and other work runs between two steps. */
const rowsAtOnce = 1000

/** The folder for download files, and the list of downloads. */
export interface LogDownloads {
  readonly folder: string
  readonly downloads: { offer(file: { path: string; name: string; mime: string; bytes: number }): Download }
}

/**
 * Writes the matching rows, newest first, to a CSV file that a page can download. Rows that arrive during the download are not included.
 * @throws StudioError `busy` with too many pending downloads, and the errors of the file system
 */
export async function saveRows(
  log: Pick<SqliteRequestLog, 'page' | 'accountOf'>,
  filter: RequestFilter,
  transfers: LogDownloads,
  signal: AbortSignal | undefined,
): Promise<Download> {
  const path = join(transfers.folder, randomUUID())
  const file = createWriteStream(path, { mode: 0o600 })
  try {
    await pipeline(Readable.from(exportLog(rowsOf(log, filter), 'csv'), { objectMode: false }), file, { signal })
    const name = `requests-${new Date().toISOString().slice(0, 10)}.csv`
    return transfers.downloads.offer({ path, name, mime: 'text/csv; charset=utf-8', bytes: file.bytesWritten })
  } catch (thrown) {
    await rm(path, { force: true })
    throw thrown
  }
}

async function* rowsOf(
  log: Pick<SqliteRequestLog, 'page' | 'accountOf'>,
  filter: RequestFilter,
): AsyncGenerator<readonly LogRow[]> {
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const rows = await log.page(filter, before, rowsAtOnce)
    yield rows.map((row) => ({ row, linkedAccount: log.accountOf(row.id) ?? '' }))
    before = rows.at(-1)?.id ?? 0
    if (rows.length < rowsAtOnce) return
  }
}
