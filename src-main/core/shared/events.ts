import { unexpected } from './unexpected.ts'

/** What a feed needs of its source: the next value, and a call when there may be a new one. */
export interface FeedSource<T> {
  /** The next value, null when there is none now, `'end'` when there will never be another. */
  take(): T | null | 'end'
  /** Calls `wake` after every later change. Returns a function that unsubscribes. Called when the feed is created, not when it is first read. */
  subscribe(wake: () => void): () => void
}

/** Events for one watcher. */
export type Feed<T> = AsyncIteratorObject<T, undefined, void>

/**
 * Turns a source into an async iterator for one watcher. Nothing is queued: a slow reader gets the current state later, so its memory use
 * does not grow. `return` and the signal end the iterator at once, even while a `next` is pending. An async generator would finish its
 * await first.
 */
export function feed<T extends object>(source: FeedSource<T>, signal?: AbortSignal): Feed<T> {
  let waiting: PromiseWithResolvers<IteratorResult<T, undefined>> | null = null
  let ended = false
  const unsubscribe = source.subscribe(wake)
  signal?.addEventListener('abort', end, { once: true })
  if (signal?.aborted) end()

  function wake(): void {
    const current = waiting
    if (!current || ended) return
    try {
      const value = source.take()
      if (value === null) return
      if (value === 'end') {
        end()
        return
      }
      waiting = null
      current.resolve({ done: false, value })
    } catch (thrown) {
      waiting = null
      current.reject(thrown)
      end()
    }
  }

  function end(): void {
    if (ended) return
    ended = true
    unsubscribe()
    signal?.removeEventListener('abort', end)
    waiting?.resolve({ done: true, value: undefined })
    waiting = null
  }

  return {
    next() {
      if (ended) return Promise.resolve({ done: true, value: undefined })
      waiting = Promise.withResolvers()
      const { promise } = waiting
      wake()
      return promise
    },
    return() {
      end()
      return Promise.resolve({ done: true, value: undefined })
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      end()
    },
  }
}

/** Listeners of one kind of change. A listener that throws is reported and stops neither the others nor the caller. */
export class Listeners<A extends unknown[] = []> {
  readonly #all = new Set<(...args: A) => void>()

  get size(): number {
    return this.#all.size
  }

  add(listener: (...args: A) => void): () => void {
    this.#all.add(listener)
    return () => void this.#all.delete(listener)
  }

  notify(...args: A): void {
    for (const listener of [...this.#all]) {
      try {
        listener(...args)
      } catch (thrown) {
        unexpected('A listener failed', thrown)
      }
    }
  }
}
