export interface Clock {
  /** Milliseconds, never going back. */
  now(): number
  /** Milliseconds of the epoch: for what a person is shown, and for dates that the service names. */
  date(): number
  /** Runs it once after so many milliseconds; the answer takes that back. */
  after(ms: number, run: () => void): () => void
}

export const realClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
