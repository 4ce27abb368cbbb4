/** Length of the window of limits per minute, ms. */
export const minuteMs = 60_000
const stepMs = 100
/** One step more than a minute has. An amount then counts for at least a minute, even if it was added at the end of its step. */
const steps = minuteMs / stepMs + 1

/**
 * The sum of the amounts that were added within the last minute. It counts in steps of 100 ms, so memory and time do not depend on the number
 * of additions. A step is dropped when its end is a minute old, so the sum is never too low.
 */
export class MinuteWindow {
  readonly #counts = new Float64Array(steps)
  #total = 0
  #newest = 0

  /** @param amount a whole number, so that sums stay exact */
  add(now: number, amount: number): void {
    this.#moveTo(now)
    const at = this.#newest % steps
    this.#counts[at] = (this.#counts[at] ?? 0) + amount
    this.#total += amount
  }

  used(now: number): number {
    this.#moveTo(now)
    return this.#total
  }

  /** The sum of the last `ms` milliseconds. May include up to one step (100 ms) more. */
  usedWithin(now: number, ms: number): number {
    this.#moveTo(now)
    let sum = 0
    const oldest = Math.max(0, this.#newest - Math.min(steps - 1, Math.ceil(ms / stepMs)))
    for (let step = this.#newest; step >= oldest; step--) sum += this.#counts[step % steps] ?? 0
    return sum
  }

  /** When the sum will be at most `allowed` if nothing is added, on the clock of `now`. */
  fallsTo(now: number, allowed: number): number {
    this.#moveTo(now)
    let left = this.#total
    if (left <= allowed) return now
    for (let step = this.#newest - steps + 1; step <= this.#newest; step++) {
      if (step < 0) continue
      left -= this.#counts[step % steps] ?? 0
      if (left <= allowed) return (step + steps) * stepMs
    }
    return (this.#newest + steps) * stepMs
  }

  #moveTo(now: number): void {
    const step = Math.floor(now / stepMs)
    if (step <= this.#newest) return
    if (step - this.#newest >= steps) {
      this.#counts.fill(0)
      this.#total = 0
    } else {
      for (let passed = this.#newest + 1; passed <= step; passed++) {
        const at = passed % steps
        this.#total -= this.#counts[at] ?? 0
        this.#counts[at] = 0
      }
    }
    this.#newest = step
  }
}
