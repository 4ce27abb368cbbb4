/** What is needed of an AbortSignal on the way to the service; every AbortSignal is one. */
export interface CancelSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * The cancel of one relayed request. An AbortController's event target costs some 4 us a request, a fifth of what a relayed one
 * may cost on top of a bare relay's; this costs next to nothing.
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

  /** Told once; never after the abort, as with an AbortSignal. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#aborted) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener)
    if (at >= 0) this.#listeners.splice(at, 1)
  }
}
