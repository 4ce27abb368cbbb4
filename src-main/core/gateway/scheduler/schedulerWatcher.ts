import type { MinuteBucket } from '../../../../src-preload/contract/app.ts'
import type { Listeners } from '../../shared/events.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { Upstream } from '../../upstream/client.ts'
import type { RequestScheduler } from './requestScheduler.ts'

/** The gauge of the general bucket: the one place that makes status calls. */
export interface SchedulerGauge {
  readonly value: MinuteBucket | null
  readonly changes: Listeners
  /** Asks the service, unless it was asked within the last minute. */
  askIfDue(): Promise<void>
}

/** Keeps the desk told of what the service says beside its replies' headers. */
export class SchedulerWatcher {
  readonly #scheduler: RequestScheduler
  readonly #ends: (() => void)[]
  #connection = 0
  #reported = false

  constructor(scheduler: RequestScheduler, gauge: SchedulerGauge) {
    this.#scheduler = scheduler
    this.#ends = [
      gauge.changes.add(() => {
        const { value } = gauge
        // Figures of headers have reached the desk already; only the status call tells of a reset or a ban.
        if (value !== null && (value.resetSeconds !== null || value.banned)) scheduler.bucket(value)
      }),
      // Later: the desk is in the middle of letting a request in, and the status call is one too.
      scheduler.shortages.add(() => {
        setImmediate(() => inBackground('The rate limit could not be asked for', gauge.askIfDue()))
      }),
    ]
  }

  /**
   * Another connection, or none: the desk forgets the former and asks once for the limits of the key. A service that does
   * not tell them, as other OpenAI-style servers don't, leaves them unset. Resolves when that is settled; never rejects.
   */
  async connect(upstream: Pick<Upstream, 'getCurrentKey'> | null): Promise<void> {
    this.#connection += 1
    this.#scheduler.reset()
    this.#reported = false
    if (upstream !== null) await this.learn(upstream)
  }

  /** Asks for the limits of the key that is connected, where it has not told them: the service was not there then. Never rejects. */
  async learn(upstream: Pick<Upstream, 'getCurrentKey'>): Promise<void> {
    const connection = this.#connection
    if (this.#reported) return
    const key = await upstream.getCurrentKey({ feature: 'account' }).then(
      (reply) => reply.value,
      () => null,
    )
    if (key === null || connection !== this.#connection) return
    this.#reported = true
    this.#scheduler.limits({
      concurrent: key.max_concurrent ?? null,
      rpm: key.rate_limit_rpm ?? null,
      tpm: key.rate_limit_tpm ?? null,
    })
  }

  close(): void {
    this.#connection += 1
    for (const end of this.#ends) end()
  }
}
