import type { Limited, LimitStatus, Limits } from '../../../../src-preload/contract/account.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { RequestRow } from '../../../../src-preload/contract/requests.ts'
import { asStudioError } from '../../errors.ts'
import { dayMs } from '../../shared/days.ts'
import type { Feed, Listeners } from '../../shared/events.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { RateLimitStatusReply } from '../../upstream/types.ts'
import { limitedOf, type RateLimitedRow } from './history.ts'
import { isNotOffered, statusOf } from './status.ts'

/** Minimum interval between status calls, ms. The call itself counts (specification, Limits), so it is made only while someone watches. */
const callEveryMs = 15_000
/** How often a service without this endpoint is tried again, ms. */
const retryMissingMs = dayMs
/** Minimum interval between updates, ms. Slots change with every request. */
const updateEveryMs = 250

export interface LimitsFeatureOptions {
  scheduler: {
    readonly changes: Listeners
    /** The limits in the key's own record; null if unset or unknown. */
    readonly keyLimits: Limits['key']
    /** Requests that occupy a slot, the longest first; `since` in ms since 1970. */
    holders(): { traceId: number; since: number }[]
    /** Waiting requests. `slot`: whether the request waits for a slot. */
    waiting(): { slot: boolean }[]
  }
  /** The only code that makes status calls. */
  gauge: { readonly asked: Listeners<[RateLimitStatusReply]>; ask(): Promise<void> }
  requestLog: {
    readonly changes: Listeners
    row(id: number): RequestRow | null
    limited(limit: number, account: string | null): RateLimitedRow[]
  }
  /** Storage for the last status of the connected account. `account`: its id, if known. */
  stored: { account(): string | null; read(): LimitStatus | null; save(status: LimitStatus): void }
}

/** Everything that limits requests: the service's counters, the key's limits, occupied slots, and requests answered with 429. */
export class LimitsFeature {
  readonly #parts: LimitsFeatureOptions
  readonly #feed: StateFeed<Limits>
  readonly #unlisten: () => void
  #connected = false
  /** Whether the account is known and has reported its limits over this connection. */
  #isKnown = false
  #hasReport = false
  #status: LimitStatus | null = null
  #offers: boolean | null = null
  #problem: Problem | null = null
  /** Time of the last reply over this connection, ms since 1970. */
  #askedAt = Number.NEGATIVE_INFINITY
  #watchers = 0
  #timer: NodeJS.Timeout | null = null
  #nextAsk: number | null = null

  constructor(parts: LimitsFeatureOptions) {
    this.#parts = parts
    this.#unlisten = parts.gauge.asked.add((asked) => this.#answered(asked))
    this.#feed = new StateFeed<Limits>({ everyMs: updateEveryMs, read: () => this.read(), observe: this.#observe })
  }

  watch(signal?: AbortSignal): Feed<Limits> {
    return this.#feed.watch(signal)
  }

  read(): Limits {
    const { scheduler } = this.#parts
    const { rpm, tpm, concurrent } = scheduler.keyLimits
    return {
      status: this.#status,
      key: { rpm, tpm, concurrent },
      slots: {
        used: scheduler.holders().flatMap(({ traceId, since }) => {
          const row = this.#parts.requestLog.row(traceId)
          if (!row) return []
          const { who, endpoint, model } = row
          return { row: traceId, who, endpoint, model, since: new Date(since).toISOString() }
        }),
        waiting: scheduler.waiting().filter(({ slot }) => slot).length,
      },
      offers: this.#offers,
      problem: this.#problem,
      nextAsk: this.#nextAsk === null ? null : new Date(this.#nextAsk).toISOString(),
    }
  }

  /** Requests of this account that the service answered with 429, newest first. Requests of all accounts while the account is unknown. */
  history({ limit }: { limit: number }): Limited[] {
    return this.#parts.requestLog.limited(limit, this.#parts.stored.account()).map(limitedOf)
  }

  /** Switches to another connection, or to none (`connected` false). Discards the reports of the previous service. */
  follow(connected: boolean): void {
    this.#connected = connected
    this.#offers = null
    this.#problem = null
    this.#askedAt = Number.NEGATIVE_INFINITY
    this.#isKnown = false
    this.#hasReport = false
    this.#recall()
    this.#plan()
  }

  /** Call when the account of the connection is known. Stores the reported limits; if there are none yet, reads the stored limits. */
  known(): void {
    this.#isKnown = true
    if (this.#hasReport && this.#status) this.#parts.stored.save(this.#status)
    else this.#recall()
  }

  close(): void {
    this.#connected = false
    this.#unlisten()
    this.#stopTimer()
  }

  #recall(): void {
    this.#status = this.#parts.stored.read()
    this.#feed.changed()
  }

  readonly #observe = (changed: () => void): (() => void) => {
    const ends = [this.#parts.scheduler.changes.add(changed), this.#parts.requestLog.changes.add(changed)]
    this.#watchers += 1
    this.#plan()
    return () => {
      for (const end of ends) end()
      this.#watchers -= 1
      this.#plan()
    }
  }

  #answered(asked: RateLimitStatusReply): void {
    this.#askedAt = asked.at.getTime()
    if ('status' in asked) {
      this.#status = statusOf(asked.status, asked.at)
      this.#offers = true
      this.#problem = null
      this.#hasReport = true
      if (this.#isKnown) this.#parts.stored.save(this.#status)
    } else if (isNotOffered(asked.failed)) {
      this.#offers = false
      this.#problem = null
    } else this.#problem = asStudioError(asked.failed).toProblem()
    this.#plan()
  }

  #plan(): void {
    this.#stopTimer()
    if (this.#watchers > 0 && this.#connected) {
      const wait = this.#offers === false ? retryMissingMs : callEveryMs
      const now = Date.now()
      // At most the interval from now, even after the clock was set back.
      const at = Math.min(now + wait, Math.max(now, this.#askedAt + wait))
      this.#nextAsk = at
      this.#timer = setTimeout(() => inBackground('The limits could not be fetched', this.#ask()), at - now)
    }
    this.#feed.changed()
  }

  /** Makes a status call. The reply arrives through `asked`, which schedules the next call. */
  async #ask(): Promise<void> {
    this.#timer = null
    await this.#parts.gauge.ask()
  }

  #stopTimer(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#nextAsk = null
  }
}
