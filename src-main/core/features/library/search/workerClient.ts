import type { Worker } from 'node:worker_threads'
import { StudioError } from '../../../errors.ts'
import type { SearchAnswer, SearchAsk } from './finder.ts'
import type { SearchJob, SearchWorkerReply } from './worker.ts'

interface Waiting {
  resolve: (answer: SearchAnswer) => void
  reject: (error: Error) => void
}

/** Searches on a thread of their own, one after another; those that were given up before their turn are left out. */
export class Searcher {
  readonly #file: string
  readonly #waiting = new Map<number, Waiting>()
  #thread: Promise<Worker> | null = null
  #turn: Promise<unknown> = Promise.resolve()
  #nextId = 0
  #closed = false

  constructor(file: string) {
    this.#file = file
  }

  /** @throws StudioError `cancelled` where the signal came first */
  find(ask: SearchAsk, signal?: AbortSignal): Promise<SearchAnswer> {
    const work = this.#turn.then(() => {
      if (signal?.aborted || this.#closed) throw new StudioError('cancelled', 'The search was given up.')
      return this.#ask(ask)
    })
    this.#turn = work.catch(() => undefined)
    return work
  }

  /** Folds the write-ahead log in on that thread: a commit here would do it otherwise, and wait for the disk. */
  foldLog(): Promise<unknown> {
    const work = this.#turn.then(() => (this.#closed ? null : this.#ask(null)))
    this.#turn = work.catch(() => undefined)
    return this.#turn
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#turn
    const worker = await this.#thread?.catch(() => null)
    worker?.removeAllListeners()
    await worker?.terminate()
  }

  async #ask(ask: SearchAsk | null): Promise<SearchAnswer> {
    this.#thread ??= this.#start()
    const worker = await this.#thread.catch((thrown: unknown) => {
      this.#thread = null
      throw thrown
    })
    const id = this.#nextId++
    const { promise, resolve, reject } = Promise.withResolvers<SearchAnswer>()
    this.#waiting.set(id, { resolve, reject })
    // Only a search that somebody waits for keeps the process alive.
    worker.ref()
    const job: SearchJob = { id, ask }
    worker.postMessage(job)
    return promise.finally(() => worker.unref())
  }

  async #start(): Promise<Worker> {
    const { startThread } = await import('./worker.ts')
    const worker = startThread(this.#file)
    worker.unref()
    worker.on('message', (answer: SearchWorkerReply) => {
      const asked = this.#waiting.get(answer.id)
      this.#waiting.delete(answer.id)
      if ('error' in answer) asked?.reject(new Error(answer.error))
      else asked?.resolve(answer.answer)
    })
    worker.on('error', (error) => this.#ended(error instanceof Error ? error : new Error(String(error))))
    worker.on('exit', (code) => this.#ended(new Error(`The search thread ended (${code})`)))
    return worker
  }

  #ended(error: Error): void {
    this.#thread = null
    for (const asked of this.#waiting.values()) asked.reject(error)
    this.#waiting.clear()
  }
}
