import { setImmediate as nextTurn } from 'node:timers/promises'
import { SerialQueue } from '../../shared/serialQueue.ts'
import type { Store } from '../../store/store.ts'

export interface PermanentDeleteOptions {
  store: Pick<Store, 'erasures' | 'search' | 'transaction' | 'journal'>
  /** Deletes the rows and files of images that no message shows any more. */
  dropMedia(ids: readonly string[]): Promise<void>
  /** Deletes the logged bodies of these rows of the request log. */
  deleteBodies(rows: readonly number[]): Promise<void>
  log(level: 'info' | 'warn', line: string): void
}

/** Longest step on this thread, ms, and the maximum number of messages per step. */
const stepMs = 4
const stepMessages = 200
const cleanPages = 24
const atOnce = 100

/**
 * Deletes conversations permanently, in small steps. The transaction that deletes a reference also adds its target to
 * the erasure list, so that a later start can finish after a crash.
 */
export class PermanentDelete {
  readonly #parts: PermanentDeleteOptions
  readonly #deletions = new SerialQueue()
  #closed = false

  constructor(parts: PermanentDeleteOptions) {
    this.#parts = parts
  }

  /**
   * Adds conversations to the erasure list, then deletes them and everything an earlier run left. After the promise resolves, the files of
   * this program contain none of their content. If `close` interrupts the deletion, the next start continues it.
   */
  async erase(ids: readonly string[]): Promise<void> {
    this.#parts.store.erasures.plan('conversation', ids)
    await this.#deletions.run(() => this.#work())
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#deletions.ended()
  }

  async #work(): Promise<void> {
    const { erasures, search } = this.#parts.store
    let worked = false
    for (;;) {
      const id = erasures.nextPlanned('conversation')
      if (id === null || this.#closed) break
      worked = true
      const { store } = this.#parts
      store.journal(() => {
        const { indexed } = erasures.step(id, stepMessages, stepMs)
        if (indexed) search.markDirty()
      })
      await nextTurn()
    }
    worked = (await this.#media()) || worked
    worked = (await this.#requests()) || worked
    worked = (await this.#index()) || worked
    if (worked && !this.#closed) await this.#emptyLog()
  }

  async #media(): Promise<boolean> {
    const { erasures } = this.#parts.store
    const planned = erasures.planned('media')
    for (let at = 0; at < planned.length && !this.#closed; at += atOnce) {
      const some = planned.slice(at, at + atOnce)
      await this.#parts.dropMedia(some.filter((id) => !erasures.isUsed(id)))
      this.#forget('media', some)
      await nextTurn()
    }
    return planned.length > 0
  }

  async #requests(): Promise<boolean> {
    const planned = this.#parts.store.erasures.planned('request')
    for (let at = 0; at < planned.length && !this.#closed; at += atOnce) {
      const some = planned.slice(at, at + atOnce)
      await this.#parts.deleteBodies(some.map(Number))
      this.#forget('request', some)
    }
    return planned.length > 0
  }

  /** Rebuilds the FTS5 index, which only marks the words of deleted rows as deleted. */
  async #index(): Promise<boolean> {
    const { search } = this.#parts.store
    if (!search.isDirty() || this.#closed) return false
    for (let more = search.beginCleaning(cleanPages); more && !this.#closed; more = search.cleanStep(cleanPages)) {
      await nextTurn()
    }
    if (!this.#closed) search.cleaned()
    return true
  }

  /** Empties the write-ahead log. Retries, because a running search may block the log for a moment. */
  async #emptyLog(): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      if (this.#parts.store.erasures.emptyLog()) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    this.#parts.log(
      'warn',
      'The write-ahead log could not be emptied after a permanent deletion. It is emptied when the program exits.',
    )
  }

  #forget(what: 'media' | 'request', items: readonly string[]): void {
    const { erasures } = this.#parts.store
    this.#parts.store.transaction(() => {
      for (const item of items) erasures.forgetPlan(what, item)
    })
  }
}
