import { inBackground } from '../../../shared/unexpected.ts'

/**
 * Runs work after each request, one run at a time, with a pause after each run. Requests that arrive meanwhile cause
 * one further run.
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

  /** Starts running. A request from before counts. */
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
