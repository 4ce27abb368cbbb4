import type { Upstream } from '../upstream/client.ts'
import type { AccountUsage } from '../upstream/schemas.ts'

/** The service's daily rows change with use alone, and asking for them is a counted request. */
const askEveryMs = 15 * 60_000
/** Sooner where a price is missing: the service books a request when it has ended, and the next one may already be priced. */
const wantedAfterMs = 10_000
const wantedEveryMs = 60_000

interface PriceParts {
  learn(usage: AccountUsage, baseUrl: string): void
  /** How many there have been, of everybody. */
  requests(): number
}

/** Keeps what is known of prices fresh: asks for the account's daily rows at connect, and again once there was use. */
export class PriceWatch {
  readonly #parts: PriceParts
  #upstream: Pick<Upstream, 'getUsage' | 'base'> | null = null
  #timer: NodeJS.Timeout | null = null
  #askedAfter = 0
  #askedAt = Number.NEGATIVE_INFINITY
  #wanted: NodeJS.Timeout | null = null

  constructor(parts: PriceParts) {
    this.#parts = parts
  }

  follow(upstream: Pick<Upstream, 'getUsage' | 'base'> | null): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    if (this.#wanted) clearTimeout(this.#wanted)
    this.#wanted = null
    this.#upstream = upstream
    if (!upstream) return
    this.#timer = setInterval(() => {
      // Its own row of the last time is no use.
      if (this.#parts.requests() > this.#askedAfter + 1) void this.#ask()
    }, askEveryMs).unref()
    void this.#ask()
  }

  /** A request went out whose price nobody knows. */
  wanted(): void {
    if (this.#wanted || !this.#upstream) return
    const wait = Math.max(wantedAfterMs, this.#askedAt + wantedEveryMs - performance.now())
    this.#wanted = setTimeout(() => {
      this.#wanted = null
      void this.#ask()
    }, wait).unref()
  }

  close(): void {
    this.follow(null)
  }

  async #ask(): Promise<void> {
    const upstream = this.#upstream
    if (!upstream) return
    this.#askedAfter = this.#parts.requests()
    this.#askedAt = performance.now()
    // A service without this read-out leaves prices unknown, which the books say.
    const usage = await upstream.getUsage().then(
      (reply) => reply.value,
      () => null,
    )
    if (usage && this.#upstream === upstream) this.#parts.learn(usage, upstream.base.url)
  }
}
