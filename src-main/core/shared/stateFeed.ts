import { type Feed, feed, Listeners } from './events.ts'

export interface StateParts<T> {
  read(): T
  /** Shortest interval between two states for one watcher, ms. */
  everyMs: number
  /** Starts work that is only needed while there is a watcher. Returns a function that stops it. */
  observe(changed: () => void): () => void
}

/** A small value that every watcher receives in full after each change. */
export class StateFeed<T extends object> {
  readonly #changes = new Listeners()
  readonly #parts: StateParts<T>

  constructor(parts: StateParts<T>) {
    this.#parts = parts
  }

  read = (): T => this.#parts.read()
  changed = (): void => this.#changes.notify()

  watch(signal?: AbortSignal): Feed<T> {
    let stale = true
    let sentAt = Number.NEGATIVE_INFINITY
    let last = ''
    let timer: NodeJS.Timeout | null = null
    let wakeAgain: () => void = () => undefined
    const take = (): T | null => {
      if (!stale || timer) return null
      const early = sentAt + this.#parts.everyMs - performance.now()
      if (early > 0) {
        timer = setTimeout(() => {
          timer = null
          wakeAgain()
        }, early)
        return null
      }
      stale = false
      const state = this.read()
      const text = JSON.stringify(state)
      if (text === last) return null
      last = text
      sentAt = performance.now()
      return state
    }
    const subscribe = (wake: () => void): (() => void) => {
      wakeAgain = wake
      const note = (): void => {
        stale = true
        wake()
      }
      const stop = [this.#changes.add(note), this.#parts.observe(note)]
      return () => {
        for (const end of stop) end()
        if (timer) clearTimeout(timer)
      }
    }
    return feed({ take, subscribe }, signal)
  }
}
