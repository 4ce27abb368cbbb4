import type { MinuteBucket } from '../../../../src-preload/contract/app.ts'
import { Listeners } from '../../shared/events.ts'
import { SingleFlight } from '../../shared/singleFlight.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { Upstream } from '../../upstream/client.ts'
import type { RateLimitStatusReply } from '../../upstream/types.ts'

/** Minimum interval between status calls, ms. The call itself counts, so it is made only while someone watches. */
const callEveryMs = 60_000

type Source = Pick<Upstream, 'onRateLimit' | 'getRateLimit'>

/** The per-minute bucket, from reply headers or the status call, whichever is newer. */
export class RateLimitPoller {
  readonly changes = new Listeners()
  /** Notified after each status call over the current connection, even a failed one. */
  readonly asked = new Listeners<[RateLimitStatusReply]>()
  #value: MinuteBucket | null = null
  #upstream: Source | null = null
  #unlisten: (() => void) | null = null
  #askedAt = 0
  #stale = false
  #watchers = 0
  #timer: NodeJS.Timeout | null = null
  readonly #calls = new SingleFlight<Source>()

  get value(): MinuteBucket | null {
    return this.#value
  }

  follow(upstream: Source | null): void {
    this.#unlisten?.()
    this.#upstream = upstream
    this.#value = null
    this.#unlisten =
      upstream?.onRateLimit(({ limit, remaining }) => {
        this.#stale = true
        this.#plan()
        if (limit === null && remaining === null) return
        const { banned = false, bannedUntil = null } = this.#value ?? {}
        const known = limit ?? this.#value?.limit ?? null
        this.#set({ limit: known, remaining, resetSeconds: null, banned, bannedUntil, asOf: new Date().toISOString() })
      }) ?? null
  }

  watch(): () => void {
    this.#watchers += 1
    this.#plan()
    return () => {
      this.#watchers -= 1
      if (this.#watchers === 0) this.#clear()
    }
  }

  /**
   * Calls the status endpoint. Concurrent callers share the reply. After a failure, the known values stay: the connection reports its
   * errors.
   */
  ask(): Promise<void> {
    const upstream = this.#upstream
    if (!upstream) return Promise.resolve()
    return this.#calls.run(upstream, () => this.#ask(upstream))
  }

  async #ask(upstream: Source): Promise<void> {
    this.#askedAt = Date.now()
    this.#stale = false
    const asked = await upstream.getRateLimit().then(
      ({ value: status }): RateLimitStatusReply => ({ at: new Date(), status }),
      (failed: unknown): RateLimitStatusReply => ({ at: new Date(), failed }),
    )
    if (this.#upstream !== upstream) return
    // Ignores the rate-limit headers of this reply. Otherwise the call would trigger another call.
    this.#stale = false
    this.#clear()
    if ('status' in asked) {
      const { status, at } = asked
      this.#set({
        limit: status.limit_rpm ?? null,
        remaining: status.remaining_rpm ?? null,
        resetSeconds: status.reset_seconds ?? null,
        banned: status.banned ?? false,
        bannedUntil: status.banned_until ?? null,
        asOf: at.toISOString(),
      })
    }
    this.asked.notify(asked)
  }

  /** Calls the status endpoint unless that happened within the last minute. */
  async askIfDue(): Promise<void> {
    const since = Date.now() - this.#askedAt
    // Negative after the clock was set back.
    if (since < 0 || since >= callEveryMs) await this.ask()
  }

  close(): void {
    this.#clear()
    this.#unlisten?.()
  }

  #plan(): void {
    if (this.#watchers === 0 || !this.#stale || this.#timer) return
    const ask = (): void => inBackground('The rate limit could not be fetched', this.ask())
    // At most the interval, even after the clock was set back.
    this.#timer = setTimeout(ask, Math.min(callEveryMs, Math.max(0, this.#askedAt + callEveryMs - Date.now())))
  }

  #clear(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #set(value: MinuteBucket): void {
    this.#value = value
    this.changes.notify()
  }
}
