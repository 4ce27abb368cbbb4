import { inBackground } from '../../../shared/unexpected.ts'

/** Does one work after every wish for it, one at a time and with a pause after each; wishes meanwhile count as one. */
export class Again {
  readonly #work: () => Promise<void>
  readonly #pauseMs: number
  #open = false
  #wished = false
  #busy = false

  constructor(work: () => Promise<void>, pauseMs: number) {
    this.#work = work
    this.#pauseMs = pauseMs
  }

  /** From now on; a wish of before is still one. */
  begin(): void {
    this.#open = true
    this.#next()
  }

  wish(): void {
    this.#wished = true
    this.#next()
  }

  end(): void {
    this.#open = false
  }

  #next(): void {
    if (!this.#open || !this.#wished || this.#busy) return
    this.#wished = false
    this.#busy = true
    const worked = this.#work().finally(() => {
      setTimeout(() => {
        this.#busy = false
        this.#next()
      }, this.#pauseMs).unref()
    })
    inBackground('The tools of a server could not be listed', worked)
  }
}
