import type { Worker } from 'node:worker_threads'
import type { Opening } from '../../../../src-preload/contract/data.ts'
import { fileType } from '../../shared/mediaType/fileType.ts'
import { serveJobs, startWorker } from '../../shared/worker.ts'
import type { CheckDepth } from '../../store/database.ts'
import { asStoreError } from '../../store/databaseErrors.ts'
import { throttled } from '../throttle.ts'
import { prepareFiles } from './prepare.ts'

const role = 'inference-studio-opening'

export interface OpeningJob {
  dataDir: string
  how: CheckDepth
}
export type OpeningProgress = { work: Opening } | { level: 'warn'; line: string }

export const startOpeningWorker = (): Worker => startWorker(import.meta.url, role)

serveJobs<OpeningJob, null, OpeningProgress>(role, () => ({
  handle({ dataDir, how }, { progress }) {
    try {
      prepareFiles({
        dataDir,
        how,
        typeOf: fileType,
        log: (level, line) => progress({ level, line }),
        notify: throttled(
          (work) => progress({ work }),
          ({ stage, database }) => `${stage} ${database}`,
        ),
      })
      return null
    } catch (thrown) {
      throw asStoreError(thrown)
    }
  },
}))
