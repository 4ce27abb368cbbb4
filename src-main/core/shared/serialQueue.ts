/** Runs jobs one at a time, in the order of the calls. A job that fails does not prevent the next one. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(job: () => T | Promise<T>): Promise<T> {
    const done = this.#last.then(job)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Resolves when all jobs that were added so far have ended, failed ones included. */
  ended(): Promise<unknown> {
    return this.#last
  }
}
