import { WorkerClient } from '../shared/workerClient.ts'
import type { CheckpointJob } from './checkpointWorker.ts'

/** How often a truncating checkpoint is tried while a reader is in the way, and the pause between tries, ms. */
const [mostTries, pauseMs] = [100, 20] as const

/**
 * Checkpoints a database's write-ahead log on a worker thread. A commit that meets a long log would otherwise do it, and block this thread
 * while the disk syncs.
 */
export class CheckpointScheduler {
  readonly #client: WorkerClient<CheckpointJob, boolean>

  /** @param file path of the database */
  constructor(file: string) {
    this.#client = new WorkerClient({
      name: 'checkpoint',
      start: async () => (await import('./checkpointWorker.ts')).startCheckpointWorker(file),
    })
  }

  /** Moves what it can; neither readers nor writers wait for it. @throws StudioError `bug` with SQLite's message; WorkerExit */
  async passive(): Promise<void> {
    await this.#client.run(() => 'passive')
  }

  /** Empties the log, so that no deleted data is left in it. False when a reader prevented it. @throws as `passive` */
  async truncate(): Promise<boolean> {
    await this.passive()
    for (let tries = 0; tries < mostTries; tries += 1) {
      if (await this.#client.run(() => 'truncate')) return true
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    return false
  }

  close(): Promise<void> {
    return this.#client.terminate()
  }
}
