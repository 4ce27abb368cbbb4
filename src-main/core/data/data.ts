import { randomUUID } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BackupSummary, DataState } from '../../../src-preload/contract/data.ts'
import type { Download } from '../../../src-preload/contract/transfers.ts'
import { StudioError } from '../errors.ts'
import type { SecretStore } from '../host.ts'
import type { Feed } from '../shared/events.ts'
import { backupName } from './backup/manifest.ts'
import { BackupSchedule, type BackupScheduleOptions } from './backup/schedule.ts'
import { sweepWorkplaces } from './backup/workplace.ts'
import { namesIn } from './disk.ts'
import { orderErasure } from './eraseEverything.ts'
import { writeReadme } from './readme.ts'
import { createReports } from './recovery/reports.ts'
import { dropPending, dropStaging, type Plan, pendingPlan, scheduleSwap } from './restore/swap.ts'
import { startWorkerTask, VisibleTask } from './workerClient.ts'

export interface DataOptions {
  dataDir: string
  /** Version of this program. */
  version: string
  /** Uploads from the page and downloads to it. */
  transfers: {
    folder: string
    uploads: { path(uploadId: string): string; done(uploadId: string): Promise<void> }
    downloads: { offer(file: { path: string; name: string; mime: string; bytes: number }): Download }
  }
  /** Why a restore that was scheduled for this start failed; null when none failed. */
  problem: StudioError | null
  /** Where the keys of this folder are stored, and the accounts of all of them. */
  secrets: SecretStore
  accounts(): string[]
  /** Sends the result of `read()` to all watchers after each change. */
  feed(read: () => DataState): { changed(): void; watch(signal?: AbortSignal): Feed<DataState> }
  /** The settings of automatic backups. */
  settings: BackupScheduleOptions['settings']
  log(level: 'info' | 'warn' | 'error', line: string): void
}
export type DataFeature = ReturnType<typeof createData>

/** Backup and restore of the folder that a core uses, and reports about damage that the start found. */
export function createData(options: DataOptions) {
  const { dataDir, version, transfers, problem, secrets, accounts, feed, settings, log } = options
  writeReadme(dataDir, log)
  const reports = createReports(dataDir)
  /** The last backup that was checked and unpacked, for a `restore` of the same upload. */
  let checked: { uploadId: string; plan: Plan } | null = null
  const state = feed(read)
  const backup = new VisibleTask(() => state.changed())
  const restore = new VisibleTask(() => state.changed())
  const schedule = new BackupSchedule({
    settings,
    backUp: (to, olderThanMs) =>
      backup.progress ? null : backup.run({ do: 'keep', dataDir, version, olderThanMs, ...to }, 'databases'),
    changed: () => state.changed(),
    log,
  })
  for (const { database, keptAt } of reports.damage().filter(({ acknowledged }) => !acknowledged)) {
    log(
      'warn',
      `${database}.sqlite was damaged and was recovered as far as it could be read; the damaged file is now in ${keptAt}.`,
    )
  }

  function read(): DataState {
    const scheduled = pendingPlan(dataDir)
    return {
      backup: backup.progress,
      restore: restore.progress,
      pendingRestore:
        scheduled?.report.what === 'restored' ? { summary: scheduled.report.summary, stagedAt: scheduled.at } : null,
      restored: reports.restored(),
      damage: reports.damage(),
      setAside: reports.aside(),
      automatic: schedule.state,
      problem: problem?.toProblem() ?? null,
    }
  }

  /** @throws StudioError as stageBackup */
  async function stage(uploadId: string): Promise<Plan> {
    if (checked?.uploadId === uploadId) return checked.plan
    if (restore.progress) throw new StudioError('busy', 'Another backup is being read. Wait until it has finished.')
    const path = transfers.uploads.path(uploadId)
    checked = null
    try {
      const plan = await restore.run({ do: 'stage', dataDir, path }, 'checking')
      checked = { uploadId, plan }
      return plan
    } catch (thrown) {
      dropStaging(dataDir)
      throw thrown
    }
  }

  return {
    watch: (signal?: AbortSignal): Feed<DataState> => state.watch(signal),
    read,
    /** @throws StudioError as writeBackup, `busy` */
    async backup(): Promise<Download> {
      if (backup.progress) throw new StudioError('busy', 'Another backup is in progress.')
      const path = join(transfers.folder, `${randomUUID()}.tar`)
      try {
        const summary = await backup.run({ do: 'backup', dataDir, version, path }, 'databases')
        const { size: bytes } = statSync(path)
        return transfers.downloads.offer({ path, name: backupName(summary.madeAt), mime: 'application/x-tar', bytes })
      } catch (thrown) {
        for (const name of namesIn(transfers.folder)) {
          if (name.startsWith(basename(path))) rmSync(join(transfers.folder, name), { force: true })
        }
        throw thrown
      } finally {
        sweepWorkplaces(transfers.folder)
      }
    },
    cancelBackup: (): { cancelled: boolean } => backup.cancel(),
    /** @throws StudioError as stageBackup, `busy` */
    async check({ uploadId }: { uploadId: string }) {
      const summary = summaryOf(await stage(uploadId))
      const here = await startWorkerTask({ do: 'look', dataDir }, () => undefined).done
      return { backup: summary, now: here }
    },
    /** @throws StudioError as stageBackup, `busy` */
    async restore({ uploadId }: { uploadId: string }): Promise<BackupSummary> {
      const given = await stage(uploadId)
      checked = null
      scheduleSwap(dataDir, { ...given, at: new Date().toISOString() })
      await transfers.uploads.done(uploadId)
      state.changed()
      return summaryOf(given)
    },
    cancelRestore: (): { cancelled: boolean } => restore.cancel(),
    discardRestore(): { dropped: boolean } {
      const dropped = dropPending(dataDir)
      state.changed()
      return { dropped }
    },
    acknowledge({ id }: { id: string }): void {
      reports.acknowledge(id)
      state.changed()
    },
    deleteSetAside({ name }: { name: string }): void {
      reports.erase(name)
      state.changed()
    },
    /** Orders the deletion of all data and keys at the next start. @throws StudioError `keychain_locked` */
    deleteEverything: (): Promise<void> => orderErasure(dataDir, secrets, accounts()),
    /** Call when the settings have changed. */
    settingsChanged: (): void => schedule.settingsChanged(),
    /** Cancels running jobs. A scheduled restore stays scheduled. */
    async close(): Promise<void> {
      schedule.close()
      await Promise.all([backup.close(), restore.close()])
      if (checked) dropStaging(dataDir)
    },
  }
}

function summaryOf({ report }: Plan): BackupSummary {
  if (report.what !== 'restored') throw new StudioError('bug', 'The staged files are not a backup.')
  return report.summary
}
