import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { inBackground } from '../shared/unexpected.ts'

/** Receives each request after it has ended. */
export interface MetricsSink {
  ended(row: RequestRow): void
}

/** How many items are buffered while the packages of a sink load. More are dropped. */
const maxBuffered = 2_048

/** A sink whose packages are loaded with its first item. */
export class LazySink<I, T extends { ended(item: I): void }> {
  readonly #load: () => Promise<T>
  #sink: T | null = null
  #loading: Promise<T> | null = null
  #buffer: I[] = []

  /** @param load may fail, for example without file descriptors. It is called again for the next item. */
  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  ended(item: I): void {
    if (this.#sink) {
      this.#sink.ended(item)
      return
    }
    if (this.#buffer.length < maxBuffered) this.#buffer.push(item)
    inBackground('Metrics could not be loaded', this.get())
  }

  /** Loads the sink if necessary, and passes it the buffered items. */
  get(): Promise<T> {
    this.#loading ??= this.#load().then((sink) => {
      for (const item of this.#buffer) sink.ended(item)
      this.#buffer = []
      this.#sink = sink
      return sink
    })
    // The next item tries again.
    this.#loading.catch(() => {
      this.#loading = null
    })
    return this.#loading
  }

  /** Null if no item has arrived yet. */
  get loaded(): Promise<T> | null {
    return this.#loading
  }
}
