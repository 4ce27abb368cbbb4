/** The part of an AbortSignal that a request to the service needs. Every AbortSignal has it. */
export interface CancelSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * Cancels one relayed request. Nearly free: the event target of an AbortController costs about 4 µs a request, a fifth of the overhead that
 * a relayed request may have.
 */
export class Cancel implements CancelSignal {
  #listeners: (() => void)[] = []
  #aborted = false

  get aborted(): boolean {
    return this.#aborted
  }

  abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    for (const listener of this.#listeners.splice(0)) listener()
  }

  /** The listener is called at most once, and never when it is added after the abort, as with an AbortSignal. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#aborted) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener)
    if (at >= 0) this.#listeners.splice(at, 1)
  }
}
