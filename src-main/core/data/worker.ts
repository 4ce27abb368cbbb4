import type { Worker } from 'node:worker_threads'
import type { BackupSummary, Counts, DataWork } from '../../../src-preload/contract/data.ts'
import { serveJobs, startWorker } from '../shared/worker.ts'
import { writeBackup } from './backup/write.ts'
import { readContents } from './contents.ts'
import { stageBackup } from './restore/stage.ts'
import type { Plan } from './restore/swap.ts'

const role = 'inference-studio-data'

/** `path` is the backup, which `backup` writes and `stage` reads. */
export type DataJob =
  | { do: 'backup'; dataDir: string; version: string; path: string }
  | { do: 'stage'; dataDir: string; path: string }
  | { do: 'look'; dataDir: string }

export interface DataResults {
  backup: BackupSummary
  stage: Plan
  look: { counts: Counts; bytes: number }
}

export const startDataWorker = (): Worker => startWorker(import.meta.url, role)

/** Pause between two progress messages of one stage, ms. */
const progressEveryMs = 100

serveJobs<DataJob, DataResults[DataJob['do']], DataWork>(role, () => ({
  async handle(job, { progress }) {
    let reported = { at: 0, stage: '' }
    const report = (work: DataWork): void => {
      const at = performance.now()
      if (work.stage === reported.stage && at - reported.at < progressEveryMs) return
      reported = { at, stage: work.stage }
      progress(work)
    }
    const { dataDir } = job
    if (job.do === 'look') return readContents(dataDir)
    if (job.do === 'stage') return await stageBackup({ dataDir, path: job.path, progress: report })
    return await writeBackup({ dataDir, version: job.version, progress: report }, { path: job.path })
  },
}))
