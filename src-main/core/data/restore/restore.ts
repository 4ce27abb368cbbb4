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
  /** Knows by then that the backup is good, and what it takes the place of; `now` null where that can't be read. False: nothing is changed. */
  agree(backup: BackupSummary, now: { counts: Counts; bytes: number } | null): Promise<boolean>
}

/**
 * Puts a backup in the place of everything in a data folder that nobody uses; what was there is kept beside it (`keptAt`; null where nothing was).
 * Null where it was not agreed to. @throws StudioError `folder_in_use`; as `stageBackup`
 */
export async function restoreBackup(
  parts: RestoreParts,
): Promise<{ summary: BackupSummary; keptAt: string | null } | null> {
  const { dataDir, agree } = parts
  const lock = lockFolder(dataDir)
  try {
    settleSwaps(dataDir)
    const plan = await stageBackup(parts)
    if (plan.report.what !== 'restored') throw new StudioError('bug', 'What was staged is no backup.')
    const { summary } = plan.report
    if (!(await agree(summary, hereOrNull(dataDir)))) {
      dropStaging(dataDir)
      return null
    }
    const aside = swapNow(dataDir, plan)
    // Of files that were sent up or made for the page of before.
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
    // Damaged: then it is high time for a backup.
    return null
  }
}
