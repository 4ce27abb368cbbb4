import { join } from 'node:path'
import type { TableFormat } from '../../../../src-preload/contract/usage.ts'
import { createWords } from '../../../../src-renderer/i18n/host.ts'
import { StudioError } from '../../errors.ts'
import { markdownOfAll, writeArchive } from '../../features/archive/export.ts'
import { ZipWriter } from '../../features/archive/zipWriter.ts'
import { exportMedia } from '../../features/media/export.ts'
import { readStored, uuid } from '../../features/media/files.ts'
import { openAppsReadOnly } from '../../gateway/apps/apps.ts'
import { exportLog, type LogRow, rowsAtOnce } from '../../requestLog/export.ts'
import { openRequestLogReader } from '../../requestLog/reader.ts'
import { openStoreReadOnly } from '../../store/openReadOnly.ts'

/** Instants from `from` (included) to `until` (excluded). Null means unbounded. */
export interface ExportRange {
  from: string | null
  until: string | null
}

/** Exports of a data folder to open formats. Works while another process serves it. */
export interface DataExport {
  /** The request log, oldest first, of one account or of all (null). */
  requests(format: TableFormat, range: ExportRange, account: string | null): AsyncIterable<Uint8Array>
  /** Conversations last changed in the range, as Markdown. @throws StudioError `no_such_item` */
  markdown(range: ExportRange): AsyncIterable<Uint8Array>
  /** The same conversations as an archive that can be imported, written to a new file. @throws StudioError `no_such_item`, `bad_input` */
  archive(path: string, range: ExportRange): Promise<void>
  /** Speech, recordings, transcripts and images as files in a new folder. @throws StudioError `no_such_item` */
  media(folder: string, range: ExportRange): Promise<{ files: number; missing: number }>
  close(): void
}

/**
 * Opens a data folder for export, read-only, with or without a running core. Needs no network and no keychain.
 * @param version of this program, for the archive
 * @throws StudioError `store_newer`, `store_damaged`
 */
export function openExport(dataDir: string, version: string): DataExport {
  const within =
    ({ from, until }: ExportRange) =>
    (at: string): boolean =>
      (from === null || at >= from) && (until === null || at < until)

  function* rowsOf(range: ExportRange, account: string | null): Generator<LogRow[]> {
    const apps = openAppsReadOnly(dataDir)
    const reader = openRequestLogReader(dataDir, apps.list)
    const filter = {
      ...(range.from !== null && { since: range.from }),
      // The filter of the log includes its upper bound.
      ...(range.until !== null && { until: new Date(Date.parse(range.until) - 1).toISOString() }),
    }
    try {
      const accountOf = reader.accounts()
      let after = 0
      for (;;) {
        const rows = reader.since(filter, after, rowsAtOnce)
        const last = rows.at(-1)
        if (!last) return
        after = last.id
        const entries = rows.map((row) => ({ row, linkedAccount: accountOf(row.id) ?? '' }))
        yield account === null ? entries : entries.filter(({ linkedAccount }) => linkedAccount === account)
      }
    } finally {
      reader.close()
      apps.close()
    }
  }

  const store = openStoreReadOnly(dataDir)
  const chats = () => {
    if (store) return store
    throw new StudioError('no_such_item', 'This folder has no conversations yet.')
  }
  const media = {
    bytes(id: string): Promise<Buffer> {
      if (!uuid.test(id)) throw new StudioError('no_such_item', 'This file no longer exists.')
      return readStored(join(dataDir, 'media', id))
    },
  }
  /** @throws StudioError `busy` when a core started during the export, because it may have changed the data */
  const assertUnchanged = (): void => {
    if (!store?.wasChanged()) return
    throw new StudioError('busy', 'Another process changed the data during the export. Export again.')
  }
  async function* allOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* content
    assertUnchanged()
  }
  return {
    requests: (format, range, account) => exportLog(rowsOf(range, account), format),
    markdown: (range) => allOf(markdownOfAll({ store: chats(), words: createWords() }, within(range))),
    async archive(path, range) {
      await writeArchive({ store: chats(), media, version }, new ZipWriter(path), {
        now: new Date().toISOString(),
        wanted: within(range),
      })
      assertUnchanged()
    },
    async media(to, range) {
      const items = chats().made.items()
      const exported = await exportMedia(items, { mediaDir: join(dataDir, 'media'), to, wanted: within(range) })
      assertUnchanged()
      return exported
    },
    close: () => store?.close(),
  }
}
