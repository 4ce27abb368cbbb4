import { Worker, type WorkerOptions } from 'node:worker_threads'
import { inBackground } from './unexpected.ts'
import { outOfMemoryCode } from './workerClient.ts'

// The child's side of processWorker.ts: a process that runs one worker thread for its parent. Work on hostile input may take its process
// down in ways that no limit of a thread prevents, and the process that dies must not be the one with the windows and the local API.
// Must only be imported lazily, like the worker files, so that the bundler makes it a chunk of its own.

export const role = 'inference-studio-process'
export const file = import.meta.url

/** First message to the process: the thread to start. Every later message is one for the thread. */
export interface ThreadToStart {
  url: string
  options: WorkerOptions
  /** How much the memory of the process may grow during a job, bytes. The limits of a thread count its heap alone, without buffers. */
  maxGrowthBytes: number
}

/** A message of the process to its parent. After `failed`, the parent ends it. */
export type ProcessMessage = { message: unknown } | { failed: { text: string; code: string | null } }

/** The channel of a utility process of Electron. */
interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

/** How often the memory is measured, ms. */
const measureMs = 50

if (process.argv[2] === role) serve()

function serve(): void {
  const { parentPort } = process as NodeJS.Process & { parentPort?: ParentPort }
  const send = (message: ProcessMessage): void => {
    if (parentPort) parentPort.postMessage(message)
    else process.send?.(message)
  }
  let worker: Worker | null = null
  let rssBefore = 0
  function receive(message: unknown): void {
    rssBefore = process.memoryUsage.rss()
    // Safe: the parent sends this first.
    if (worker) worker.postMessage(message)
    else worker = start(message as ThreadToStart)
  }
  function start({ url, options, maxGrowthBytes }: ThreadToStart): Worker {
    const thread = new Worker(new URL(url), options)
    const fail = (text: string, code: string | null): void => {
      send({ failed: { text, code } })
      inBackground('A worker could not be ended', thread.terminate())
    }
    thread.on('message', (message: unknown) => send({ message }))
    thread.on('error', (error: Error & { code?: string }) => fail(error.message, error.code ?? null))
    thread.on('exit', (code) => fail(`It exited (code ${code}).`, null))
    setInterval(() => {
      if (process.memoryUsage.rss() - rssBefore <= maxGrowthBytes) return
      fail('It used too much memory.', outOfMemoryCode)
    }, measureMs)
    return thread
  }
  if (parentPort) parentPort.on('message', ({ data }) => receive(data))
  else {
    process.on('message', receive)
    // The parent has ended, perhaps killed: nobody waits for this work.
    process.on('disconnect', () => process.exit())
  }
}
