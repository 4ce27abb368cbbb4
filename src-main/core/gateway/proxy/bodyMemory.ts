const megabyte = 1024 * 1024

/** Limits of `BodyMemory` in bytes and ms. The README explains the values. */
export interface BodyMemoryBounds {
  /** Total for bodies up to `smallBody`. */
  small: number
  /** Total for larger bodies. At least the size of the largest allowed body. */
  large: number
  smallBody: number
  /** How long a request waits for memory, ms. */
  waitMs: number
}

export const defaultBodyMemory: BodyMemoryBounds = {
  small: 96 * megabyte,
  large: 160 * megabyte,
  smallBody: megabyte,
  waitMs: 30_000,
}

/** Memory that is reserved for one body. */
export interface MemoryReservation {
  /** Reduces the reservation to the actual size of the body. */
  shrink(bytes: number): void
  /** Call when the body is no longer in memory. Further calls have no effect. */
  release(): void
}

/**
 * Limits the memory for bodies that the local API buffers whole, over all connections. Memory is reserved before a body is read, so a waiting
 * request slows its sender down and costs nothing here.
 *
 * There are two pools, each first come, first served, so that slow large uploads do not block ordinary chats. One app gets at most half of a
 * pool, so that its uploads do not block other apps. Deadlocks are impossible: a body of known length has all of its memory before its first
 * byte is read. A body of unknown length may wait for the large pool while it occupies the small one, but no body in the large pool waits.
 */
export class BodyMemory {
  readonly bounds: BodyMemoryBounds
  readonly #small: Pool
  readonly #large: Pool

  constructor(bounds: Partial<BodyMemoryBounds> = {}) {
    this.bounds = { ...defaultBodyMemory, ...bounds }
    this.#small = new Pool(this.bounds.small)
    this.#large = new Pool(this.bounds.large)
  }

  /** Bytes that are reserved now, at most `small` + `large`. */
  get held(): number {
    return this.#small.held + this.#large.held
  }

  /** The highest use of each pool so far, bytes. */
  get peak(): { small: number; large: number } {
    return { small: this.#small.peak, large: this.#large.peak }
  }

  /** How many requests wait for memory. */
  get waiting(): number {
    return this.#small.waiting + this.#large.waiting
  }

  /** Reserves memory, at once if some is free. Resolves to null after `waitMs` and when `signal` aborts. */
  take(appId: string, bytes: number, signal: AbortSignal): MemoryReservation | Promise<MemoryReservation | null> {
    return this.#pool(bytes).take(appId, bytes, signal, this.bounds.waitMs)
  }

  /** Reserves memory that is free now, or returns null. */
  takeNow(appId: string, bytes: number): MemoryReservation | null {
    return this.#pool(bytes).takeNow(appId, bytes)
  }

  #pool(bytes: number): Pool {
    return bytes <= this.bounds.smallBody ? this.#small : this.#large
  }
}

interface Waiter {
  appId: string
  bytes: number
  grant(reservation: MemoryReservation): void
}

class Pool {
  held = 0
  peak = 0
  readonly #capacity: number
  readonly #heldBy = new Map<string, number>()
  /** In order of arrival. */
  readonly #waiting = new Set<Waiter>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get waiting(): number {
    return this.#waiting.size
  }

  takeNow(appId: string, bytes: number): MemoryReservation | null {
    // Waiting requests have priority, otherwise small requests could starve a large one.
    if (this.#waiting.size > 0 || !this.#hasSpace(bytes) || !this.#hasShare(appId, bytes)) return null
    return this.#grant(appId, bytes)
  }

  take(
    appId: string,
    bytes: number,
    signal: AbortSignal,
    waitMs: number,
  ): MemoryReservation | Promise<MemoryReservation | null> {
    return this.takeNow(appId, bytes) ?? this.#wait(appId, bytes, signal, waitMs)
  }

  #wait(appId: string, bytes: number, signal: AbortSignal, waitMs: number): Promise<MemoryReservation | null> {
    if (signal.aborted || bytes > this.#capacity) return Promise.resolve(null)
    return new Promise((resolve) => {
      const done = (reservation: MemoryReservation | null): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        this.#waiting.delete(waiter)
        resolve(reservation)
      }
      const leave = (): void => {
        done(null)
        // The requests behind this one may need less memory.
        this.#grantWaiting()
      }
      const waiter = { appId, bytes, grant: done }
      const timer = setTimeout(leave, waitMs).unref()
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiter)
      // The requests ahead may wait only for their own app's share, so this request may not have to wait.
      this.#grantWaiting()
    })
  }

  #hasSpace(bytes: number): boolean {
    return this.held + bytes <= this.#capacity
  }

  /** An app without a reservation always gets one, because the share may be smaller than the largest body. */
  #hasShare(appId: string, bytes: number): boolean {
    const own = this.#heldBy.get(appId) ?? 0
    return own === 0 || own + bytes <= this.#capacity / 2
  }

  #count(appId: string, bytes: number): void {
    this.held += bytes
    this.peak = Math.max(this.peak, this.held)
    const own = (this.#heldBy.get(appId) ?? 0) + bytes
    if (own === 0) this.#heldBy.delete(appId)
    else this.#heldBy.set(appId, own)
  }

  #grant(appId: string, bytes: number): MemoryReservation {
    this.#count(appId, bytes)
    let left = bytes
    const shrink = (to: number): void => {
      if (to >= left) return
      this.#count(appId, to - left)
      left = to
      this.#grantWaiting()
    }
    return { shrink, release: () => shrink(0) }
  }

  #grantWaiting(): void {
    for (const { appId, bytes, grant } of this.#waiting) {
      if (!this.#hasShare(appId, bytes)) continue
      if (!this.#hasSpace(bytes)) return
      grant(this.#grant(appId, bytes))
    }
  }
}
