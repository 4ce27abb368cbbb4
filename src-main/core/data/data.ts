import { randomUUID } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BackupSummary, DataState, DataWork } from '../../../src-preload/contract/data.ts'
import type { Download } from '../../../src-preload/contract/transfers.ts'
import { StudioError } from '../errors.ts'
import type { SecretStore } from '../host.ts'
import type { Feed } from '../shared/events.ts'
import { backupName } from './backup/manifest.ts'
import { sweepWorkplaces } from './backup/workplace.ts'
import { namesIn } from './disk.ts'
import { orderErasure } from './eraseEverything.ts'
import { writeReadme } from './readme.ts'
import { createReports } from './recovery/reports.ts'
import { dropPending, dropStaging, type Plan, pendingPlan, scheduleSwap } from './restore/swap.ts'
import { startWorkerTask, type WorkerTask } from './workerClient.ts'

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
  log(level: 'info' | 'warn' | 'error', line: string): void
}
export type DataFeature = ReturnType<typeof createData>

/** Backup and restore of the folder that a core uses, and reports about damage that the start found. */
export function createData({ dataDir, version, transfers, problem, secrets, accounts, feed, log }: DataOptions) {
  writeReadme(dataDir, log)
  const reports = createReports(dataDir)
  let backup: { work: WorkerTask<unknown>; at: DataWork } | null = null
  let restore: { work: WorkerTask<unknown>; at: DataWork } | null = null
  /** The last backup that was checked and unpacked, for a `restore` of the same upload. */
  let checked: { uploadId: string; plan: Plan } | null = null
  const state = feed(read)
  for (const { database, keptAt } of reports.damage().filter(({ acknowledged }) => !acknowledged)) {
    log(
      'warn',
      `${database}.sqlite was damaged and was recovered as far as it could be read; the damaged file is now in ${keptAt}.`,
    )
  }

  function read(): DataState {
    const scheduled = pendingPlan(dataDir)
    return {
      backup: backup?.at ?? null,
      restore: restore?.at ?? null,
      pendingRestore:
        scheduled?.report.what === 'restored' ? { summary: scheduled.report.summary, stagedAt: scheduled.at } : null,
      restored: reports.restored(),
      damage: reports.damage(),
      setAside: reports.aside(),
      problem: problem?.toProblem() ?? null,
    }
  }

  /** @throws StudioError as stageBackup */
  async function stage(uploadId: string): Promise<Plan> {
    if (checked?.uploadId === uploadId) return checked.plan
    if (restore) throw new StudioError('busy', 'Another backup is being read. Wait until it has finished.')
    const path = transfers.uploads.path(uploadId)
    checked = null
    const work = startWorkerTask({ do: 'stage', dataDir, path }, (at) => {
      if (restore) restore = { work, at }
      state.changed()
    })
    restore = { work, at: { stage: 'checking', done: 0, total: 0 } }
    state.changed()
    try {
      const plan = await work.done
      checked = { uploadId, plan }
      return plan
    } catch (thrown) {
      dropStaging(dataDir)
      throw thrown
    } finally {
      restore = null
      state.changed()
    }
  }

  return {
    watch: (signal?: AbortSignal): Feed<DataState> => state.watch(signal),
    read,
    /** @throws StudioError as writeBackup, `busy` */
    async backup(): Promise<Download> {
      if (backup) throw new StudioError('busy', 'Another backup is in progress.')
      const path = join(transfers.folder, `${randomUUID()}.tar`)
      const work = startWorkerTask({ do: 'backup', dataDir, version, path }, (at) => {
        if (backup) backup = { work, at }
        state.changed()
      })
      backup = { work, at: { stage: 'databases', done: 0, total: 0 } }
      state.changed()
      try {
        const summary = await work.done
        const { size: bytes } = statSync(path)
        return transfers.downloads.offer({ path, name: backupName(summary.madeAt), mime: 'application/x-tar', bytes })
      } catch (thrown) {
        for (const name of namesIn(transfers.folder)) {
          if (name.startsWith(basename(path))) rmSync(join(transfers.folder, name), { force: true })
        }
        throw thrown
      } finally {
        backup = null
        sweepWorkplaces(transfers.folder)
        state.changed()
      }
    },
    cancelBackup: (): { cancelled: boolean } => cancel(backup),
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
    cancelRestore: (): { cancelled: boolean } => cancel(restore),
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
    /** Cancels running jobs. A scheduled restore stays scheduled. */
    async close(): Promise<void> {
      const under = [backup, restore]
      for (const one of under) one?.work.cancel()
      await Promise.allSettled(under.flatMap((one) => (one ? [one.work.done] : [])))
      if (checked) dropStaging(dataDir)
    },
  }
}

function cancel(one: { work: WorkerTask<unknown> } | null): { cancelled: boolean } {
  one?.work.cancel()
  return { cancelled: one !== null }
}

function summaryOf({ report }: Plan): BackupSummary {
  if (report.what !== 'restored') throw new StudioError('bug', 'The staged files are not a backup.')
  return report.summary
}
