import type { Worker } from 'node:worker_threads'
import type { Opening } from '../../../../src-preload/contract/data.ts'
import { fileType } from '../../shared/mediaType/fileType.ts'
import { serveJobs, startWorker } from '../../shared/worker.ts'
import { asStoreError, type CheckDepth } from '../../store/database.ts'
import { prepareFiles } from './prepare.ts'

const role = 'inference-studio-opening'

export interface OpeningJob {
  dataDir: string
  how: CheckDepth
}
export type OpeningProgress = { work: Opening } | { level: 'warn'; line: string }

export const startOpeningWorker = (): Worker => startWorker(import.meta.url, role)

/** Pause between two progress messages of one step, ms. */
const progressEveryMs = 100

serveJobs<OpeningJob, null, OpeningProgress>(role, () => ({
  handle({ dataDir, how }, { progress }) {
    let reported = { at: 0, step: '' }
    try {
      prepareFiles({
        dataDir,
        how,
        typeOf: fileType,
        log: (level, line) => progress({ level, line }),
        notify(work) {
          const [at, step] = [performance.now(), `${work.stage} ${work.database}`]
          if (step === reported.step && at - reported.at < progressEveryMs) return
          reported = { at, step }
          progress({ work })
        },
      })
      return null
    } catch (thrown) {
      throw asStoreError(thrown)
    }
  },
}))
