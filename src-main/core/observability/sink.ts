import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { inBackground } from '../shared/unexpected.ts'

/** Told of each request once it has ended. */
export interface MetricsSink {
  ended(row: RequestRow): void
}

/** What came while a sink's packages were loading; more is not kept. */
const mostKept = 2_048

/** A sink whose packages are loaded when the first thing comes for it, and not before. */
export class LoadedLater<I, T extends { ended(item: I): void }> {
  readonly #load: () => Promise<T>
  #sink: T | null = null
  #loading: Promise<T> | null = null
  #kept: I[] = []

  /** @param load may fail, such as without file descriptors: it is called again for what comes next */
  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  ended(item: I): void {
    if (this.#sink) {
      this.#sink.ended(item)
      return
    }
    if (this.#kept.length < mostKept) this.#kept.push(item)
    inBackground('Metrics could not be loaded', this.get())
  }

  /** The sink, loaded now if it was not, with everything in it. */
  get(): Promise<T> {
    this.#loading ??= this.#load().then((sink) => {
      for (const item of this.#kept) sink.ended(item)
      this.#kept = []
      this.#sink = sink
      return sink
    })
    // The next thing that comes tries again.
    this.#loading.catch(() => {
      this.#loading = null
    })
    return this.#loading
  }

  /** Null where nobody has needed it. */
  get loaded(): Promise<T> | null {
    return this.#loading
  }
}
