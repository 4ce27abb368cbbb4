import type { MinuteBucket } from '../../../../src-preload/contract/app.ts'
import type { Listeners } from '../../shared/events.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { Upstream } from '../../upstream/client.ts'
import type { RequestScheduler } from './requestScheduler.ts'

/** The poller of the general minute bucket. No other part makes status calls. */
export interface SchedulerGauge {
  readonly value: MinuteBucket | null
  readonly changes: Listeners
  /** Makes a status call, unless one was made within the last minute. */
  askIfDue(): Promise<void>
}

/** Passes the key's limits and the results of status calls to the scheduler. */
export class SchedulerWatcher {
  readonly #scheduler: RequestScheduler
  readonly #subscriptions: (() => void)[]
  #connection = 0
  #hasLimits = false

  constructor(scheduler: RequestScheduler, gauge: SchedulerGauge) {
    this.#scheduler = scheduler
    this.#subscriptions = [
      gauge.changes.add(() => {
        const { value } = gauge
        // The scheduler has the figures of reply headers already. Only a status call has a reset or a ban.
        if (value !== null && (value.resetSeconds !== null || value.banned)) scheduler.bucket(value)
      }),
      // Deferred, because the scheduler is admitting a request now and the status call is a request too.
      scheduler.shortages.add(() => {
        setImmediate(() => inBackground('The rate limit could not be read', gauge.askIfDue()))
      }),
    ]
  }

  /**
   * Resets the scheduler for another connection, or for none, and reads the limits of its key once. They remain unset if the service does not
   * report them, as other OpenAI-style servers do not. Never rejects.
   */
  async connect(upstream: Pick<Upstream, 'getCurrentKey'> | null): Promise<void> {
    this.#connection += 1
    this.#scheduler.reset()
    this.#hasLimits = false
    if (upstream !== null) await this.learn(upstream)
  }

  /** Reads the limits of the connected key, unless they are known. Call when the service is reachable again. Never rejects. */
  async learn(upstream: Pick<Upstream, 'getCurrentKey'>): Promise<void> {
    const connection = this.#connection
    if (this.#hasLimits) return
    const key = await upstream.getCurrentKey({ feature: 'account' }).then(
      (reply) => reply.value,
      () => null,
    )
    if (key === null || connection !== this.#connection) return
    this.#hasLimits = true
    this.#scheduler.limits({
      concurrent: key.max_concurrent ?? null,
      rpm: key.rate_limit_rpm ?? null,
      tpm: key.rate_limit_tpm ?? null,
    })
  }

  close(): void {
    this.#connection += 1
    for (const unsubscribe of this.#subscriptions) unsubscribe()
  }
}
