import type { Worker } from 'node:worker_threads'
import { StudioError } from '../../errors.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { UsageJob, UsageQuestion, UsageReplies, UsageWorkerReply } from './worker.ts'

/** Nobody looks at the books any more: the thread and what it remembers are given back. */
const idleMs = 300_000

export interface UsageWorkerOptions {
  dataDir: string
  tools(): UsageJob['tools']
  /** What the log still holds back is written, so that another connection sees it. */
  flush(): void
  /** Changes when days that are over do. */
  settled(): number
}

interface Waiting {
  resolve: (answer: UsageReplies[UsageQuestion['what']]) => void
  reject: (error: Error) => void
}

/**
 * The books read on a thread of their own, one question after another: years of rows hold nobody's stream. Those that were given up before
 * their turn are left out.
 */
export class UsageWorkerClient {
  readonly #parts: UsageWorkerOptions
  readonly #waiting = new Map<number, Waiting>()
  #thread: Promise<Worker> | null = null
  #turn: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | null = null
  #nextId = 0
  #closed = false

  constructor(parts: UsageWorkerOptions) {
    this.#parts = parts
  }

  /** @throws StudioError as `openReading` does; `cancelled` where the signal came first, or the program ends */
  ask<A extends UsageQuestion>(ask: A, signal?: AbortSignal): Promise<UsageReplies[A['what']]> {
    const work = this.#turn.then(() => {
      if (signal?.aborted || this.#closed) throw new StudioError('cancelled', 'The question was given up.')
      return this.#ask(ask)
    })
    this.#turn = work.catch(() => undefined)
    // The thread answers each kind of question with its own kind of answer (`answerTo`).
    return work as Promise<UsageReplies[A['what']]>
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#turn
    await this.#end()
  }

  async #ask(ask: UsageQuestion): Promise<UsageReplies[UsageQuestion['what']]> {
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = null
    this.#thread ??= this.#start()
    const worker = await this.#thread.catch((thrown: unknown) => {
      this.#thread = null
      throw thrown
    })
    const id = this.#nextId++
    const { promise, resolve, reject } = Promise.withResolvers<UsageReplies[UsageQuestion['what']]>()
    this.#waiting.set(id, { resolve, reject })
    this.#parts.flush()
    // Only a question that somebody waits for keeps the process alive.
    worker.ref()
    const job: UsageJob = { id, ask, tools: this.#parts.tools(), settled: this.#parts.settled() }
    worker.postMessage(job)
    return promise.finally(() => {
      worker.unref()
      this.#idle = setTimeout(
        () => inBackground('The thread that sums up usage could not be ended', this.#end()),
        idleMs,
      )
      this.#idle.unref()
    })
  }

  async #start(): Promise<Worker> {
    const { startThread } = await import('./worker.ts')
    const worker = startThread(this.#parts.dataDir)
    worker.unref()
    worker.on('message', (answer: UsageWorkerReply) => {
      const asked = this.#waiting.get(answer.id)
      this.#waiting.delete(answer.id)
      if ('problem' in answer) {
        const { kind, message, ...facts } = answer.problem
        asked?.reject(new StudioError(kind, message, facts))
      } else asked?.resolve(answer.answer)
    })
    worker.on('error', (error) => this.#ended(error instanceof Error ? error : new Error(String(error))))
    worker.on('exit', (code) => this.#ended(new Error(`The thread that reads the books ended (${code})`)))
    return worker
  }

  #ended(error: Error): void {
    this.#thread = null
    for (const asked of this.#waiting.values()) asked.reject(error)
    this.#waiting.clear()
  }

  async #end(): Promise<void> {
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = null
    const thread = this.#thread
    this.#thread = null
    const worker = await thread?.catch(() => null)
    worker?.removeAllListeners()
    await worker?.terminate()
  }
}
