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

/** The status call is itself counted (specification, Limits): at most this often, and only while somebody looks. */
const askEveryMs = 15_000
/** A service that has no such read-out is asked again after a day. */
const offersAgainMs = dayMs
/** Who holds a slot changes with each request. */
const tellEveryMs = 250

export interface LimitsFeatureOptions {
  scheduler: {
    readonly changes: Listeners
    /** As the key's own record said them; null where unset or unknown. */
    readonly keyLimits: Limits['key']
    /** Requests that hold a slot, the longest first; `since` in ms since 1970. */
    holders(): { traceId: number; since: number }[]
    /** Who waits, and whether for a slot. */
    waiting(): { slot: boolean }[]
  }
  /** The one place that makes status calls; the general bucket is its own. */
  gauge: { readonly asked: Listeners<[RateLimitStatusReply]>; ask(): Promise<void> }
  requestLog: {
    readonly changes: Listeners
    row(id: number): RequestRow | null
    limited(limit: number, account: string | null): RateLimitedRow[]
  }
  /** The last status of the account that is connected, kept for when nothing is. */
  /** `book`: whose account it is, as far as that is known. */
  kept: { account(): string | null; read(): LimitStatus | null; keep(status: LimitStatus): void }
}

/** What holds requests back: the service's counters, the key's limits, who holds a slot, and what was refused for it. */
export class LimitsFeature {
  readonly #parts: LimitsFeatureOptions
  readonly #feed: StateFeed<Limits>
  readonly #unlisten: () => void
  #connected = false
  /** Whether it is known whose account this is, and whether it said its limits over this connection. */
  #isKnown = false
  #said = false
  #status: LimitStatus | null = null
  #offers: boolean | null = null
  #problem: Problem | null = null
  /** ms since 1970, of the last answer over this connection. */
  #askedAt = Number.NEGATIVE_INFINITY
  #watchers = 0
  #timer: NodeJS.Timeout | null = null
  #nextAsk: number | null = null

  constructor(parts: LimitsFeatureOptions) {
    this.#parts = parts
    this.#unlisten = parts.gauge.asked.add((asked) => this.#answered(asked))
    this.#feed = new StateFeed<Limits>({ everyMs: tellEveryMs, read: () => this.read(), observe: this.#observe })
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

  /** Requests of this account that the service answered with 429, the newest first; of all while none is known. */
  history({ limit }: { limit: number }): Limited[] {
    return this.#parts.requestLog.limited(limit, this.#parts.kept.account()).map(limitedOf)
  }

  /** Another connection, or none (`connected` false). What the service said to a former one is forgotten. */
  follow(connected: boolean): void {
    this.#connected = connected
    this.#offers = null
    this.#problem = null
    this.#askedAt = Number.NEGATIVE_INFINITY
    this.#isKnown = false
    this.#said = false
    this.#recall()
    this.#plan()
  }

  /** Whose account is connected is known now: what it said is kept as that account's, and until it says anything, what was kept of it holds. */
  known(): void {
    this.#isKnown = true
    if (this.#said && this.#status) this.#parts.kept.keep(this.#status)
    else this.#recall()
  }

  close(): void {
    this.#connected = false
    this.#unlisten()
    this.#stopTimer()
  }

  #recall(): void {
    this.#status = this.#parts.kept.read()
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
      this.#said = true
      if (this.#isKnown) this.#parts.kept.keep(this.#status)
    } else if (isNotOffered(asked.failed)) {
      this.#offers = false
      this.#problem = null
    } else this.#problem = asStudioError(asked.failed).toProblem()
    this.#plan()
  }

  #plan(): void {
    this.#stopTimer()
    if (this.#watchers > 0 && this.#connected) {
      const wait = this.#offers === false ? offersAgainMs : askEveryMs
      const at = Math.max(Date.now(), this.#askedAt + wait)
      this.#nextAsk = at
      this.#timer = setTimeout(() => inBackground('The limits could not be asked for', this.#ask()), at - Date.now())
    }
    this.#feed.changed()
  }

  /** Its answer comes by `asked`, and plans the next. */
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
