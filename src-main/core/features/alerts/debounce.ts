import { unexpected } from '../../shared/unexpected.ts'
import { asStoreError, mayPass } from '../../store/database.ts'

/** Work that is wanted often and done once in a while: so many ms after it was first wanted. */
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
        unexpected('An alert could not be judged; it is tried again', asStoreError(thrown))
        if (mayPass(thrown)) this.soon()
      }
    }, this.#ms)
    this.#timer.unref()
  }

  /** What is waited for is not done, and nothing more is taken on. */
  close(): void {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
