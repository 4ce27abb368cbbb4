import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sweepTemporary } from '../../shared/ownFiles.ts'
import { createDownloads } from './downloads.ts'
import { createPages } from './pages.ts'
import { createStreams } from './streams.ts'
import { createUploads } from './uploads.ts'

export interface TransferOptions {
  dataDir: string
  /** How long an unused file stays, ms. */
  keptMs?: number
}

const hour = 3_600_000

export type Transfers = ReturnType<typeof createTransfers>

/**
 * Files and streams between a page and the core. Files are under `tmp/` of the data folder (0700, files 0600). Leftovers of an earlier
 * process are deleted before this returns. Features may create files in `folder`, under names that begin with an id, and offer them.
 */
export function createTransfers({ dataDir, keptMs = hour }: TransferOptions) {
  const folder = join(dataDir, 'tmp')
  sweepTemporary(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const uploads = createUploads(folder, keptMs)
  const downloads = createDownloads(keptMs)
  const streams = createStreams()
  const pages = createPages()
  return {
    folder,
    uploads,
    downloads,
    streams,
    pages,
    async close(): Promise<void> {
      streams.close()
      pages.close()
      await Promise.all([uploads.close(), downloads.close()])
    },
  }
}
