import { parentPort, Worker, workerData } from 'node:worker_threads'
import * as z from 'zod'
import type { Opening } from '../../../../src-preload/contract/data.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError } from '../../errors.ts'
import { fileType } from '../../shared/mediaType/fileType.ts'
import { asStoreError } from '../../store/database.ts'
import { prepareFiles } from './prepare.ts'

// Both ends of the thread that makes a folder's files ready, as in library/search/thread.ts: imported, this file starts a Worker of itself. It is only
// ever imported lazily, so that it is a chunk of its own in a bundle.
const role = 'inference-studio-opening'

const job = z.object({ dataDir: z.string(), how: z.enum(['head', 'pages', 'everything']) })
export type OpeningMessage =
  | { work: Opening }
  | { level: 'warn'; line: string }
  | { problem: Problem }
  | { ready: true }

export const startThread = (asked: z.infer<typeof job>): Worker =>
  new Worker(new URL(import.meta.url), { workerData: { role, job: asked } })

/** How often progress is told, ms. */
const everyMs = 100

const port = parentPort
if (port && workerData?.role === role) {
  const say = (said: OpeningMessage): void => port.postMessage(said)
  let reported: { at: number; what: string } = { at: 0, what: '' }
  try {
    prepareFiles({
      ...job.parse(workerData.job),
      typeOf: fileType,
      log: (level, line) => say({ level, line }),
      notify(work) {
        const [now, what] = [performance.now(), `${work.stage} ${work.database}`]
        if (what === reported.what && now - reported.at < everyMs) return
        reported = { at: now, what }
        say({ work })
      },
    })
    say({ ready: true })
  } catch (thrown) {
    say({ problem: asStudioError(asStoreError(thrown)).toProblem() })
  }
  port.close()
}
