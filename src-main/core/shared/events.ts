import { unexpected } from './unexpected.ts'

/** What a feed asks of its source: the next thing to say, if there is one now, and to be woken when there may be. */
export interface FeedSource<T> {
  /** The next value, `null` when there is nothing to say now, `'end'` when there never will be again. */
  take(): T | null | 'end'
  /** Calls `wake` after every change from now on; answers how to stop that. Called when the feed is made, not when it is first read. */
  subscribe(wake: () => void): () => void
}

/** Events for one watcher. */
export type Feed<T> = AsyncIteratorObject<T, undefined, void>

/**
 * A source as an async iterator for one watcher. Nothing is queued: a slow reader takes later and finds the state as it
 * then is, so that its memory does not grow. `return` and the signal end it at once, also while a `next` is waiting
 * (an async generator would finish its await first).
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

/** Listeners of one kind of change. One that throws is reported and does not keep the others, or who tells them, from going on. */
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
