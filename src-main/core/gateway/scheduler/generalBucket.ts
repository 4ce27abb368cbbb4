import { minuteMs } from './minuteWindow.ts'

const unknown = Number.POSITIVE_INFINITY

/**
 * What is left of the service's general minute bucket, which counts every request: by the figure of the latest request that
 * was answered, less what was sent after it. Figures may be absent or odd (specification, Limits); nothing known is no
 * bound, and no figure bounds for longer than a minute.
 */
export class GeneralBucket {
  #left = unknown
  #limit: number | null = null
  /** The highest that was ever left stands in for a limit that is never told. */
  #highest = 1
  #resetsAt = unknown
  /** The first request sent since the bucket was last known to be full: its minute ends within a minute of it. */
  #firstAt = unknown
  #sent = 0
  /** Which request's figure holds now. */
  #toldBy = 0

  empty(now: number): boolean {
    return this.#left <= 0 && now < this.opensAt()
  }

  /** When an empty bucket is full again at the latest. */
  opensAt(): number {
    return Math.min(this.#resetsAt, this.#firstAt + minuteMs)
  }

  /** Nearly used up, and the moment of its reset is not known: worth a status call. */
  get short(): boolean {
    return this.#left <= Math.max(2, (this.#limit ?? this.#highest) / 20) && this.#resetsAt === unknown
  }

  /** The request's number, for `told`. */
  sent(now: number): number {
    if (now >= this.opensAt()) this.#refill()
    if (this.#firstAt === unknown) this.#firstAt = now
    this.#left -= 1
    this.#sent += 1
    return this.#sent
  }

  /**
   * Figures of a reply. @param number of its request: what was sent after that may not be in the figure, what was sent before
   * is. Without a number, or after a later request's, a figure can lower what is left and not raise it.
   */
  reported(limit: number | null, remaining: number | null, number: number | null, now: number): void {
    if (limit !== null && isCount(limit) && limit > 0) this.#limit = limit
    if (remaining === null || !isCount(remaining)) return
    if (now >= this.opensAt()) this.#refill()
    if (this.#firstAt === unknown) this.#firstAt = now
    this.#highest = Math.max(this.#highest, remaining)
    if (number !== null && number >= this.#toldBy) {
      this.#toldBy = number
      this.#left = remaining - (this.#sent - number)
    } else if (remaining < this.#left) this.#left = remaining
  }

  /** From the status call, which alone knows the moment of the reset. @param lately how much was sent while it was under way, at most */
  read(limit: number | null, remaining: number | null, resetSeconds: number | null, lately: number, now: number): void {
    this.reported(limit, remaining, Math.max(0, this.#sent - lately), now)
    if (resetSeconds === null || !Number.isFinite(resetSeconds) || resetSeconds < 0) return
    // A second at least, as whole seconds may have been cut down to 0; a minute at most, by `opensAt`.
    this.#resetsAt = now + Math.max(1000, resetSeconds * 1000)
  }

  #refill(): void {
    if (this.#left !== unknown) this.#left = this.#limit ?? this.#highest
    this.#resetsAt = unknown
    this.#firstAt = unknown
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}
