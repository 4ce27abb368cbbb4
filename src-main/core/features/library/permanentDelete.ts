import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Store } from '../../store/store.ts'

export interface PermanentDeleteOptions {
  store: Pick<Store, 'erasures' | 'search' | 'transaction' | 'journal'>
  /** Rows and files of pictures that no message shows any more. */
  dropMedia(ids: readonly string[]): Promise<void>
  /** Logged bodies of these rows of the log of requests. */
  eraseBodies(rows: readonly number[]): Promise<void>
  log(level: 'info' | 'warn', line: string): void
}

/** How long one step may hold the thread, and messages of one step at most. */
const stepMs = 4
const stepMessages = 200
const cleanPages = 24
const atOnce = 100

/**
 * Erases for good, in small steps. Everything that is to go is written down in the same transaction that takes what named it, so that a death
 * between leaves a list to go on with, and never something that nobody knows of.
 */
export class PermanentDelete {
  readonly #parts: PermanentDeleteOptions
  #turn: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(parts: PermanentDeleteOptions) {
    this.#parts = parts
  }

  /**
   * Writes down that these conversations go, at once, then erases them and whatever an earlier run left undone. When it resolves nothing of them
   * is left in our files, but where closing cut it short: the next start goes on.
   */
  async erase(ids: readonly string[]): Promise<void> {
    this.#parts.store.erasures.plan('conversation', ids)
    const work = this.#turn.then(() => this.#work())
    this.#turn = work.catch(() => undefined)
    await work
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#turn
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
      await this.#parts.eraseBodies(some.map(Number))
      this.#forget('request', some)
    }
    return planned.length > 0
  }

  /** Words of what was erased are only marked as gone in the index, until it is written anew without them. */
  async #index(): Promise<boolean> {
    const { search } = this.#parts.store
    if (!search.isDirty() || this.#closed) return false
    for (let more = search.beginCleaning(cleanPages); more && !this.#closed; more = search.cleanStep(cleanPages)) {
      await nextTurn()
    }
    if (!this.#closed) search.cleaned()
    return true
  }

  /** A search that is being made holds the log for a moment. */
  async #emptyLog(): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      if (this.#parts.store.erasures.emptyLog()) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    this.#parts.log(
      'warn',
      'The write-ahead log could not be emptied after erasing; that happens at the end of the program.',
    )
  }

  #forget(what: 'media' | 'request', items: readonly string[]): void {
    const { erasures } = this.#parts.store
    this.#parts.store.transaction(() => {
      for (const item of items) erasures.forgetPlan(what, item)
    })
  }
}
