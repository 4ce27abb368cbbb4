/** Runs at most one call for a subject at a time. Callers for the same subject share it; a call for another subject starts beside it. */
export class SingleFlight<Subject> {
  #running: { subject: Subject; done: Promise<void> } | null = null

  run(subject: Subject, start: () => Promise<void>): Promise<void> {
    if (this.#running?.subject === subject) return this.#running.done
    const running = { subject, done: start() }
    this.#running = running
    return running.done.finally(() => {
      if (this.#running === running) this.#running = null
    })
  }
}
