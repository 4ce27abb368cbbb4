import type { Worker } from 'node:worker_threads'
import { StudioError } from '../../errors.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { WorkerClient, WorkerExit, WorkerTimeout } from '../../shared/workerClient.ts'
import type { TokenCount } from '../dialects/countTokens.ts'
import type { ItemPage } from '../dialects/stored/itemPage.ts'
import type {
  CountJob,
  CountResult,
  ListJob,
  ListResult,
  TranslationJob,
  TranslationResult,
} from '../dialects/translationWorker.ts'
import type { DialectProblem } from '../dialects/types.ts'
import type { Refusal } from './errorReplies.ts'

/**
 * Largest body that the main thread translates, with the earlier responses that it continues, bytes, and its most values. Values cost more
 * than their bytes: parsing and writing 20,000 takes about 20 ms. Real requests have fewer.
 */
const maxHere = { bytes: 1024 * 1024, values: 20_000 }
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

type Job = TranslationJob | CountJob | ListJob
type Result = TranslationResult | CountResult | ListResult

/** A thread, and the app whose job it runs. */
interface Lane {
  worker: WorkerClient<Job, Result>
  app: string | null
  /** When the job began on the running thread, ms of the monotonic clock. Infinite while the thread starts, which a busy machine delays. */
  since: number
}

interface Waiting {
  app: string
  start(lane: Lane): void
}

/**
 * Threads that translate large requests. Each app uses one at a time, so that its jobs delay no other app. Of the apps that wait, the one whose
 * last job began longest ago is next. While all threads are busy and another app waits, a job that has run longer than its share is ended. It
 * is tried once more.
 */
