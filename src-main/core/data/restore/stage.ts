import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { BackupSummary } from '../../../../src-preload/contract/data.ts'
import type { BackupManifest } from '../backup/manifest.ts'
import { databases } from '../databases.ts'
import { asDiskError, toDisk } from '../disk.ts'
import { checkDatabases } from './checkDatabases.ts'
import { dropStaging, everything, freshStaging, type Plan } from './swap.ts'
import { type UnpackParts, unpackBackup } from './unpack.ts'

export interface StageParts extends Pick<UnpackParts, 'path' | 'progress' | 'signal'> {
  dataDir: string
}

/**
 * Checks a backup completely and unpacks it to a folder beside the data, ready for the swap (swap.ts). Changes no data.
 * @throws StudioError as `unpackBackup` and `checkDatabases`
 */
export async function stageBackup({ dataDir, ...parts }: StageParts): Promise<Plan> {
  try {
    const to = freshStaging(dataDir)
    const manifest = await unpackBackup({ ...parts, to })
    checkDatabases(to, manifest)
    holdWhatWaits(join(to, 'studio.sqlite'))
    return {
      at: new Date().toISOString(),
      aside: '',
      leave: [...everything],
      come: [
        ...databases.filter(({ name }) => manifest.schemas[name] !== undefined).map(({ file }) => file),
        'media',
        'making',
      ],
      report: { what: 'restored', summary: summaryOf(manifest) },
    }
  } catch (thrown) {
    dropStaging(dataDir)
    throw asDiskError(thrown)
  }
}

/** Outbox items of the backup may have been sent since. They come back on hold, and a person must release them. */
function holdWhatWaits(path: string): void {
  const handle = new DatabaseSync(path)
  try {
    const knows = handle.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'waiting'").get()
    if (knows) handle.exec("UPDATE waiting SET state = 'held' WHERE state = 'waiting'")
  } finally {
    handle.close()
  }
  toDisk(path)
}

/** What a manifest says to a person. */
export const summaryOf = ({ version, madeAt, counts, entries }: BackupManifest): BackupSummary => ({
  version,
  madeAt,
  counts,
  bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
})
