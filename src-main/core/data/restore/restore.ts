import { join } from 'node:path'
import type { BackupSummary, Counts } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../errors.ts'
import { sweepTemporary } from '../../shared/ownFiles.ts'
import { lockFolder } from '../../store/lock.ts'
import { readContents } from '../contents.ts'
import { formerIn } from '../recovery/reports.ts'
import { type StageParts, stageBackup } from './stage.ts'
import { dropStaging, settleSwaps, swapNow } from './swap.ts'

export interface RestoreParts extends StageParts {
  /**
   * Called when the backup has been checked, with its summary and the data that it would replace. `now` is null when that data cannot be
   * read. When it resolves to false, nothing is changed.
   */
  agree(backup: BackupSummary, now: { counts: Counts; bytes: number } | null): Promise<boolean>
}

/**
 * Replaces all data of an unused data folder with a backup. The former data is kept in the folder (`keptAt`; null when there was none).
 * Returns null when `agree` declined.
 * @throws StudioError `folder_in_use`; as `stageBackup`
 */
export async function restoreBackup(
  parts: RestoreParts,
): Promise<{ summary: BackupSummary; keptAt: string | null } | null> {
  const { dataDir, agree } = parts
  const lock = lockFolder(dataDir)
  try {
    settleSwaps(dataDir)
    const plan = await stageBackup(parts)
    if (plan.report.what !== 'restored') throw new StudioError('bug', 'The staged files are not a backup.')
    const { summary } = plan.report
    if (!(await agree(summary, hereOrNull(dataDir)))) {
      dropStaging(dataDir)
      return null
    }
    const aside = swapNow(dataDir, plan)
    // Temporary files of the former data: uploads and downloads.
    sweepTemporary(dataDir)
    return { summary, keptAt: formerIn(join(dataDir, aside)) }
  } finally {
    lock.release()
  }
}

function hereOrNull(dataDir: string) {
  try {
    return readContents(dataDir)
  } catch {
    // The data is damaged, which is a good reason for a restore.
    return null
  }
}
