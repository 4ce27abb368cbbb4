import { WorkerClient } from '../../shared/workerClient.ts'
import type { UsageJob, UsageQuestion, UsageReplies } from './worker.ts'

/** The thread stops and its cached days are dropped after this time without a question, ms. */
const idleMs = 300_000

export interface UsageWorkerOptions {
  dataDir: string
  apps(): UsageJob['apps']
  /** Writes the request log's buffered rows, so that another connection sees them. */
  flush(): void
  /** A number that changes when past days change in the log, to invalidate cached days. */
  settled(): number
}

/** Reads usage on a worker thread, one question after another, so that years of rows never block a stream. */
export class UsageWorkerClient {
  readonly #options: UsageWorkerOptions
  readonly #client: WorkerClient<UsageJob, UsageReplies[UsageQuestion['what']]>

  constructor(options: UsageWorkerOptions) {
    this.#options = options
    this.#client = new WorkerClient({
      name: 'usage',
      start: async () => (await import('./worker.ts')).startUsageWorker(options.dataDir),
      idleMs,
    })
  }

  /** @throws StudioError as `openReading` does; `cancelled` when the signal aborts before the question's turn, or the program ends */
  ask<A extends UsageQuestion>(ask: A, signal?: AbortSignal): Promise<UsageReplies[A['what']]> {
    const { apps, flush, settled } = this.#options
    const makeJob = (): UsageJob => {
      flush()
      return { ask, apps: apps(), settled: settled() }
    }
    // Safe: the worker answers each kind of question with the matching kind of reply (`answerTo`).
    return this.#client.run(makeJob, { signal }) as Promise<UsageReplies[A['what']]>
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}
