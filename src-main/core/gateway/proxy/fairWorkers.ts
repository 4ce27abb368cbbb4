import { StudioError } from '../../errors.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { WorkerExit, WorkerTimeout } from '../../shared/workerClient.ts'

/** What a lane runs jobs on: a `WorkerClient`, or something else that may die. */
export interface LaneWorker<Job, Result> {
  /** @param begin makes the job when it can start. @throws WorkerTimeout, WorkerExit */
  run(begin: () => Job, options: { timeoutMs: number }): Promise<Result>
  /** Ends the running job. */
  terminate(): Promise<void>
}

export interface FairWorkerOptions<Job, Result> {
  open(): LaneWorker<Job, Result>
  /** Most workers. An app uses one of them at a time. */
  workers: number
  /** How long a job may keep the job of another app waiting while all workers are busy, ms. */
  shareMs: number
  /** How long the largest job may take on a busy machine, ms. */
  jobMs: number
}

/** A worker, and the app whose job it runs. */
interface Lane<Job, Result> {
  worker: LaneWorker<Job, Result>
  app: string | null
  /** When the job began on the running worker, ms of the monotonic clock. Infinite while the worker starts, which a busy machine delays. */
  since: number
}

interface Waiting<Job, Result> {
  app: string
  start(lane: Lane<Job, Result>): void
}

/**
 * Workers for the jobs of apps. Each app uses one at a time, so that its jobs delay no other app. Of the apps that wait, the one whose last
 * job began longest ago is next. While all workers are busy and another app waits, a job that has run longer than its share is ended. It is
 * tried once more.
 */
export class FairWorkers<Job, Result> {
  readonly #options: FairWorkerOptions<Job, Result>
  readonly #lanes: Lane<Job, Result>[] = []
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting<Job, Result>>()
  /** When the last job of each app began, ms of the monotonic clock. Empty when every worker is idle. */
  readonly #began = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: FairWorkerOptions<Job, Result>) {
    this.#options = options
  }

  /** Runs a job of an app. Resolves to null when it took too long, or its worker ended. @throws StudioError `cancelled`, and what the job throws */
  async run(app: string, begin: () => Job, signal: AbortSignal): Promise<Result | null> {
    let result = await this.#attempt(app, begin, signal)
    if (result === again) result = await this.#attempt(app, begin, signal)
    return result === again ? null : result
  }

  /** Cancels all jobs. */
  async terminate(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all(this.#lanes.map(({ worker }) => worker.terminate()))
  }

  /** Runs a job once. Returns `again` when it was ended for another app. */
  async #attempt(app: string, job: () => Job, signal: AbortSignal): Promise<Result | typeof again | null> {
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
        return job()
      }
      return await lane.worker.run(begin, { timeoutMs: this.#options.jobMs })
    } catch (thrown) {
      if (signal.aborted || this.#isClosed) throw cancelled()
      if (!this.#lanes.includes(lane)) return again
      if (thrown instanceof WorkerTimeout || thrown instanceof WorkerExit) return null
      throw thrown
    } finally {
      signal.removeEventListener('abort', abort)
      lane.app = null
      this.#next()
    }
  }

  /** Assigns a worker to an app, or returns null when the app has to wait: for its own job, or for a worker. */
  #take(app: string): Lane<Job, Result> | null {
    if (this.#isBusy(app)) return null
    let lane = this.#lanes.find((one) => one.app === null)
    if (!lane) {
      if (this.#lanes.length >= this.#options.workers) return null
      lane = { worker: this.#options.open(), app: null, since: Number.POSITIVE_INFINITY }
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

  #wait(app: string, signal: AbortSignal): Promise<Lane<Job, Result>> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiting)
        reject(cancelled())
        this.#endLongJobs()
      }
      const waiting: Waiting<Job, Result> = {
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

  /** Of the jobs that wait for a worker, and not for a job of their own app, the one whose app's last job began longest ago. */
  #first(): Waiting<Job, Result> | null {
    let first: Waiting<Job, Result> | null = null
    for (const waiting of this.#waiting) {
      if (this.#isBusy(waiting.app)) continue
      if (!first || (this.#began.get(waiting.app) ?? 0) < (this.#began.get(first.app) ?? 0)) first = waiting
    }
    return first
  }

  /** While an app waits for a worker, and not for its own job, the job that has run longest is ended once its share is over. */
  #endLongJobs(): void {
    clearTimeout(this.#timer)
    const needsWorker = this.#first() !== null
    if (!needsWorker || this.#lanes.length < this.#options.workers) return
    const oldest = this.#lanes.reduce((first, lane) => (lane.since < first.since ? lane : first))
    if (oldest.since === Number.POSITIVE_INFINITY) return
    const end = (): void => this.#end(oldest)
    this.#timer = setTimeout(end, Math.max(0, oldest.since + this.#options.shareMs - performance.now()))
  }

  /** Ends a worker with its job. */
  #end(lane: Lane<Job, Result>): void {
    const at = this.#lanes.indexOf(lane)
    if (at < 0) return
    this.#lanes.splice(at, 1)
    inBackground('A job could not be ended', lane.worker.terminate())
  }
}

/** A job was ended for another app, and can be tried once more. */
const again = Symbol('again')

const cancelled = (): StudioError => new StudioError('cancelled', 'The request was cancelled.')
