import { setImmediate as nextTurn } from 'node:timers/promises'
import { SerialQueue } from '../shared/serialQueue.ts'
import { CheckpointScheduler } from '../store/checkpoints.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'

interface Parts {
  store: Pick<RequestLogTables, 'erasing' | 'requests'>
  /** Path of the database, for the thread that runs checkpoints. */
  file: string
  /** Writes pending rows. */
  flush(): void
  /** Number of ended rows that began before a time. */
  countBefore(at: number): Promise<number>
  /** No row that began before a time has a higher id. */
  lastBefore(at: number): number
  /** Deletes logged bodies from before a time. Called first: every stored body needs its request in the log. */
  deleteBodies(before: number, on: LogDeletionSteps): Promise<number>
  erased(): void
  log(level: 'warn', line: string): void
}

/** Progress of a deletion. `stopped` ends it early; what was deleted by then stays deleted. */
export interface LogDeletionSteps {
  done(items: number): void
  stopped(): boolean
}

/** Target duration of a step on the main thread. Its rows depend on the number of callers, because each has its own place in the index. */
const sliceMs = 6
const rowsAtOnce = { first: 200, least: 50, most: 20_000 }
/** Steps between checkpoints: about 10 MB of write-ahead log. */
const foldEvery = 10
const pagesAtOnce = 60

/**
 * Deletes old rows of the log permanently, in steps with a turn of the event loop between them. The sums of the rows remain in other
 * tables.
 */
export class LogRetention {
  readonly #parts: Parts
  readonly #deletions = new SerialQueue()
  #closing = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What `erase` would delete: rows, and about how many bytes of the file. */
  async count(before: number): Promise<{ items: number; bytes: number }> {
    this.#parts.flush()
    const items = await this.#parts.countBefore(before)
    const all = await this.#parts.countBefore(Number.MAX_SAFE_INTEGER)
    return { items, bytes: all === 0 ? 0 : Math.round((this.#parts.store.erasing.bytes() * items) / all) }
  }

  /**
   * Deletes ended rows that began before `before` (ms since 1970), with their bodies, and returns how many. When it resolves without a
   * stop, the files contain no part of the rows.
   */
  erase(before: number, steps: LogDeletionSteps): Promise<number> {
    return this.#deletions.run(() => this.#erase(before, steps))
  }

  async #erase(before: number, { done, stopped }: LogDeletionSteps): Promise<number> {
    const { store, flush, file } = this.#parts
    const over = (): boolean => this.#closing || stopped()
    if (over()) return 0
    flush()
    await this.#parts.deleteBodies(before, { done: () => undefined, stopped: over })
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
          'Another process was reading the request log. Copies of deleted rows are removed when the program ends.',
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
    await this.#deletions.ended()
  }
}

/** Shrinks a file of an earlier version when most of it is free. Leaves it when the disk has no space for a second copy. */
export function giveBackAtStart(
  store: Pick<RequestLogTables, 'erasing'>,
  log: (level: 'info' | 'warn', line: string) => void,
) {
  try {
    if (store.erasing.writeAnew()) log('info', 'The request log was rewritten to free the space of deleted rows.')
  } catch (thrown) {
    log('warn', `The space of deleted requests could not be freed: ${String(thrown)}`)
  }
}
