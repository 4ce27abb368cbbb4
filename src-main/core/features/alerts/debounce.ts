import { unexpected } from '../../shared/unexpected.ts'
import { asStoreError, mayPass } from '../../store/databaseErrors.ts'

/** Runs frequent work at most once per interval: `ms` after the first call of `soon`. */
export class Debounced {
  readonly #ms: number
  readonly #work: () => void
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(ms: number, work: () => void) {
    this.#ms = ms
    this.#work = work
  }

  soon(): void {
    if (this.#timer || this.#closed) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      try {
        this.#work()
      } catch (thrown) {
        unexpected('An alert could not be checked; it is tried again', asStoreError(thrown))
        if (mayPass(thrown)) this.soon()
      }
    }, this.#ms)
    this.#timer.unref()
  }

  /** Drops pending work and accepts no more. */
  close(): void {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
