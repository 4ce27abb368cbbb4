import { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { WorkerOptions } from 'node:worker_threads'
import { outOfMemoryCode, type WorkerThread } from './workerClient.ts'
import type { ProcessMessage, ThreadToStart } from './workerProcess.ts'

/** A process that runs a file of this program. */
export interface ChildOfProgram {
  postMessage(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  /** Called once, when the process has ended or could not start. @param how for a log, such as "signal SIGKILL" */
  onEnd(listener: (how: string) => void): void
  /** Ends it at once. */
  kill(): void
  /** Whether it keeps this process alive. */
  ref(): void
  unref(): void
}

/**
 * Starts a process that runs a file of this program.
 * @param path of the file
 * @param args end up behind the file in the process's `argv`
 */
export type ForkProgram = (path: string, args: readonly string[]) => ChildOfProgram

/** What a process that works on hostile input gets of this one's environment: what the system's own libraries need, and no secret. */
export function systemEnvironment(): Record<string, string> {
  const names = ['SYSTEMROOT', 'WINDIR', 'TEMP', 'TMP', 'TMPDIR', 'TZ', 'LANG']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

/** How V8 ends a whole process when a thread's memory runs out between two checks of its limit, and how Linux ends the largest process. */
const outOfMemory = /^(?:signal SIG(?:ABRT|TRAP|KILL)|code (?:5|6|9|133|134|137))$/

interface ProcessWorkerOptions extends WorkerOptions {
  /** How much the memory of the process may grow during a job, bytes. */
  maxGrowthBytes: number
}

/**
 * Starts the worker in the file `url`, as `startWorker` does, in a process that may die. A job costs a copy of its messages more than on
 * a thread of this process, and the first one about 60 ms.
 * @param role names the service of the file, as in its call of `serveJobs`
 */
export async function startProcessWorker(
  forkProgram: ForkProgram,
  url: string,
  role: string,
  { maxGrowthBytes, ...options }: ProcessWorkerOptions,
): Promise<WorkerThread> {
  const program = await import('./workerProcess.ts')
  const child = forkProgram(fileURLToPath(program.file), [program.role])
  const first: ThreadToStart = { url, maxGrowthBytes, options: { ...options, workerData: { role } } }
  child.postMessage(first)
  const events = new EventEmitter()
  const ended = new Promise<void>((resolve) =>
    child.onEnd((how) => {
      const error = new Error(`Its process ended (${how}).`)
      events.emit('error', outOfMemory.test(how) ? Object.assign(error, { code: outOfMemoryCode }) : error)
      resolve()
    }),
  )
  child.onMessage((message) => {
    // Safe: workerProcess.ts sends nothing else.
    const received = message as ProcessMessage
    if ('message' in received) events.emit('message', received.message)
    else {
      const { text, code } = received.failed
      events.emit('error', Object.assign(new Error(text), code === null ? {} : { code }))
    }
  })
  return {
    postMessage: (message) => child.postMessage(message),
    on: (event, listener) => events.on(event, listener),
    ref: () => child.ref(),
    unref: () => child.unref(),
    async terminate() {
      child.kill()
      await ended
    },
  }
}
