import { minuteMs } from './window.ts'

const unknown = Number.POSITIVE_INFINITY

/**
 * What is left of the service's general minute bucket, which counts every request: by the last figure that it told, less
 * what was sent since. Its figures may be absent or odd (specification, Limits); nothing known is no bound, and no figure
 * bounds for longer than a minute.
 */
export class GeneralBucket {
  #left = unknown
  #limit: number | null = null
  /** The highest that was ever left stands in for a limit that is never told. */
  #highest = 1
  #resetsAt = unknown
  /** The first request sent since the bucket was last known to be full: its minute ends within a minute of it. */
  #firstAt = unknown

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

  sent(now: number): void {
    if (now >= this.opensAt()) this.#refill()
    if (this.#firstAt === unknown) this.#firstAt = now
    this.#left -= 1
  }

  /** @param uncounted sent so lately that the service may not have counted them when it told this */
  told(limit: number | null, remaining: number | null, uncounted: number, now: number): void {
    if (limit !== null && isCount(limit) && limit > 0) this.#limit = limit
    if (remaining === null || !isCount(remaining)) return
    if (now >= this.opensAt()) this.#refill()
    if (this.#firstAt === unknown) this.#firstAt = now
    this.#highest = Math.max(this.#highest, remaining)
    const left = remaining - uncounted
    // A slow reply's figure is old and too high: the lower one holds, unless that would mean to stand still.
    if (left < this.#left || this.#left <= 0) this.#left = left
  }

  /** From the status call, which alone knows the moment of the reset. */
  read(
    limit: number | null,
    remaining: number | null,
    resetSeconds: number | null,
    uncounted: number,
    now: number,
  ): void {
    this.#left = unknown
    this.told(limit, remaining, uncounted, now)
    if (resetSeconds === null || !Number.isFinite(resetSeconds) || resetSeconds < 0) return
    this.#resetsAt = now + Math.min(minuteMs, Math.max(1000, resetSeconds * 1000))
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
