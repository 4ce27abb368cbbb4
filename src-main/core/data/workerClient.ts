import type { DataWork } from '../../../src-preload/contract/data.ts'
import { asStudioError } from '../errors.ts'
import { WorkerClient } from '../shared/workerClient.ts'
import type { DataJob, DataResults } from './worker.ts'

/** A running job of the data worker. */
interface WorkerTask<T> {
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

/** Runs one job at a time, whose progress the window shows and a person may cancel. */
export class VisibleTask {
  readonly #changed: () => void
  #running: { task: WorkerTask<unknown>; progress: DataWork } | null = null

  /** @param changed called after each change of `progress` */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Progress of the running job; null when none runs. */
  get progress(): DataWork | null {
    return this.#running?.progress ?? null
  }

  /** Call only while no job runs. `stage` is shown until the job reports its progress. */
  async run<K extends DataJob['do']>(
    job: Extract<DataJob, { do: K }>,
    stage: DataWork['stage'],
  ): Promise<DataResults[K]> {
    const task = startWorkerTask(job, (progress) => {
      if (this.#running) this.#show({ task, progress })
    })
    this.#show({ task, progress: { stage, done: 0, total: 0 } })
    try {
      return await task.done
    } finally {
      this.#show(null)
    }
  }

  cancel(): { cancelled: boolean } {
    this.#running?.task.cancel()
    return { cancelled: this.#running !== null }
  }

  /** Cancels the job and waits until it has ended. */
  async close(): Promise<void> {
    this.cancel()
    await Promise.allSettled([this.#running?.task.done])
  }

  #show(running: { task: WorkerTask<unknown>; progress: DataWork } | null): void {
    this.#running = running
    this.#changed()
  }
}
