import type { Worker } from 'node:worker_threads'
import type { CheckpointJob, CheckpointReply } from './checkpointWorker.ts'

/**
 * Folds a database's write-ahead log in on a thread of its own. A commit that comes upon a long log would do it otherwise, and hold this thread
 * while the disk syncs. The thread lives as long as the work.
 */
export class CheckpointScheduler {
  readonly #worker: Worker
  #waiting: PromiseWithResolvers<CheckpointReply> | null = null

  private constructor(worker: Worker) {
    this.#worker = worker
    worker.on('message', (answer: CheckpointReply) => {
      this.#waiting?.resolve(answer)
      this.#waiting = null
    })
    const ended = (thrown: unknown): void => {
      this.#waiting?.reject(thrown instanceof Error ? thrown : new Error(`The log's thread ended (${String(thrown)})`))
      this.#waiting = null
    }
    worker.on('error', ended)
    worker.on('exit', ended)
  }

  static async open(file: string): Promise<CheckpointScheduler> {
    const { startThread } = await import('./checkpointWorker.ts')
    return new CheckpointScheduler(startThread(file))
  }

  /** Moves what can be moved; neither readers nor writers wait for it. */
  async fold(): Promise<void> {
    await this.#ask('fold')
  }

  /** No copy of anything stays in the log. False where a reader held it up. */
  async empty(): Promise<boolean> {
    await this.#ask('fold')
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await this.#ask('empty')).done) return true
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return false
  }

  async close(): Promise<void> {
    this.#worker.removeAllListeners()
    await this.#worker.terminate()
  }

  /** One at a time: whoever works awaits it. @throws Error where SQLite or the thread failed */
  async #ask(job: CheckpointJob): Promise<{ done: boolean }> {
    this.#waiting = Promise.withResolvers<CheckpointReply>()
    const { promise } = this.#waiting
    this.#worker.postMessage(job)
    const answer = await promise
    if ('error' in answer) throw new Error(answer.error)
    return answer
  }
}
