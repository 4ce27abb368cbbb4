import { parentPort, Worker, workerData } from 'node:worker_threads'
import * as z from 'zod'
import type { BackupSummary, Counts, DataWork } from '../../../src-preload/contract/data.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { asStudioError } from '../errors.ts'
import { writeBackup } from './backup/write.ts'
import { readContents } from './contents.ts'
import { stageBackup } from './restore/stage.ts'
import type { Plan } from './restore/swap.ts'

// Both ends of the thread that copies, packs, checks and hashes, as in library/search/thread.ts: imported, this file starts a Worker of itself. One
// thread a job, so that giving a job up is ending its thread.
const role = 'inference-studio-keep'

const job = z.discriminatedUnion('do', [
  z.object({ do: z.literal('backup'), dataDir: z.string(), version: z.string(), path: z.string() }),
  z.object({ do: z.literal('stage'), dataDir: z.string(), path: z.string() }),
  z.object({ do: z.literal('look'), dataDir: z.string() }),
])
export type DataJob = z.infer<typeof job>

export type DataOutcome =
  | { do: 'backup'; summary: BackupSummary }
  | { do: 'stage'; plan: Plan }
  | { do: 'look'; here: { counts: Counts; bytes: number } }
export type DataWorkerMessage = { work: DataWork } | { outcome: DataOutcome } | { problem: Problem }

export const startThread = (asked: DataJob): Worker =>
  new Worker(new URL(import.meta.url), { workerData: { role, job: asked } })

/** How often progress is told, ms. */
const everyMs = 100

const port = parentPort
if (port && workerData?.role === role) {
  let toldAt = 0
  let stage = ''
  const progress = (work: DataWork): void => {
    const now = performance.now()
    if (work.stage === stage && now - toldAt < everyMs) return
    stage = work.stage
    toldAt = now
    const said: DataWorkerMessage = { work }
    port.postMessage(said)
  }
  try {
    const said: DataWorkerMessage = { outcome: await run(job.parse(workerData.job), progress) }
    port.postMessage(said)
  } catch (thrown) {
    const said: DataWorkerMessage = { problem: asStudioError(thrown).toProblem() }
    port.postMessage(said)
  }
  port.close()
}

async function run(asked: DataJob, progress: (work: DataWork) => void): Promise<DataOutcome> {
  const { dataDir } = asked
  if (asked.do === 'look') return { do: 'look', here: readContents(dataDir) }
  if (asked.do === 'stage') return { do: 'stage', plan: await stageBackup({ dataDir, path: asked.path, progress }) }
  return {
    do: 'backup',
    summary: await writeBackup({ dataDir, version: asked.version, progress }, { path: asked.path }),
  }
}
