import { WorkerClient } from '../../../shared/workerClient.ts'
import type { SearchAnswer, SearchAsk } from './finder.ts'
import type { SearchJob } from './worker.ts'

/** Searches on a worker thread, one after another. A search that is cancelled while it waits never runs. */
export class SearchClient {
  readonly #client: WorkerClient<SearchJob, SearchAnswer>

  constructor(file: string) {
    this.#client = new WorkerClient({
      name: 'search',
      start: async () => (await import('./worker.ts')).startSearchWorker(file),
    })
  }

  /** @throws StudioError `cancelled` when the signal aborts before the search starts */
  find(query: SearchAsk, signal?: AbortSignal): Promise<SearchAnswer> {
    return this.#client.run(() => query, { signal })
  }

  /** Checkpoints the write-ahead log on the worker thread. Otherwise a commit on this thread would checkpoint and wait for the disk. */
  checkpoint(): Promise<unknown> {
    return this.#client.run(() => 'checkpoint').catch(() => undefined)
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}
