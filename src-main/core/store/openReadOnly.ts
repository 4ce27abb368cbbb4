import { StudioError } from '../errors.ts'
import { appTable } from './apps.ts'
import { archiveTable } from './archive.ts'
import { createdItemTable } from './createdMedia.ts'
import { asStoreError, type Database, studioDatabase } from './database.ts'
import { isDatabaseThere } from './databaseFile.ts'
import { folderTable } from './folders.ts'
import { presetTable } from './presets.ts'
import { profileTable } from './profiles.ts'
import { promptTable } from './prompts.ts'
import { openReadOnly } from './readOnly.ts'
import { replyJournalTable } from './replyJournal.ts'
import { databaseFile } from './store.ts'

/**
 * What people wrote, for reading alone: beside a running core or without one; null where there is nothing yet. Changes nothing in the folder.
 * @param isInUse as `openReadOnly`
 * @throws StudioError `store_newer`, `store_damaged`, `bad_input` for a file that this version has to migrate first
 */
export function openStoreReadOnly(dataDir: string, isInUse?: true) {
  const file = databaseFile(dataDir)
  try {
    if (!isDatabaseThere(file)) return null
    const { handle, isOutdated, wasChanged } = openReadOnly(file, isInUse)
    try {
      const version = Number(handle.prepare('PRAGMA user_version').get()?.user_version)
      if (version > studioDatabase.migrations.length) {
        throw new StudioError('store_newer', `${file} was written by a newer version of Inference Studio.`)
      }
      if (version < studioDatabase.migrations.length) {
        const words = `${file} was written by an older version of Inference Studio. Start the studio once; it brings the file to this version.`
        throw new StudioError('bad_input', words)
      }
      const write = (): never => {
        throw new StudioError('bug', 'What is open for reading alone is not written to.')
      }
      const database: Database = {
        ...{
          handle,
          transaction: write,
          journal: write,
          dataVersion: () => 0,
          commits: () => 0,
          isWritable: () => false,
        },
        close: () => handle.close(),
      }
      return {
        archive: archiveTable(database),
        made: createdItemTable(database),
        pieces: replyJournalTable(database),
        folders: folderTable(database),
        prompts: promptTable(database),
        presets: presetTable(database),
        profiles: profileTable(database),
        toolKeys: appTable(database),
        isOutdated,
        wasChanged,
        close: () => handle.close(),
      }
    } catch (thrown) {
      handle.close()
      throw thrown
    }
  } catch (thrown) {
    throw asStoreError(thrown, file)
  }
}
