import { setImmediate as nextTurn } from 'node:timers/promises'
import { dayMs } from '../shared/days.ts'
import { SerialQueue } from '../shared/serialQueue.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'
import type { ResponseSelection } from '../store/requestLog/responses.ts'
import type { DeletionDeadlines } from '../store/retentionClock.ts'
import type { LogDeletionSteps } from './retention.ts'

const hourMs = 3_600_000

interface Parts {
  store: RequestLogTables
  /** Retention of logged bodies, days. Read at each sweep. */
  bodyDays(): number
  deadlines: DeletionDeadlines
  erased(): void
  log(level: 'error', line: string): void
}

const quietly: LogDeletionSteps = { done: () => undefined, stopped: () => false }

/**
 * Deletes logged bodies and stored responses: on request, and every hour those that are too old. Deletions run one after the other.
 */
export class BodyRetention {
  readonly #parts: Parts
  readonly #sweep: NodeJS.Timeout
  readonly #deletions = new SerialQueue()
  #closing = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#sweep = setInterval(() => this.#deleteOld(), hourMs)
    this.#sweep.unref()
    setImmediate(() => this.#deleteOld())
  }

  /** Number of requests with bodies and of stored responses from before a time (ms since 1970), and their bytes. */
  count = (before: number): { items: number; bytes: number } => {
    const { bodies, responses } = this.#parts.store
    const [logged, stored] = [bodies.before(before), responses.before(before)]
    return { items: logged.items + stored.items, bytes: logged.bytes + stored.bytes }
  }

  /** Resolves to the number of requests whose bodies were deleted, and of deleted responses. */
  erase(selection: ResponseSelection, { done, stopped }: LogDeletionSteps = quietly): Promise<number> {
    return this.#deletions.run(async () => {
      const erased = await deleteBodies(this.#parts.store, selection, {
        done,
        stopped: () => this.#closing || stopped(),
      })
      // The deletion of a response changes no row of the log.
      const isResponse = typeof selection === 'object' && 'response' in selection
      if (erased > 0 && !isResponse) this.#parts.erased()
      return erased
    })
  }

  #deleteOld(): void {
    if (this.#closing) return
    const before = this.#parts.deadlines.before(this.#parts.bodyDays() * dayMs)
    if (before === null) return
    this.erase({ before }).catch((thrown: unknown) => {
      this.#parts.log('error', `Old bodies could not be deleted: ${String(thrown)}`)
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    this.#closing = true
    await this.#deletions.ended()
  }
}

/** Number of bodies deleted in one step. Each may have 512 KB that must be overwritten. */
const atOnce = 20
const pagesEach = 130

/**
 * Deletes logged bodies and stored responses, and returns how many. When it resolves without a stop, the files contain no part of the bodies.
 * After a stop at the end of the program, the next start deletes the remaining bodies that are too old.
 */
async function deleteBodies(
  store: RequestLogTables,
  selection: ResponseSelection,
  { done, stopped }: LogDeletionSteps,
): Promise<number> {
  let erased = 0
  const deleteSome = (): number => {
    if (typeof selection === 'object' && 'response' in selection) return 0
    const ids = store.bodies.eraseSome(selection, atOnce)
    store.transaction(() => {
      for (const id of ids) store.requests.forgetBodies(id)
    })
    return ids.length
  }
  for (const some of [deleteSome, () => store.responses.eraseSome(selection, atOnce)]) {
    for (let deleted = atOnce; deleted === atOnce && !stopped(); ) {
      deleted = some()
      erased += deleted
      done(erased)
      store.bodies.shrink(atOnce * pagesEach)
      if (deleted === atOnce) await nextTurn()
    }
  }
  if (erased > 0) store.bodies.giveBack()
  return erased
}
