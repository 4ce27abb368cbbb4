import type { AdmissionRequest, RateLimitHeaders } from '../../ports/requests.ts'
import { instantOf } from '../../shared/days.ts'
import { GeneralBucket } from './generalBucket.ts'
import { MinuteWindow, minuteMs } from './minuteWindow.ts'
import { SoftLimit } from './softLimit.ts'

/** `held`: asked to wait by the service. `rate`: requests a minute. `slot`: requests at once. `tokens`: tokens a minute. */
export type Obstacle = 'held' | 'rate' | 'slot' | 'tokens'

export interface KeyLimits {
  concurrent: number | null
  rpm: number | null
  tpm: number | null
}

export interface BucketReading {
  limit: number | null
  remaining: number | null
  resetSeconds: number | null
  banned: boolean
  /** As the service wrote it: its form is not specified. */
  bannedUntil: string | null
}

const none = Number.POSITIVE_INFINITY
/** A 429 that does not say for how long. */
const shortHoldMs = 1_000
/** A status call is answered within this. */
const statusCallMs = 5_000
const maxHeldModels = 500

/** What one connection to the service lets through, as far as it is known, and what is under way on it. */
export class Capacity {
  readonly #sends = new MinuteWindow()
  readonly #tokens = new MinuteWindow()
  readonly #general = new GeneralBucket()
  readonly #soft: SoftLimit
  readonly #heldModels = new Map<string, number>()
  #concurrent = none
  #rpm = none
  #tpm = none
  #heldUntil = 0
  #bannedUntil = 0
  #running = 0
  #slotsUsed = 0
  #tokensUnderWay = 0

  constructor(crowded: () => boolean) {
    this.#soft = new SoftLimit(crowded)
  }

  get running(): number {
    return this.#running
  }

  get slotsUsed(): number {
    return this.#slotsUsed
  }

  /** Requests at once, by the key's record and by what 429s taught. */
  slots(now: number): number | null {
    const bound = Math.min(this.#concurrent, this.#soft.at(now))
    return bound === none ? null : bound
  }

  /** A status call would tell something that is needed. */
  get short(): boolean {
    return this.#general.short
  }

  /** Until when everyone is held; in the past where nobody is. */
  get heldUntil(): number {
    return Math.max(this.#heldUntil, this.#bannedUntil)
  }

  /** What stands in everyone's way. */
  gate(now: number): 'held' | 'rate' | null {
    if (now < this.#heldUntil || now < this.#bannedUntil) return 'held'
    if (this.#general.empty(now) || this.#sends.used(now) >= this.#rpm) return 'rate'
    return null
  }

  full(now: number): boolean {
    return this.#slotsUsed >= this.#concurrent || this.#slotsUsed >= this.#soft.at(now)
  }

  obstacle(wish: AdmissionRequest, now: number): Obstacle | null {
    const gate = this.gate(now)
    if (gate !== null) return gate
    if (wish.slot && this.full(now)) return 'slot'
    if (wish.tokens > 0 && this.#tpm !== none) {
      const used = this.#tokens.used(now) + this.#tokensUnderWay
      // Larger than a whole minute's worth: it goes when nothing else counts, and the service decides.
      if (used > 0 && used + wish.tokens > this.#tpm) return 'tokens'
    }
    return null
  }

  /** Until when the service asked to wait for this model alone; in the past where it did not. */
  modelHeldUntil(model: string | null): number {
    return model === null || this.#heldModels.size === 0 ? 0 : (this.#heldModels.get(model) ?? 0)
  }

  /** When an obstacle may be gone by itself. Infinity: only when somebody leaves. */
  clearsAt(obstacle: Obstacle, tokens: number, now: number): number {
    switch (obstacle) {
      case 'held':
        return this.heldUntil
      case 'rate':
        return Math.max(
          this.#general.empty(now) ? this.#general.opensAt() : now,
          this.#rpm === none ? now : this.#sends.fallsTo(now, this.#rpm - 1),
        )
      case 'slot':
        return this.#slotsUsed >= this.#concurrent ? none : this.#soft.growsAt()
      case 'tokens': {
        const allowed = Math.max(0, this.#tpm - tokens) - this.#tokensUnderWay
        return allowed < 0 ? none : this.#tokens.fallsTo(now, allowed)
      }
    }
  }

  /** The request's number. */
  take(wish: AdmissionRequest, now: number): number {
    this.#running += 1
    if (wish.slot) this.#slotsUsed += 1
    if (wish.tokens > 0) this.#tokensUnderWay += wish.tokens
    this.#sends.add(now, 1)
    return this.#general.sent(now)
  }

  /** @param used tokens; null: nobody knows, and the estimate stands */
  give(slot: boolean, estimate: number, used: number | null, now: number): void {
    this.#running -= 1
    if (slot) this.#slotsUsed -= 1
    if (estimate > 0) this.#tokensUnderWay -= estimate
    const spent = used !== null && used >= 0 ? used : estimate
    if (spent > 0) this.#tokens.add(now, Math.ceil(spent))
  }

  /** A reply's head, and of which request where that is known. True where more may go than before. */
  saw(
    status: number,
    { limit, remaining, retryAfterMs }: RateLimitHeaders,
    request: { number: number; model: string | null } | null,
    now: number,
  ): boolean {
    const stoodStill = this.#general.empty(now)
    if (limit !== null || remaining !== null) this.#general.reported(limit, remaining, request?.number ?? null, now)
    if (status === 429) this.#hold(retryAfterMs, remaining, request?.model ?? null, now)
    const grown = status < 500 && status !== 429 && this.#soft.succeeded(now)
    return grown || (stoodStill && !this.#general.empty(now))
  }

  set({ concurrent, rpm, tpm }: KeyLimits): void {
    this.#concurrent = bound(concurrent)
    this.#rpm = bound(rpm)
    this.#tpm = bound(tpm)
  }

  read({ limit, remaining, resetSeconds, banned, bannedUntil }: BucketReading, now: number, date: number): void {
    const lately = this.#sends.usedWithin(now, statusCallMs)
    this.#general.read(limit, remaining, resetSeconds, lately, now)
    if (!banned) {
      this.#bannedUntil = 0
      // Longer than a minute was a ban's, and that is over.
      if (this.#heldUntil - now > minuteMs) this.#heldUntil = 0
      return
    }
    const until = instantOf(bannedUntil)
    // A ban whose end can't be read is looked at again after a minute.
    this.#bannedUntil = now + (until === null ? minuteMs : Math.max(0, until - date))
  }

  #hold(retryAfterMs: number | null, remaining: number | null, model: string | null, now: number): void {
    // The limits that all requests share are by the minute. A longer wait is that of a free model's hour or day.
    if (retryAfterMs !== null && retryAfterMs > minuteMs && model !== null && remaining !== 0) {
      if (this.#heldModels.size >= maxHeldModels) this.#heldModels.clear()
      this.#heldModels.set(model, now + retryAfterMs)
      return
    }
    // Replies to what was sent before the hold began are the same news.
    if (now >= this.#heldUntil) this.#soft.halve(this.#slotsUsed, now)
    this.#heldUntil = Math.max(this.#heldUntil, now + (retryAfterMs ?? shortHoldMs))
  }
}

/** A limit below one would stop everything: taken as unset, and the service decides. */
function bound(limit: number | null): number {
  return limit !== null && limit >= 1 ? limit : none
}
