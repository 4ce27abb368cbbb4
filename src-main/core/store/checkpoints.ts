import { WorkerClient } from '../shared/workerClient.ts'
import type { CheckpointJob } from './checkpointWorker.ts'

/** Number of attempts at a truncating checkpoint while a reader blocks it, and the pause between attempts, ms. */
const [mostTries, pauseMs] = [100, 20] as const

/**
 * Checkpoints a database's write-ahead log on a worker thread. Otherwise a commit would checkpoint a long log and block this thread
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

  /** Moves as many pages as possible without blocking readers or writers. @throws StudioError `bug` with SQLite's message; WorkerExit */
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
