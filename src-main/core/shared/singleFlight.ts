/** Runs at most one call for a subject at a time. Callers for the same subject share it; a call for another subject starts beside it. */
export class SingleFlight<Subject> {
  #running: { subject: Subject; done: Promise<void> } | null = null

  /**
   * @param start receives `over`, to be called before the result is published. A caller that learns of the result and calls again then
   *   gets a new call, not the one that has just ended. Without it, the call is over when its promise settles.
   */
  run(subject: Subject, start: (over: () => void) => Promise<void>): Promise<void> {
    if (this.#running?.subject === subject) return this.#running.done
    const over = (): void => {
      if (this.#running === running) this.#running = null
    }
    const running = { subject, done: Promise.resolve() }
    this.#running = running
    running.done = start(over).finally(over)
    return running.done
  }
}
