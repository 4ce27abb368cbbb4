/** The limit grows by one after this time without replies, ms. */
const growEveryMs = 10_000

/**
 * Limits concurrent inference requests after a 429. The limit starts at half of the number that ran and grows by one for each round of good
 * replies (additive increase, multiplicative decrease, as in TCP). It ends when it has reached the earlier number and no request waits.
 * Ending it while many wait would send all of them at once.
 */
export class SoftLimit {
  readonly #isQueued: () => boolean
  #level = Number.POSITIVE_INFINITY
  #goal = 0
  #good = 0
  #grownAt = 0

  /** @param isQueued whether any request waits */
  constructor(isQueued: () => boolean) {
    this.#isQueued = isQueued
  }

  get active(): boolean {
    return this.#level !== Number.POSITIVE_INFINITY
  }

  /** The limit now, or Infinity. */
  at(now: number): number {
    while (this.active && now - this.#grownAt >= growEveryMs) this.#grow(this.#grownAt + growEveryMs)
    return this.#level
  }

  /** When the limit grows without a reply, on the clock of `at`. */
  growsAt(): number {
    return this.active ? this.#grownAt + growEveryMs : Number.POSITIVE_INFINITY
  }

  /** Call for each 429. Has no effect if nothing ran, because concurrency was then not the cause. */
  halve(running: number, now: number): void {
    if (running === 0) return
    const before = Math.min(this.at(now), running)
    this.#goal = Math.max(before, this.active ? this.#goal : 0)
    this.#level = Math.max(1, Math.floor(before / 2))
    this.#good = 0
    this.#grownAt = now
  }

  /** Call for each good reply. True if the limit grew. */
  succeeded(now: number): boolean {
    if (!this.active) return false
    this.#good += 1
    if (this.#good < this.#level) return false
    this.#grow(now)
    return true
  }

  #grow(at: number): void {
    this.#level += 1
    this.#good = 0
    this.#grownAt = at
    if (this.#level > this.#goal && !this.#isQueued()) this.#level = Number.POSITIVE_INFINITY
  }
}
