import { join } from 'node:path'
import { StudioError } from '../../core/errors.ts'
import { markdownOfAll, writeArchive } from '../../core/features/archive/export.ts'
import { ZipWriter } from '../../core/features/archive/zipWriter.ts'
import { exportMedia } from '../../core/features/media/export.ts'
import { readStored, uuid } from '../../core/features/media/files.ts'
import { openAppsReadOnly } from '../../core/gateway/apps/apps.ts'
import { exportLog, type LogRow, rowsAtOnce } from '../../core/requestLog/export.ts'
import { openRequestLogReader } from '../../core/requestLog/reader.ts'
import { openStoreReadOnly } from '../../core/store/openReadOnly.ts'
import type { DataExport, ExportRange } from './dependencies.ts'
import { ownPackage } from './package.ts'

/**
 * Opens a data folder for export, read-only, with or without a running core. Needs no network and no keychain.
 * @throws StudioError `store_newer`, `store_damaged`
 */
export function openExport(dataDir: string): DataExport {
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
    markdown: (range) => allOf(markdownOfAll({ store: chats() }, within(range))),
    async archive(path, range) {
      await writeArchive({ store: chats(), media, version: ownPackage().version }, new ZipWriter(path), {
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
