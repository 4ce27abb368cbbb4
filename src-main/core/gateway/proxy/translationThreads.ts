import type { Worker } from 'node:worker_threads'
import type { ReadPrompt } from '../../requestLog/sessions/sections.ts'
import { WorkerClient } from '../../shared/workerClient.ts'
import type { ItemPage } from '../dialects/stored/itemPage.ts'
import type {
  CountJob,
  CountResult,
  ListJob,
  ListResult,
  SectionsJob,
  SectionsResult,
  TranslationJob,
  TranslationResult,
} from '../dialects/translationWorker.ts'
import type { Refusal } from './errorReplies.ts'
import { FairWorkers } from './fairWorkers.ts'

/**
 * Largest body that the main thread translates, with the earlier responses that it continues, bytes, and its most values. Values cost more
 * than their bytes: parsing and writing 20,000 takes about 20 ms. Real requests have fewer.
 */
export const maxHere = { bytes: 1024 * 1024, values: 20_000 }
/** Tokens of a longer request are counted on another thread, bytes. */
export const maxCountedHere = 16 * 1024

/** Whether a request is translated on another thread. @param values as in `JsonBytes` */
export const isForThread = (bytes: number, values: number): boolean => bytes > maxHere.bytes || values > maxHere.values

export interface TranslationThreadOptions {
  /** Starts a thread. */
  start: () => Worker
  /** Most threads. An app uses one of them at a time. */
  threads: number
  /** How long a job may keep the job of another app waiting while all threads are busy, ms. */
  shareMs: number
  /** How long the largest job may take on a busy machine, ms. */
  jobMs: number
}

const defaults = { threads: 3, shareMs: 2000, jobMs: 20_000 }

type Job = TranslationJob | CountJob | ListJob | SectionsJob
type Result = TranslationResult | CountResult | ListResult | SectionsResult

/** Threads that translate large requests, as `FairWorkers`. */
export class TranslationThreads {
  readonly #workers: FairWorkers<Job, Result>

  constructor({ start, threads, ...bounds }: Partial<TranslationThreadOptions> = {}) {
    const { jobMs, shareMs } = { ...defaults, ...bounds }
    const worker = {
      name: 'translation',
      start: async () => start?.() ?? (await import('../dialects/translationWorker.ts')).startTranslationWorker(),
      idleMs: 60_000,
      startTimeoutMs: jobMs,
    }
    const open = () => new WorkerClient<Job, Result>(worker)
    this.#workers = new FairWorkers({ open, workers: threads ?? defaults.threads, shareMs, jobMs })
  }

  /** Translates a request of an app. Returns a refusal when it took too long, or its thread ended. @throws StudioError `cancelled` */
  translate(app: string, job: TranslationJob, signal: AbortSignal): Promise<TranslationResult | Refusal> {
    return this.#run(app, job, signal) as Promise<TranslationResult | Refusal>
  }

  /** Counts the tokens of a request. As `translate`. */
  countTokens(app: string, job: Omit<CountJob, 'action'>, signal: AbortSignal): Promise<CountResult | Refusal> {
    return this.#run(app, { ...job, action: 'count_tokens' }, signal) as Promise<CountResult | Refusal>
  }

  /** JSON of a page of the items of a stored response. As `listedItems` and `translate`. */
  async listItems(app: string, input: string, page: ItemPage, signal: AbortSignal): Promise<string | null | Refusal> {
    const result = (await this.#run(app, { action: 'list', input, page }, signal)) as ListResult | Refusal
    return 'status' in result ? result : result.list
  }

  /** The sections of a large chat request; null when it took too long. @throws StudioError `cancelled` */
  async sections(app: string, job: Omit<SectionsJob, 'action'>, signal: AbortSignal): Promise<ReadPrompt | null> {
    const result = (await this.#run(app, { ...job, action: 'sections' }, signal)) as SectionsResult | Refusal
    return 'status' in result ? null : result.prompt
  }

  terminate = (): Promise<void> => this.#workers.terminate()

  /** @throws StudioError `cancelled` */
  async #run(app: string, job: Job, signal: AbortSignal): Promise<Result | Refusal> {
    return (await this.#workers.run(app, () => withOwnBuffer(job), signal)) ?? notTranslated
  }
}

/** The thread gets a copy of the whole buffer behind a view. So a short view of a large buffer is copied first. */
function withOwnBuffer(job: Job): Job {
  if (job.action === 'list' || job.bytes.buffer.byteLength <= 2 * job.bytes.length) return job
  return { ...job, bytes: new Uint8Array(job.bytes) }
}

const notTranslated: Refusal = {
  status: 503,
  type: 'studio_busy',
  code: 'translation_failed',
  message: 'This large request could not be translated in time. Nothing was sent to the service.',
  retryAfterMs: 5000,
}
