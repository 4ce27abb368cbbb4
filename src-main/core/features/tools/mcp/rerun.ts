import { inBackground } from '../../../shared/unexpected.ts'

/**
 * Runs work after each call of `request`, one run at a time, with a pause after each run. Calls during a run or a pause cause one further
 * run.
 */
export class Rerun {
  readonly #work: () => Promise<void>
  readonly #pauseMs: number
  #open = false
  #requested = false
  #busy = false

  constructor(work: () => Promise<void>, pauseMs: number) {
    this.#work = work
    this.#pauseMs = pauseMs
  }

  /** Enables runs. A request before this call starts one. */
  begin(): void {
    this.#open = true
    this.#next()
  }

  request(): void {
    this.#requested = true
    this.#next()
  }

  end(): void {
    this.#open = false
  }

  #next(): void {
    if (!this.#open || !this.#requested || this.#busy) return
    this.#requested = false
    this.#busy = true
    const running = this.#work().finally(() => {
      setTimeout(() => {
        this.#busy = false
        this.#next()
      }, this.#pauseMs).unref()
    })
    inBackground('The tools of a server could not be listed', running)
  }
}
