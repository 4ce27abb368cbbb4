import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { inBackground } from '../shared/unexpected.ts'
import type { LiveReading, Prometheus } from './prometheus.ts'
import { LazySink, type MetricsSink } from './sink.ts'

/** The metrics for `/metrics` of the web host. While they are switched off, nothing is counted and no package is loaded. */
export class Metrics implements MetricsSink {
  readonly #enabled: () => boolean
  readonly #prometheus: LazySink<RequestRow, Prometheus>

  constructor({ enabled, live }: { enabled(): boolean; live(): LiveReading }) {
    this.#enabled = enabled
    this.#prometheus = new LazySink(async () => {
      const { Prometheus: Loaded } = await import('./prometheus.ts')
      return new Loaded(live)
    })
  }

  ended(row: RequestRow): void {
    if (this.#enabled()) this.#prometheus.ended(row)
  }

  /** Counts a request that the gateway refused. @param code the refusal's code */
  refused(code: string): void {
    if (!this.#enabled()) return
    const counted = this.#prometheus.get().then((prometheus) => prometheus.refused(code))
    inBackground('A refusal could not be counted', counted)
  }

  /** Prometheus text, or null while metrics are switched off. */
  async text(): Promise<string | null> {
    if (!this.#enabled()) return null
    return (await this.#prometheus.get()).text()
  }
}
