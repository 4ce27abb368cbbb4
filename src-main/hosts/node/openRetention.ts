import { composeRetention } from '../../core/compose/retention.ts'
import { type OpenFolder, type OpeningParts, onFolder } from '../../core/data/opening/openFolder.ts'
import { ChatLibrary } from '../../core/features/library/library.ts'
import { createMedia } from '../../core/features/media/media.ts'
import { createMediaRetention } from '../../core/features/media/retention.ts'
import { createTransfers } from '../../core/features/transfers/transfers.ts'
import { SqliteRequestLog } from '../../core/requestLog/requestLog.ts'
import { RetentionClock } from '../../core/store/retentionClock.ts'
import { databaseFile, openStore } from '../../core/store/store.ts'
import type { DataErase } from './dependencies.ts'
import { log } from './output.ts'

/**
 * Opens a data folder to delete data by age. No other process may use the folder. Needs no network and no keychain.
 * @throws StudioError `folder_in_use`, and those of the start of the core
 */
export function openErase(dataDir: string, more: Pick<OpeningParts, 'opening' | 'signal'> = {}): Promise<DataErase> {
  return onFolder({ dataDir, log, ...more }, (folder) => eraseIn(dataDir, folder))
}

function eraseIn(dataDir: string, { lock, report }: OpenFolder): DataErase {
  const store = openStore(dataDir)
  report.onFailure(() => store.close())
  const { bodyDays } = store.settings.read()
  const deadlines = new RetentionClock({ dataDir, isDated: store.erasures.isRemovedBetween })
  deadlines.start()
  report.onFailure(() => deadlines.close())
  const requestLog = new SqliteRequestLog({ dataDir, apps: () => [], bodyDays: () => bodyDays, deadlines, log })
  report.onFailure(() => requestLog.close())
  report.opened()
  const transfers = createTransfers({ dataDir })
  const media = createMedia({ dataDir, store, uploads: transfers.uploads })
  const library = new ChatLibrary({
    store,
    deadlines,
    databaseFile: databaseFile(dataDir),
    log,
    dropMedia: (ids) => media.drop(ids),
    deleteBodies: async (rows) => {
      for (const id of rows) await requestLog.deleteBodies({ id })
    },
  })
  const host = { dataDir, log, reveal: async () => false, dragOut: null }
  const keeping = createMediaRetention({ host, store, media, deadlines, tempDir: transfers.folder })
  const erasing = composeRetention({
    store,
    requestLog,
    library,
    media: keeping,
    deadlines,
    log,
    remove: (id) => store.conversations.setRemoved(id, new Date().toISOString()),
    // The command deletes only the data that it names. The retention settings do not apply.
    logDays: () => null,
  })
  report.built()
  return {
    count: erasing.count,
    async erase(plan) {
      const parts = plan.parts.flatMap(({ what, items }) => (items > 0 ? { what, reported: items } : []))
      await erasing.start({ ...plan, parts })
      await erasing.ended()
      return erasing.state.read().last
    },
    stop: () => void erasing.stop(),
    async close() {
      await erasing.close()
      await keeping.close()
      await library.close()
      await transfers.close()
      await media.swept
      await requestLog.close()
      deadlines.close()
      store.close()
      lock.release()
    },
  }
}
