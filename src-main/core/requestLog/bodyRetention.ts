import { setImmediate as nextTurn } from 'node:timers/promises'
import { dayMs } from '../shared/days.ts'
import type { BodySelection } from '../store/requestLog/bodies.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'
import type { LogDeletionSteps } from './retention.ts'

const hourMs = 3_600_000

interface Parts {
  store: RequestLogTables
  /** Retention of logged bodies, days. Read at each sweep. */
  bodyDays(): number
  now(): number
  erased(): void
  log(level: 'error', line: string): void
}

const quietly: LogDeletionSteps = { done: () => undefined, stopped: () => false }

/** Deletes logged bodies: on request, and every hour the bodies that are too old. Deletions run one after the other. */
export class BodyRetention {
  readonly #parts: Parts
  readonly #sweep: NodeJS.Timeout
  #work: Promise<unknown> = Promise.resolve()
  #closing = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#sweep = setInterval(() => this.#deleteOld(), hourMs)
    this.#sweep.unref()
    setImmediate(() => this.#deleteOld())
  }

  /** Number of requests with bodies from before a time (ms since 1970), and their bytes. */
  count = (before: number): { items: number; bytes: number } => this.#parts.store.bodies.before(before)

  erase(selection: BodySelection, { done, stopped }: LogDeletionSteps = quietly): Promise<number> {
    const work = this.#work.then(async () => {
      const erased = await deleteBodies(this.#parts.store, selection, {
        done,
        stopped: () => this.#closing || stopped(),
      })
      if (erased > 0) this.#parts.erased()
      return erased
    })
    this.#work = work.catch(() => undefined)
    return work
  }

  #deleteOld(): void {
    if (this.#closing) return
    const selection = { before: this.#parts.now() - this.#parts.bodyDays() * dayMs }
    this.erase(selection).catch((thrown: unknown) => {
      this.#parts.log('error', `Old bodies could not be deleted: ${String(thrown)}`)
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    this.#closing = true
    await this.#work.catch(() => undefined)
  }
}

/** Number of bodies deleted in one step. Each may have 512 KB that must be overwritten. */
const atOnce = 20
const pagesEach = 130

/**
 * Deletes logged bodies and returns the number of their requests. When it resolves without a stop, the files contain no part of the bodies.
 * After a stop at the end of the program, the next start deletes the remaining bodies that are too old.
 */
async function deleteBodies(
  store: RequestLogTables,
  selection: BodySelection,
  { done, stopped }: LogDeletionSteps,
): Promise<number> {
  let erased = 0
  for (;;) {
    const ids = store.bodies.eraseSome(selection, atOnce)
    store.transaction(() => {
      for (const id of ids) store.requests.forgetBodies(id)
    })
    erased += ids.length
    done(erased)
    store.bodies.shrink(atOnce * pagesEach)
    if (ids.length < atOnce || stopped()) break
    await nextTurn()
  }
  if (erased > 0) store.bodies.giveBack()
  return erased
}
