/** Without replies to learn from, one more is tried after this. */
const growEveryMs = 10_000

/**
 * How many inference requests at once seem to be fine after a 429: half of what ran then, and one more for each round of
 * good replies (additive increase, multiplicative decrease, as in TCP). It is gone when it has grown to what ran then and
 * nobody waits any more: lifted while many wait, it would let all of them out at once.
 */
export class SoftLimit {
  readonly #crowded: () => boolean
  #level = Number.POSITIVE_INFINITY
  #goal = 0
  #good = 0
  #grownAt = 0

  /** @param crowded whether anybody waits */
  constructor(crowded: () => boolean) {
    this.#crowded = crowded
  }

  get active(): boolean {
    return this.#level !== Number.POSITIVE_INFINITY
  }

  /** Infinity where there is none. */
  at(now: number): number {
    while (this.active && now - this.#grownAt >= growEveryMs) this.#grow(this.#grownAt + growEveryMs)
    return this.#level
  }

  /** When it grows by itself. */
  growsAt(): number {
    return this.active ? this.#grownAt + growEveryMs : Number.POSITIVE_INFINITY
  }

  /** Where nothing ran, the 429 was not about that. */
  halve(running: number, now: number): void {
    if (running === 0) return
    const before = Math.min(this.at(now), running)
    this.#goal = Math.max(before, this.active ? this.#goal : 0)
    this.#level = Math.max(1, Math.floor(before / 2))
    this.#good = 0
    this.#grownAt = now
  }

  /** True where it grew. */
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
    if (this.#level > this.#goal && !this.#crowded()) this.#level = Number.POSITIVE_INFINITY
  }
}
