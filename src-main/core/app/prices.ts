import type { Upstream } from '../upstream/client.ts'
import type { AccountUsage } from '../upstream/schemas.ts'

/** The service's daily rows change with use alone, and asking for them is a counted request. */
const askEveryMs = 15 * 60_000

/** Keeps what is known of prices fresh: asks for the account's daily rows at connect, and again once there was use. */
export class PriceWatch {
  readonly #learn: (usage: AccountUsage, baseUrl: string) => void
  #upstream: Pick<Upstream, 'getUsage' | 'base'> | null = null
  #askedAt = 0
  #timer: NodeJS.Timeout | null = null

  constructor(learn: (usage: AccountUsage, baseUrl: string) => void) {
    this.#learn = learn
  }

  follow(upstream: Pick<Upstream, 'getUsage' | 'base'> | null): void {
    this.#clear()
    this.#upstream = upstream
    if (upstream) void this.#ask()
  }

  /** A request has ended that may have cost something. */
  used(): void {
    if (!this.#upstream || this.#timer) return
    this.#timer = setTimeout(() => void this.#ask(), Math.max(0, this.#askedAt + askEveryMs - Date.now())).unref()
  }

  close(): void {
    this.follow(null)
  }

  async #ask(): Promise<void> {
    this.#clear()
    const upstream = this.#upstream
    if (!upstream) return
    this.#askedAt = Date.now()
    // A service without this read-out leaves prices unknown, which the books say.
    const usage = await upstream.getUsage().then(
      (reply) => reply.value,
      () => null,
    )
    if (usage && this.#upstream === upstream) this.#learn(usage, upstream.base.url)
  }

  #clear(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
