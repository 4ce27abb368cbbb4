import { WorkerClient } from '../../shared/workerClient.ts'
import type { UsageJob, UsageQuestion, UsageReplies } from './worker.ts'

/** The thread and its cached days are given up after this time without a question, ms. */
const idleMs = 300_000

export interface UsageWorkerOptions {
  dataDir: string
  tools(): UsageJob['tools']
  /** Writes the request log's buffered rows, so that another connection sees them. */
  flush(): void
  /** A number that changes when days that are over change in the log. */
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
    const { tools, flush, settled } = this.#options
    const makeJob = (): UsageJob => {
      flush()
      return { ask, tools: tools(), settled: settled() }
    }
    // The worker answers each kind of question with its own kind of answer (`answerTo`).
    return this.#client.run(makeJob, { signal }) as Promise<UsageReplies[A['what']]>
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}
