import { minuteMs } from './minuteWindow.ts'

const unknown = Number.POSITIVE_INFINITY

/**
 * Estimates the remaining requests in the service's general minute bucket, which counts every request. The estimate is the figure of the
 * latest replied request, minus the requests sent after it. Figures may be absent or wrong (specification, Limits). Without figures there
 * is no limit, and no figure limits for longer than a minute.
 */
export class GeneralBucket {
  #left = unknown
  #limit: number | null = null
  /** The highest remaining figure so far, used when the service does not report the limit. */
  #highest = 1
  #resetsAt = unknown
  /** When the first request was sent after the bucket was full. The bucket is full again within a minute of it. */
  #firstAt = unknown
  #sent = 0
  /** The number of the request whose figure is in use. */
  #reportedBy = 0

  empty(now: number): boolean {
    return this.#left <= 0 && now < this.opensAt()
  }

  /** The latest time at which an empty bucket is full again. */
  opensAt(): number {
    return Math.min(this.#resetsAt, this.#firstAt + minuteMs)
  }

  /** Whether a status call is worth it: the bucket is nearly empty and its reset is unknown. */
  get short(): boolean {
    return this.#left <= Math.max(2, (this.#limit ?? this.#highest) / 20) && this.#resetsAt === unknown
  }

  /** Counts a sent request and returns its number, for `reported`. */
  sent(now: number): number {
    if (now >= this.opensAt()) this.#refill()
    if (this.#firstAt === unknown) this.#firstAt = now
    this.#left -= 1
    this.#sent += 1
    return this.#sent
  }

  /**
   * Takes the figures of a reply. They include all requests sent before its own, and may lack later ones. Without a number, or after the
   * figure of a later request, a figure can lower the estimate and never raise it.
   * @param number the number of the reply's request, or null if unknown
   */
  reported(limit: number | null, remaining: number | null, number: number | null, now: number): void {
    if (limit !== null && isCount(limit) && limit > 0) this.#limit = limit
    if (remaining === null || !isCount(remaining)) return
    if (now >= this.opensAt()) this.#refill()
    if (this.#firstAt === unknown) this.#firstAt = now
    this.#highest = Math.max(this.#highest, remaining)
    if (number !== null && number >= this.#reportedBy) {
      this.#reportedBy = number
      this.#left = remaining - (this.#sent - number)
    } else if (remaining < this.#left) this.#left = remaining
  }

  /**
   * Takes the figures of a status call, the only source of the reset time.
   * @param lately the maximum number of requests that were sent during the call
   */
  read(limit: number | null, remaining: number | null, resetSeconds: number | null, lately: number, now: number): void {
    this.reported(limit, remaining, Math.max(0, this.#sent - lately), now)
    if (resetSeconds === null || !Number.isFinite(resetSeconds) || resetSeconds < 0) return
    // At least a second, because whole seconds may be rounded down to 0. `opensAt` limits it to a minute.
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
