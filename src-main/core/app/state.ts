import type { AppState } from '../../../src-preload/contract/app.ts'
import { type Feed, feed, Listeners } from '../feed.ts'

/** At most 20 states a second for each watcher. */
const everyMs = 50

export interface StateParts {
  read(): AppState
  /** Work that is only done while somebody watches; answers how to end it. */
  observe(changed: () => void): () => void
}

/** The program's state as one small value, and everyone who watches it. */
export class AppStateFeed {
  readonly #changes = new Listeners()
  readonly #parts: StateParts

  constructor(parts: StateParts) {
    this.#parts = parts
  }

  read = (): AppState => this.#parts.read()
  changed = (): void => this.#changes.tell()

  watch(signal?: AbortSignal): Feed<AppState> {
    let stale = true
    let toldAt = Number.NEGATIVE_INFINITY
    let last = ''
    let timer: NodeJS.Timeout | null = null
    let wakeAgain: () => void = () => undefined
    const take = (): AppState | null => {
      if (!stale || timer) return null
      const early = toldAt + everyMs - performance.now()
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
      toldAt = performance.now()
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
