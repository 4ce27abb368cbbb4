import { StudioError } from '../errors.ts'
import { appReader } from './apps.ts'
import { archiveReader } from './archive.ts'
import { createdItemReader } from './createdMedia.ts'
import { studioDatabase } from './database.ts'
import { documentReader } from './documents.ts'
import { folderReader } from './folders.ts'
import { pinnedFileReader } from './pinnedFiles.ts'
import { presetReader } from './presets.ts'
import { profileReader } from './profiles.ts'
import { promptReader } from './prompts.ts'
import { readDatabase } from './readOnly.ts'
import { replyJournalReader } from './replyJournal.ts'
import { databaseFile } from './store.ts'

/**
 * Opens the studio database for reading, beside a running core or without one. Null when the folder has no database yet. Changes nothing in the
 * folder.
 * @param isInUse as `openReadOnly`
 * @throws StudioError `store_newer`, `store_damaged`, `bad_input` for a file that this version must migrate first
 */
export function openStoreReadOnly(dataDir: string, isInUse?: true) {
  const file = databaseFile(dataDir)
  const whenOlder = (): never => {
    const text = `${file} was written by an older version of Inference Studio. Start the studio once; it brings the file to this version.`
    throw new StudioError('bad_input', text)
  }
  return readDatabase(file, studioDatabase, { isInUse, whenOlder }, ({ handle, isOutdated, wasChanged, close }) => ({
    archive: archiveReader(handle),
    documents: documentReader(handle),
    made: createdItemReader(handle),
    replyJournal: replyJournalReader(handle),
    folders: folderReader(handle),
    pinnedFiles: pinnedFileReader(handle),
    prompts: promptReader(handle),
    presets: presetReader(handle),
    profiles: profileReader(handle),
    appKeys: appReader(handle),
    isOutdated,
    wasChanged,
    close,
  }))
}
/** The readers of the studio database; an open Store has them too. */
export type StoreReaders = Omit<
  NonNullable<ReturnType<typeof openStoreReadOnly>>,
  'isOutdated' | 'wasChanged' | 'close'
>
