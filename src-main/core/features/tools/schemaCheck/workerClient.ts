import type { Worker } from 'node:worker_threads'
import { inBackground } from '../../../shared/unexpected.ts'
import { limits } from '../limits.ts'
import type { SchemaJob, SchemaWorkerReply } from './worker.ts'

/** The thread keeps about 20 MB, so it goes when nothing was checked for a while. */
const idleMs = 30_000
/** For a thread that does not come up at all, on a machine that is busy with something else. */
const startMs = 20_000

/**
 * Checks schemas, and arguments against them, in a thread with a time and a memory limit, one after another. A check that
 * exceeds them is answered as a fault: what could not be checked is never run.
 */
export class SchemaCheckClient {
  readonly #checkMs: number
  #worker: Promise<Worker> | null = null
  #queue: Promise<unknown> = Promise.resolve()
  #retire: NodeJS.Timeout | undefined
  #nextId = 0
  #closed = false

  constructor({ checkMs = limits.checkMs }: { checkMs?: number } = {}) {
    this.#checkMs = checkMs
  }

  /** What is wrong with a schema (JSON text), one sentence each. */
  schema(schema: string): Promise<string[]> {
    return this.#inTurn({ schema, args: null })
  }

  /** What is wrong with arguments (JSON text) for a schema that was found good, one sentence each. */
  args(schema: string, args: string): Promise<string[]> {
    return this.#inTurn({ schema, args })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#drop()
  }

  #inTurn(job: Omit<SchemaJob, 'id'>): Promise<string[]> {
    const turn = this.#queue.then(() => this.#check({ ...job, id: this.#nextId++ }))
    this.#queue = turn
    return turn
  }

  async #check(job: SchemaJob): Promise<string[]> {
    if (this.#closed) return ['It could not be checked: the program is ending.']
    clearTimeout(this.#retire)
    try {
      this.#worker ??= this.#begin()
      const worker = await this.#worker
      const faults = await answerOf(worker, job, this.#checkMs)
      this.#retire = setTimeout(() => this.#dropAside(), idleMs)
      this.#retire.unref()
      return faults
    } catch (thrown) {
      this.#dropAside()
      return [thrown instanceof Error ? thrown.message : String(thrown)]
    }
  }

  async #begin(): Promise<Worker> {
    const { startThread } = await import('./worker.ts')
    const worker = startThread()
    const ready = firstWord(worker, startMs, 'The checking thread did not start.', (word) => word === 'ready' || null)
    // Whoever waits for an answer listens for himself; the next check starts another thread.
    worker.on('error', () => {
      this.#worker = null
    })
    worker.unref()
    await ready
    return worker
  }

  #dropAside(): void {
    inBackground('The thread that checks arguments could not be ended', this.#drop())
  }

  async #drop(): Promise<void> {
    clearTimeout(this.#retire)
    const worker = this.#worker
    this.#worker = null
    await worker?.then(
      (one) => one.terminate(),
      () => 0,
    )
  }
}

function answerOf(worker: Worker, job: SchemaJob, ms: number): Promise<string[]> {
  const words = `Checking took longer than ${ms} ms, so it was given up.`
  const answer = firstWord(worker, ms, words, (one) => (one !== 'ready' && one.id === job.id ? one.faults : null))
  worker.postMessage(job)
  return answer
}

/** The first message that `take` takes. @throws Error where the time passes or the thread ends before */
function firstWord<T>(
  worker: Worker,
  ms: number,
  late: string,
  take: (answer: SchemaWorkerReply) => T | null,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(() => reject(new Error(late))), ms)
    const onMessage = (answer: SchemaWorkerReply): void => {
      const taken = take(answer)
      if (taken !== null) end(() => resolve(taken))
    }
    const onEnd = (): void => end(() => reject(new Error('Checking took too much memory, so it was given up.')))
    function end(settle: () => void): void {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd)
      settle()
    }
    worker.on('message', onMessage).on('error', onEnd).on('exit', onEnd)
  })
}