export class TranslationThreads {
  readonly #options: Omit<TranslationThreadOptions, 'start'>
  readonly #open: () => Lane
  readonly #lanes: Lane[] = []
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>()
  /** When the last job of each app began, ms of the monotonic clock. Empty when every thread is idle. */
  readonly #began = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ start, ...options }: Partial<TranslationThreadOptions> = {}) {
    this.#options = { ...defaults, ...options }
    const worker = {
      name: 'translation',
      start: async () => start?.() ?? (await import('../dialects/translationWorker.ts')).startTranslationWorker(),
      idleMs: 60_000,
      startTimeoutMs: this.#options.jobMs,
    }
    this.#open = () => ({ worker: new WorkerClient<Job, Result>(worker), app: null, since: Number.POSITIVE_INFINITY })
  }

  /** Translates a request of an app. Returns a refusal when it took too long, or its thread ended. @throws StudioError `cancelled` */
  translate(app: string, job: TranslationJob, signal: AbortSignal): Promise<TranslationResult | Refusal> {
    return this.#run(app, job, signal) as Promise<TranslationResult | Refusal>
  }

  /** Counts the tokens of a request. As `translate`. */
  countTokens(
    app: string,
    job: Omit<CountJob, 'action'>,
    signal: AbortSignal,
  ): Promise<TokenCount | { problem: DialectProblem } | Refusal> {
    return this.#run(app, { ...job, action: 'count_tokens' }, signal) as Promise<CountResult | Refusal>
  }

  /** JSON of a page of the items of a stored response. As `listedItems` and `translate`. */
  async listItems(app: string, input: string, page: ItemPage, signal: AbortSignal): Promise<string | null | Refusal> {
    const result = (await this.#run(app, { action: 'list', input, page }, signal)) as ListResult | Refusal
    return 'status' in result ? result : result.list
  }

  async terminate(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all(this.#lanes.map(({ worker }) => worker.terminate()))
  }

  /** @throws StudioError `cancelled` */
  async #run(app: string, job: Job, signal: AbortSignal): Promise<Result | Refusal> {
    const first = await this.#attempt(app, job, signal)
    return first ?? (await this.#attempt(app, job, signal)) ?? notTranslated
  }

  /** Runs a job once. Returns null when it was ended for another app. */
  async #attempt(app: string, job: Job, signal: AbortSignal): Promise<Result | Refusal | null> {
    if (signal.aborted || this.#isClosed) throw cancelled()
    const lane = this.#take(app) ?? (await this.#wait(app, signal))
    const abort = (): void => this.#end(lane)
    signal.addEventListener('abort', abort, { once: true })
    try {
      // Either may have changed since the lane was assigned.
      if (signal.aborted || this.#isClosed) throw cancelled()
      const begin = (): Job => {
        lane.since = performance.now()
        this.#endLongJobs()
        return withOwnBuffer(job)
      }
      return await lane.worker.run(begin, { timeoutMs: this.#options.jobMs })
    } catch (thrown) {
      if (signal.aborted || this.#isClosed) throw cancelled()
      if (!this.#lanes.includes(lane)) return null
      if (thrown instanceof WorkerTimeout || thrown instanceof WorkerExit) return notTranslated
      throw thrown
    } finally {
      signal.removeEventListener('abort', abort)
      lane.app = null
      this.#next()
    }
  }

  /** Assigns a thread to an app, or returns null when the app has to wait: for its own job, or for a thread. */
  #take(app: string): Lane | null {
    if (this.#isBusy(app)) return null
    let lane = this.#lanes.find((one) => one.app === null)
    if (!lane) {
      if (this.#lanes.length >= this.#options.threads) return null
      lane = this.#open()
      this.#lanes.push(lane)
    }
    lane.app = app
    lane.since = Number.POSITIVE_INFINITY
    this.#began.set(app, performance.now())
    return lane
  }

  #isBusy(app: string): boolean {
    return this.#lanes.some((lane) => lane.app === app)
  }

  #wait(app: string, signal: AbortSignal): Promise<Lane> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiting)
        reject(cancelled())
        this.#endLongJobs()
      }
      const waiting: Waiting = {
        app,
        start: (lane) => {
          signal.removeEventListener('abort', leave)
          this.#waiting.delete(waiting)
          resolve(lane)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiting)
      this.#endLongJobs()
    })
  }

  /** Starts the jobs that can start now. */
  #next(): void {
    for (let waiting = this.#first(); waiting; waiting = this.#first()) {
      const lane = this.#take(waiting.app)
      if (!lane) break
      waiting.start(lane)
    }
    if (this.#lanes.every(({ app }) => app === null)) this.#began.clear()
    this.#endLongJobs()
  }

  /** Of the jobs that wait for a thread, and not for a job of their own app, the one whose app's last job began longest ago. */
  #first(): Waiting | null {
    let first: Waiting | null = null
    for (const waiting of this.#waiting) {
      if (this.#isBusy(waiting.app)) continue
      if (!first || (this.#began.get(waiting.app) ?? 0) < (this.#began.get(first.app) ?? 0)) first = waiting
    }
    return first
  }

  /** While an app waits for a thread, and not for its own job, the job that has run longest is ended once its share is over. */
  #endLongJobs(): void {
    clearTimeout(this.#timer)
    const needsThread = this.#first() !== null
    if (!needsThread || this.#lanes.length < this.#options.threads) return
    const oldest = this.#lanes.reduce((first, lane) => (lane.since < first.since ? lane : first))
    if (oldest.since === Number.POSITIVE_INFINITY) return
    const end = (): void => this.#end(oldest)
    this.#timer = setTimeout(end, Math.max(0, oldest.since + this.#options.shareMs - performance.now()))
  }

  /** Ends a thread with its job. */
  #end(lane: Lane): void {
    const at = this.#lanes.indexOf(lane)
    if (at < 0) return
    this.#lanes.splice(at, 1)
    inBackground('A translation could not be ended', lane.worker.terminate())
  }
}

/** The thread gets a copy of the whole buffer behind a view. So a short view of a large buffer is copied first. */
function withOwnBuffer(job: Job): Job {
  if (job.action === 'list' || job.bytes.buffer.byteLength <= 2 * job.bytes.length) return job
  return { ...job, bytes: new Uint8Array(job.bytes) }
}

const cancelled = (): StudioError => new StudioError('cancelled', 'The translation was cancelled.')

const notTranslated: Refusal = {
  status: 503,
  type: 'studio_busy',
  code: 'translation_failed',
  message: 'This large request could not be translated in time. Nothing was sent to the service.',
  retryAfterMs: 5000,
}
