import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { BackupSummary } from '../../../../src-preload/contract/data.ts'
import { asDiskError } from '../disk.ts'
import { checkDatabases } from '../restore/checkDatabases.ts'
import { summaryOf } from '../restore/stage.ts'
import { type UnpackParts, unpackBackup } from '../restore/unpack.ts'
import { openWorkplace, unpackedName } from './workplace.ts'

/**
 * Checks a backup as a restore would, and changes nothing: manifest, every checksum, every page and foreign key of its databases. Media are
 * read, but not written. The databases are unpacked to a folder beside the file, or where that can't be written, to the system's temporary
 * folder, and are deleted again.
 * @throws StudioError as `unpackBackup` and `checkDatabases`
 */
export async function verifyBackup(parts: Pick<UnpackParts, 'path' | 'progress' | 'signal'>): Promise<BackupSummary> {
  const workplace = openPlace(dirname(parts.path))
  try {
    const to = join(workplace.folder, unpackedName)
    const manifest = await unpackBackup({ ...parts, to, wants: (name) => name.endsWith('.sqlite') })
    checkDatabases(to, manifest)
    return summaryOf(manifest)
  } catch (thrown) {
    throw asDiskError(thrown, 'The check of the backup')
  } finally {
    workplace.close()
  }
}

function openPlace(beside: string): ReturnType<typeof openWorkplace> {
  try {
    return openWorkplace(beside)
  } catch {
    return openWorkplace(tmpdir())
  }
}
