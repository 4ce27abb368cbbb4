import type { DeletableKind, DeletionPlan, RetentionState } from '../../../../src-preload/contract/retention.ts'
import { type OpenFolder, type OpeningParts, onFolder } from '../../data/opening/openFolder.ts'
import { ChatLibrary } from '../../features/library/library.ts'
import { createMedia } from '../../features/media/media.ts'
import { createMediaRetention } from '../../features/media/retention.ts'
import { createTransfers } from '../../features/transfers/transfers.ts'
import { SqliteRequestLog } from '../../requestLog/requestLog.ts'
import { RetentionClock } from '../../store/retentionClock.ts'
import { databaseFile, openStore } from '../../store/store.ts'
import { composeRetention } from '../retention.ts'

/** Deletes data by age in a folder that no other process uses. */
export interface DataErase {
  count(selection: {
    what: readonly DeletableKind[]
    olderThanDays: number
    archivedOnly: boolean
  }): Promise<DeletionPlan>
  /** Returns the result. @throws StudioError `bad_input` when more would be deleted than was counted */
  erase(plan: DeletionPlan): Promise<RetentionState['last']>
  /** Stops early. Data that is already deleted stays deleted. */
  stop(): void
  close(): Promise<void>
}

/**
 * Opens a data folder to delete data by age. No other process may use the folder. Needs no network and no keychain.
 * @throws StudioError `folder_in_use`, and those of the start of the core
 */
export function openErase(parts: Pick<OpeningParts, 'dataDir' | 'log' | 'opening'>): Promise<DataErase> {
  return onFolder(parts, (folder) => eraseIn(parts, folder))
}

function eraseIn({ dataDir, log }: Pick<OpeningParts, 'dataDir' | 'log'>, { lock, report }: OpenFolder): DataErase {
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
