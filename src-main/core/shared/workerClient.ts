import type { Transferable } from 'node:worker_threads'
import { StudioError } from '../errors.ts'
import { SerialQueue } from './serialQueue.ts'
import { inBackground } from './unexpected.ts'
import type { JobMessage, WorkerMessage } from './worker.ts'

/** What the client needs of a worker: one of `startWorker`, on a thread of this process, or of `startProcessWorker`. */
export interface WorkerThread {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
  on(event: 'message' | 'error' | 'exit', listener: (value: unknown) => void): unknown
  ref(): void
  unref(): void
  /** Resolves when it has ended. */
  terminate(): Promise<unknown>
}

export interface WorkerClientOptions {
  /** What the worker does, for error messages, such as "search". */
  name: string
  /** Starts the thread, with a lazy import of the worker's file. */
  start(): Promise<WorkerThread>
  /** The thread is stopped after this time without a job, ms. It gives back its memory. Default: never. */
  idleMs?: number
  /** How long the thread may take to start, ms. Default: no limit. */
  startTimeoutMs?: number
  /** Terminates the thread when the signal of the running job aborts. Otherwise a signal only cancels jobs that have not started. */
  isTerminatedOnAbort?: boolean
}

export interface RunOptions<Progress> {
  signal?: AbortSignal | undefined
  /** How long the job may run, ms. The thread is terminated when it takes longer. Default: no limit. */
  timeoutMs?: number
  /** Moves these buffers to the worker with the job instead of copying them. */
  transfer?: readonly Transferable[]
  onProgress?: (message: Progress) => void
}

/** The thread did not start, or did not finish a job, in time. It was terminated. */
export class WorkerTimeout extends Error {
  override readonly name = 'WorkerTimeout'
  readonly phase: 'start' | 'job'

  constructor(phase: 'start' | 'job', message: string) {
    super(message)
    this.phase = phase
  }
}

/** The code with which Node ends a thread beyond its heap limit: the `code` of the cause of a WorkerExit. */
export const outOfMemoryCode = 'ERR_WORKER_OUT_OF_MEMORY'

/** The thread ended during a job: it crashed, or ran out of memory. */
export class WorkerExit extends Error {
  override readonly name = 'WorkerExit'
}

interface RunningJob<Result, Progress> {
  id: number
  resolve(result: Result): void
  reject(error: Error): void
  onProgress: ((message: Progress) => void) | undefined
  /** The thread has finished the job, so it is free. */
  isDone: boolean
}

/**
 * Runs jobs on a worker thread, one after another. The thread starts with the first job. If it ends unexpectedly, the running job is rejected
 * and the next job starts a new thread. An idle thread does not keep the process alive. The worker's side is worker.ts.
 */
export class WorkerClient<Job, Result, Progress = never> {
  readonly #options: WorkerClientOptions
  /** Fulfilled when the thread is ready for jobs. */
  #thread: Promise<WorkerThread> | null = null
  /** The same thread, already while it starts. */
  #worker: WorkerThread | null = null
  #running: RunningJob<Result, Progress> | null = null
  readonly #queue = new SerialQueue()
  #idleTimer: NodeJS.Timeout | undefined
  #lastId = 0
  #isClosed = false

  constructor(options: WorkerClientOptions) {
    this.#options = options
  }

