import { setImmediate as nextTurn } from 'node:timers/promises'
import { CheckpointScheduler } from '../store/checkpoints.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'

interface Parts {
  store: Pick<RequestLogTables, 'erasing' | 'requests'>
  /** Where the rows lie, for the thread that folds the log. */
  file: string
  /** Brings what is pending to the disk. */
  flush(): void
  /** Rows that have ended and began before a time. */
  countBefore(at: number): Promise<number>
  /** No row that began before a time has a higher id. */
  lastBefore(at: number): number
  /** Logged bodies of before a time go too, and first: no body may lie there whose request is not in the log. */
  eraseBodies(before: number, on: LogEraseSteps): Promise<number>
  erased(): void
  log(level: 'warn', line: string): void
}

/** Told while something is erased; `stopped` ends it early, and what is gone by then is gone. */
export interface LogEraseSteps {
  done(items: number): void
  stopped(): boolean
}

/** How long a slice should hold the thread. The rows of one depend on how many callers they have: each has a place of its own in the index. */
const sliceMs = 6
const rowsAtOnce = { first: 200, least: 50, most: 20_000 }
/** So many slices make about 10 MB of log. */
const foldEvery = 10
const pagesAtOnce = 60

/** Erases old rows of the log for good, in slices with a turn of the event loop between. What they add up to stays: other tables hold it. */
export class LogRetention {
  readonly #parts: Parts
  #work: Promise<unknown> = Promise.resolve()
  #closing = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What `erase` would take: rows, and about how many bytes of the file. */
  async count(before: number): Promise<{ items: number; bytes: number }> {
    this.#parts.flush()
    const items = await this.#parts.countBefore(before)
    const all = await this.#parts.countBefore(Number.MAX_SAFE_INTEGER)
    return { items, bytes: all === 0 ? 0 : Math.round((this.#parts.store.erasing.bytes() * items) / all) }
  }

  /**
   * Erases rows that have ended and began before `before` (ms since 1970), with their bodies; answers how many. When it resolves nothing of them is
   * left in the files, but where it was stopped.
   */
  erase(before: number, steps: LogEraseSteps): Promise<number> {
    const work = this.#work.then(() => this.#erase(before, steps))
    this.#work = work.catch(() => undefined)
    return work
  }

  async #erase(before: number, { done, stopped }: LogEraseSteps): Promise<number> {
    const { store, flush, file } = this.#parts
    const over = (): boolean => this.#closing || stopped()
    if (over()) return 0
    flush()
    await this.#parts.eraseBodies(before, { done: () => undefined, stopped: over })
    let low = store.requests.from(0)?.id ?? 0
    const high = this.#parts.lastBefore(before)
    if (low > high || over()) return 0
    const checkpoints = new CheckpointScheduler(file)
    let erased = 0
    try {
      store.erasing.begin()
      let rows = rowsAtOnce.first
      for (let slice = 1; low <= high && !over(); slice += 1) {
        const from = performance.now()
        erased += store.erasing.some(low, Math.min(high, low + rows - 1), before)
        const ms = performance.now() - from
        low += rows
        rows = Math.round(rows * Math.min(1.5, sliceMs / ms))
        rows = Math.max(rowsAtOnce.least, Math.min(rowsAtOnce.most, rows))
        done(erased)
        if (slice % foldEvery === 0) await checkpoints.passive()
        else await nextTurn()
      }
      for (let slice = 1; !over() && store.erasing.shrink(pagesAtOnce); slice += 1) {
        if (slice % foldEvery === 0) await checkpoints.passive()
        else await nextTurn()
      }
      if (erased > 0 && !(await checkpoints.truncate())) {
        this.#parts.log(
          'warn',
          'A reader held the log of requests: copies of what was erased go when the program ends.',
        )
      }
    } finally {
      store.erasing.end()
      await checkpoints.close()
      if (erased > 0) this.#parts.erased()
    }
    return erased
  }

  async close(): Promise<void> {
    this.#closing = true
    await this.#work
  }
}

/** A file of an earlier version, most of it free by now. Where the disk has no room for a second copy, it stays as it is. */
export function giveBackAtStart(
  store: Pick<RequestLogTables, 'erasing'>,
  log: (level: 'info' | 'warn', line: string) => void,
) {
  try {
    if (store.erasing.writeAnew())
      log('info', 'The log of requests was written anew, without the room of what was erased.')
  } catch (thrown) {
    log('warn', `The room of erased requests could not be given back: ${String(thrown)}`)
  }
}
