import type { RequestRow } from '../../../src-preload/contract/requests.ts'

/** Told of each request once it has ended. */
export interface MetricsSink {
  ended(row: RequestRow): void
}

/** Rows that came while a sink's packages were loading; more are not kept. */
const mostKept = 2_048

/** A sink whose packages are loaded when the first row comes, and not before. */
export class LoadedLater<T extends MetricsSink> implements MetricsSink {
  readonly #load: () => Promise<T>
  #sink: T | null = null
  #loading: Promise<T> | null = null
  #kept: RequestRow[] = []

  /** @param load does not throw: a failure is its own to tell */
  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  ended(row: RequestRow): void {
    if (this.#sink) {
      this.#sink.ended(row)
      return
    }
    if (this.#kept.length < mostKept) this.#kept.push(row)
    void this.get()
  }

  /** The sink, loaded now if it was not, with every row in it. */
  get(): Promise<T> {
    this.#loading ??= this.#load().then((sink) => {
      for (const row of this.#kept) sink.ended(row)
      this.#kept = []
      this.#sink = sink
      return sink
    })
    return this.#loading
  }

  /** Null where nobody has needed it. */
  get loaded(): Promise<T> | null {
    return this.#loading
  }
}
