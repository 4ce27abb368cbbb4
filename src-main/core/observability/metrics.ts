import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { inBackground } from '../shared/unexpected.ts'
import type { LiveReading, Prometheus } from './prometheus.ts'
import { LoadedLater, type MetricsSink } from './sink.ts'

/** What `/metrics` of the web host shows. While it is switched off, nothing is counted and nothing is loaded. */
export class Metrics implements MetricsSink {
  readonly #enabled: () => boolean
  readonly #prometheus: LoadedLater<RequestRow, Prometheus>

  constructor({ enabled, live }: { enabled(): boolean; live(): LiveReading }) {
    this.#enabled = enabled
    this.#prometheus = new LoadedLater(async () => {
      const { Prometheus: Loaded } = await import('./prometheus.ts')
      return new Loaded(live)
    })
  }

  ended(row: RequestRow): void {
    if (this.#enabled()) this.#prometheus.ended(row)
  }

  /** A request that was turned away at the gate. @param code of the refusal */
  refused(code: string): void {
    if (!this.#enabled()) return
    const counted = this.#prometheus.get().then((prometheus) => prometheus.refused(code))
    inBackground('A refusal could not be counted', counted)
  }

  /** In the text format of Prometheus; null while it is switched off. */
  async text(): Promise<string | null> {
    if (!this.#enabled()) return null
    return (await this.#prometheus.get()).text()
  }
}
