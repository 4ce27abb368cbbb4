import type { DataWork } from '../../../src-preload/contract/data.ts'
import { asStudioError } from '../errors.ts'
import { WorkerClient } from '../shared/workerClient.ts'
import type { DataJob, DataResults } from './worker.ts'

/** A running job of the data worker. */
export interface WorkerTask<T> {
  done: Promise<T>
  /** Stops the job; `done` is rejected with `cancelled`. */
  cancel(): void
}

/**
 * Copies, packs, checks or counts on a worker thread that runs this job alone, so that cancelling the job is terminating the thread. When `done`
 * settles, the thread has ended: nothing writes to the job's files any more, so the caller can delete them.
 */
export function startWorkerTask<K extends DataJob['do']>(
  job: Extract<DataJob, { do: K }>,
  onProgress: (work: DataWork) => void,
): WorkerTask<DataResults[K]> {
  const controller = new AbortController()
  const client = new WorkerClient<DataJob, DataResults[K], DataWork>({
    name: 'data',
    start: async () => (await import('./worker.ts')).startDataWorker(),
    isTerminatedOnAbort: true,
  })
  const run = async (): Promise<DataResults[K]> => {
    try {
      return await client.run(() => job, { signal: controller.signal, onProgress })
    } catch (thrown) {
      throw asStudioError(thrown)
    } finally {
      await client.terminate()
    }
  }
  return { done: run(), cancel: () => controller.abort() }
}