  /**
   * Runs one job after those before it.
   * @param makeJob called when the job's turn comes
   * @throws StudioError `cancelled` when the signal aborts or the client is closed first; what the worker threw, as a StudioError;
   *   WorkerTimeout, WorkerExit
   */
  run(makeJob: () => Job, options: RunOptions<Progress> = {}): Promise<Result> {
    return this.#queue.run(() => {
      if (this.#isClosed || options.signal?.aborted) throw this.#cancelled()
      return this.#runNow(makeJob, options)
    })
  }

  /** Waits for the running job, cancels the others and stops the thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#queue.ended()
    await this.#stop()
  }

  /** Cancels all jobs and stops the thread at once. */
  async terminate(): Promise<void> {
    this.#isClosed = true
    this.#running?.reject(this.#cancelled())
    await this.#stop()
  }

  async #runNow(makeJob: () => Job, options: RunOptions<Progress>): Promise<Result> {
    clearTimeout(this.#idleTimer)
    const { signal, timeoutMs, transfer = [], onProgress } = options
    const { isTerminatedOnAbort, name } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const late = (): void => reject(new WorkerTimeout('job', `The ${name} worker took longer than ${timeoutMs} ms.`))
    const abort = (): void => reject(this.#cancelled())
    let timer: NodeJS.Timeout | undefined
    if (isTerminatedOnAbort) signal?.addEventListener('abort', abort)
    this.#lastId += 1
    const id = this.#lastId
    const running: RunningJob<Result, Progress> = { id, resolve, reject, onProgress, isDone: false }
    this.#running = running
    try {
      this.#thread ??= this.#start()
      // The job may be cancelled before the thread has started.
      const worker = await Promise.race([this.#thread, promise.then(() => null)])
      worker?.ref()
      if (timeoutMs !== undefined) timer = setTimeout(late, timeoutMs)
      const message: JobMessage<Job> = { id, job: makeJob() }
      worker?.postMessage(message, transfer)
      return await promise
    } catch (thrown) {
      // A thread that is still busy with this job must not get the next job. A thread that did not start is useless.
      if (!running.isDone) await this.#stop()
      throw thrown
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      this.#running = null
      this.#rest()
    }
  }

  /** Lets the process end while the thread has no job, and stops the thread after a while. */
  #rest(): void {
    const { idleMs, name } = this.#options
    if (!this.#worker) return
    this.#worker.unref()
    if (idleMs === undefined) return
    const stop = (): void => inBackground(`The ${name} worker could not be stopped`, this.#stop())
    this.#idleTimer = setTimeout(stop, idleMs)
    this.#idleTimer.unref()
  }

  async #start(): Promise<WorkerThread> {
    const { start, startTimeoutMs, name } = this.#options
    const worker = await start()
    this.#worker = worker
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
    const late = (): void =>
      reject(new WorkerTimeout('start', `The ${name} worker did not start within ${startTimeoutMs} ms.`))
    const timer = startTimeoutMs === undefined ? undefined : setTimeout(late, startTimeoutMs)
    const end = (error: Error): void => {
      reject(error)
      // A thread that was stopped here is no longer this client's.
      if (this.#worker !== worker) return
      this.#worker = null
      this.#thread = null
      this.#running?.reject(error)
    }
    worker.on('message', (value) => {
      // Safe: `serveJobs` sends nothing else.
      const message = value as WorkerMessage<Result, Progress>
      if (message === 'ready') resolve()
      else this.#receive(message)
    })
    worker.on('error', (error) => {
      const text = error instanceof Error ? error.message : String(error)
      end(new WorkerExit(`The ${name} worker failed: ${text}`, { cause: error }))
    })
    worker.on('exit', (code) => end(new WorkerExit(`The ${name} worker exited (code ${String(code)}).`)))
    try {
      await ready
      return worker
    } catch (thrown) {
      if (this.#worker === worker) this.#worker = null
      await worker.terminate()
      throw thrown
    } finally {
      clearTimeout(timer)
    }
  }

  #receive(message: Exclude<WorkerMessage<Result, Progress>, 'ready'>): void {
    const running = this.#running
    // Messages of a job that was abandoned.
    if (running?.id !== message.id) return
    if ('progress' in message) {
      running.onProgress?.(message.progress)
      return
    }
    running.isDone = true
    if ('result' in message) running.resolve(message.result)
    else {
      const { kind, message: text, ...facts } = message.problem
      running.reject(new StudioError(kind, text, facts))
    }
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#idleTimer)
    const [thread, worker] = [this.#thread, this.#worker]
    this.#thread = null
    this.#worker = null
    await worker?.terminate()
    // While the worker's file is still imported, its thread does not exist yet.
    await (await thread?.catch(() => null))?.terminate()
  }

  #cancelled(): StudioError {
    return new StudioError('cancelled', `The ${this.#options.name} job was cancelled.`)
  }
}
