import { parentPort, type Transferable, Worker, type WorkerOptions, workerData } from 'node:worker_threads'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { asStudioError } from '../errors.ts'

// The worker's side of workerClient.ts. A worker file is both ends of its thread: imported, it exports a function that starts a Worker of the
// same file. So one line works from sources and from a bundle, without a bundler's syntax for workers. It must only be imported lazily, so that
// the bundler makes it a chunk of its own.

/** A job on its way to the worker. */
export interface JobMessage<Job> {
  id: number
  job: Job
}

/** A message from a worker: `ready` once, then for each job any number of `progress` messages and one result. */
export type WorkerMessage<Result, Progress> =
  | 'ready'
  | { id: number; progress: Progress }
  | { id: number; result: Result }
  | { id: number; problem: Problem }

/** Calls that the handler of a job may make besides returning the result. */
export interface JobReporter<Progress> {
  /** Sends a message to the caller of the job before its result. */
  progress(message: Progress): void
  /** Moves these buffers with the result instead of copying them. */
  transfer(buffers: readonly Transferable[]): void
}

export interface WorkerService<Job, Result, Progress = never> {
  /** Does one job. Jobs arrive one after another. A thrown error becomes the rejection of the caller's promise. */
  handle(job: Job, reporter: JobReporter<Progress>): Result | Promise<Result>
  /** Called when the port closes. Not called when the thread is terminated. */
  close?(): void
}

/**
 * Starts the worker in the file `url`.
 * @param role names the service of the file, as in its call of `serveJobs`
 * @param data for the `open` function of that call; copied to the thread
 */
export const startWorker = (url: string, role: string, data?: unknown, options: WorkerOptions = {}): Worker =>
  new Worker(new URL(url), { ...options, workerData: { role, data } })

/**
 * Does jobs when this thread was started with `startWorker` for `role`. Does nothing in any other thread.
 * @param open prepares the service, for example opens a database; an error that it throws ends the thread
 */
export function serveJobs<Job, Result, Progress = never>(
  role: string,
  open: (data: unknown) => WorkerService<Job, Result, Progress>,
): void {
  const port = parentPort
  if (!port || workerData?.role !== role) return
  const send = (message: WorkerMessage<Result, Progress>, buffers: readonly Transferable[] = []): void =>
    port.postMessage(message, buffers)
  const { handle, close } = open(workerData.data)
  async function answer({ id, job }: JobMessage<Job>): Promise<void> {
    const buffers: Transferable[] = []
    try {
      const result = await handle(job, {
        progress: (progress) => send({ id, progress }),
        transfer: (more) => void buffers.push(...more),
      })
      send({ id, result }, buffers)
    } catch (thrown) {
      send({ id, problem: asStudioError(thrown).toProblem() })
    }
  }
  port.on('message', (message: JobMessage<Job>) => void answer(message))
  if (close) port.on('close', close)
  send('ready')
}
