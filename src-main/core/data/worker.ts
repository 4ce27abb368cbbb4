import type { Worker } from 'node:worker_threads'
import type { BackupSummary, Counts, DataWork } from '../../../src-preload/contract/data.ts'
import { serveJobs, startWorker } from '../shared/worker.ts'
import { type BackupFolder, backupsIn, type KeptBackup, writeKeptBackup } from './backup/keep.ts'
import { writeBackup } from './backup/write.ts'
import { readContents } from './contents.ts'
import { stageBackup } from './restore/stage.ts'
import type { Plan } from './restore/swap.ts'
import { throttled } from './throttle.ts'

const role = 'inference-studio-data'

/** `path` is the backup, which `backup` writes and `stage` reads. */
export type DataJob =
  | { do: 'backup'; dataDir: string; version: string; path: string }
  | { do: 'stage'; dataDir: string; path: string }
  | { do: 'look'; dataDir: string }
  | ({ do: 'keep'; dataDir: string; version: string; olderThanMs: number } & BackupFolder)

export interface DataResults {
  backup: BackupSummary
  stage: Plan
  look: { counts: Counts; bytes: number }
  /** The backups that are there now, newest first. */
  keep: readonly KeptBackup[]
}

export const startDataWorker = (): Worker => startWorker(import.meta.url, role)

serveJobs<DataJob, DataResults[DataJob['do']], DataWork>(role, () => ({
  async handle(job, { progress }) {
    const report = throttled(progress, ({ stage }) => stage)
    const { dataDir } = job
    if (job.do === 'look') return readContents(dataDir)
    if (job.do === 'keep') return keepCurrent(job, report)
    if (job.do === 'stage') return await stageBackup({ dataDir, path: job.path, progress: report })
    return await writeBackup({ dataDir, version: job.version, progress: report }, { path: job.path })
  },
}))

/** Writes a backup to a folder of several unless the newest one there is new enough. */
async function keepCurrent(
  { dataDir, version, olderThanMs, ...to }: Extract<DataJob, { do: 'keep' }>,
  progress: (work: DataWork) => void,
): Promise<readonly KeptBackup[]> {
  const now = Date.now()
  const there = backupsIn(to.folder)
  // One in the future is no reason to wait: a clock was wrong.
  if (there.some(({ madeAt }) => madeAt <= now && madeAt > now - olderThanMs)) return there
  return (await writeKeptBackup({ dataDir, version, progress }, to)).kept
}
