import type { CancelSignal } from '../../shared/cancel.ts'

const megabyte = 1024 * 1024

/** Bytes, and ms; the README has the reasons. Tests make them small. */
export interface BodyMemoryBounds {
  /** For bodies up to `smallBody`, all together. */
  small: number
  /** For larger bodies, all together. At least as large as one of them may be. */
  large: number
  smallBody: number
  /** How long a request waits for room. */
  waitMs: number
}

export const usualBodyMemory: BodyMemoryBounds = {
  small: 96 * megabyte,
  large: 160 * megabyte,
  smallBody: megabyte,
  waitMs: 30_000,
}

/** Room for one body. */
export interface Feature {
  /** The body turned out to have so many bytes. */
  shrink(bytes: number): void
  /** The body is no longer in memory. Further calls do nothing. */
  release(): void
}

/**
 * Limits the bytes of requests and replies that the local `/v1` holds whole, over all of its connections. Room for a body is taken before the
 * body is read, so that a request which waits holds back its sender and costs nothing here.
 *
 * Two pools, each first come, first served: large uploads that come slowly don't keep ordinary chats out. One app gets half of a pool at
 * most, so that its slow uploads don't keep other apps out. There is no deadlock: a body of known length has all of its room before its
 * first byte is read, and one of unknown length may wait for the large pool while it has room in the small one, but what has room in the
 * large pool waits for no other.
 */
export class BodyMemory {
  readonly bounds: BodyMemoryBounds
  readonly #small: Pool
  readonly #large: Pool

  constructor(bounds: Partial<BodyMemoryBounds> = {}) {
    this.bounds = { ...usualBodyMemory, ...bounds }
    this.#small = new Pool(this.bounds.small)
    this.#large = new Pool(this.bounds.large)
  }

  /** Bytes for which room is taken now. Never above `small` and `large` together. */
  get held(): number {
    return this.#small.held + this.#large.held
  }

  /** The most of each pool that was ever taken. */
  get peak(): { small: number; large: number } {
    return { small: this.#small.peak, large: this.#large.peak }
  }

  /** Requests that wait for room. */
  get waiting(): number {
    return this.#small.waiting + this.#large.waiting
  }

  /** Room for so many bytes of an app, at once where there is some; null where none came free in time, or the request was given up. */
  take(appId: string, bytes: number, signal: CancelSignal): Feature | Promise<Feature | null> {
    return this.#pool(bytes).take(appId, bytes, signal, this.bounds.waitMs)
  }

  /** Room that is there now, or null. */
  takeNow(appId: string, bytes: number): Feature | null {
    return this.#pool(bytes).takeNow(appId, bytes)
  }

  #pool(bytes: number): Pool {
    return bytes <= this.bounds.smallBody ? this.#small : this.#large
  }
}

interface Waiter {
  appId: string
  bytes: number
  grant(feature: Feature): void
}

class Pool {
  held = 0
  peak = 0
  readonly #capacity: number
  readonly #heldBy = new Map<string, number>()
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiter>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get waiting(): number {
    return this.#waiting.size
  }

  takeNow(appId: string, bytes: number): Feature | null {
    // Who waits goes first: else small requests could keep a large one out for ever.
    if (this.#waiting.size > 0 || !this.#hasSpace(bytes) || !this.#hasShare(appId, bytes)) return null
    return this.#grant(appId, bytes)
  }

  take(appId: string, bytes: number, signal: CancelSignal, waitMs: number): Feature | Promise<Feature | null> {
    return this.takeNow(appId, bytes) ?? this.#wait(appId, bytes, signal, waitMs)
  }

  #wait(appId: string, bytes: number, signal: CancelSignal, waitMs: number): Promise<Feature | null> {
    if (signal.aborted || bytes > this.#capacity) return Promise.resolve(null)
    return new Promise((resolve) => {
      const done = (feature: Feature | null): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        this.#waiting.delete(waiter)
        resolve(feature)
      }
      const leave = (): void => {
        done(null)
        // Those behind it may need less.
        this.#grantWaiting()
      }
      const waiter = { appId, bytes, grant: done }
      const timer = setTimeout(leave, waitMs).unref()
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiter)
      // Those before it may wait for room of their own app alone.
      this.#grantWaiting()
    })
  }

  #hasSpace(bytes: number): boolean {
    return this.held + bytes <= this.#capacity
  }

  /** One body always fits: the share may be smaller than the largest body. */
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

  #grant(appId: string, bytes: number): Feature {
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
