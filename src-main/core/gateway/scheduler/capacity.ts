import { instantOf } from '../../../../src-preload/contract/limitText.ts'
import type { AdmissionRequest, RateLimitHeaders } from '../../ports/requests.ts'
import { GeneralBucket } from './generalBucket.ts'
import { MinuteWindow, minuteMs } from './minuteWindow.ts'
import { SoftLimit } from './softLimit.ts'

/** Why a request can't be sent now. `held`: the service asked to wait. `rate`: requests a minute. `slot`: concurrent requests. `tokens`: tokens a minute. */
export type Obstacle = 'held' | 'rate' | 'slot' | 'tokens'

/** Limits of the key; null is unset. `rpm` and `tpm`: requests and tokens a minute. */
export interface KeyLimits {
  concurrent: number | null
  rpm: number | null
  tpm: number | null
}

/** The reply to a status call. */
export interface BucketReading {
  limit: number | null
  remaining: number | null
  resetSeconds: number | null
  banned: boolean
  /** As the service wrote it, because its format is not specified. */
  bannedUntil: string | null
}

const none = Number.POSITIVE_INFINITY
/** The wait after a 429 without `Retry-After`, ms. */
const defaultHoldMs = 1_000
/** The longest duration of a status call, ms. */
const statusCallMs = 5_000
const maxHeldModels = 500

/** The known limits of one connection to the service, and its use of them. */
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
  #tokensRunning = 0

  /** @param isQueued whether any request waits */
  constructor(isQueued: () => boolean) {
    this.#soft = new SoftLimit(isQueued)
  }

  get running(): number {
    return this.#running
  }

  get slotsUsed(): number {
    return this.#slotsUsed
  }

  /** The limit of concurrent requests, from the key's record and from earlier 429s. Null if unknown. */
  slots(now: number): number | null {
    const bound = Math.min(this.#concurrent, this.#soft.at(now))
    return bound === none ? null : bound
  }

  /** Whether a status call is worth it. */
  get short(): boolean {
    return this.#general.short
  }

  /** Until when all requests must wait. A past time if no request has to wait. */
  get heldUntil(): number {
    return Math.max(this.#heldUntil, this.#bannedUntil)
  }

  /** The obstacle for all requests, or null. */
  commonObstacle(now: number): 'held' | 'rate' | null {
    if (now < this.#heldUntil || now < this.#bannedUntil) return 'held'
    if (this.#general.empty(now) || this.#sends.used(now) >= this.#rpm) return 'rate'
    return null
  }

  full(now: number): boolean {
    return this.#slotsUsed >= this.#concurrent || this.#slotsUsed >= this.#soft.at(now)
  }

  /** The obstacle for one request, or null. */
  obstacle(request: AdmissionRequest, now: number): Obstacle | null {
    const common = this.commonObstacle(now)
    if (common !== null) return common
    if (request.slot && this.full(now)) return 'slot'
    if (request.tokens > 0 && this.#tpm !== none) {
      const used = this.#tokens.used(now) + this.#tokensRunning
      // A request larger than the limit is sent when no other tokens count. The service then decides.
      if (used > 0 && used + request.tokens > this.#tpm) return 'tokens'
    }
    return null
  }

  /** Until when requests for this model must wait. A past time if they need not wait. */
  modelHeldUntil(model: string | null): number {
    return model === null || this.#heldModels.size === 0 ? 0 : (this.#heldModels.get(model) ?? 0)
  }

  /**
   * The earliest time at which the passage of time alone can remove what keeps a request of `tokens` tokens from being sent, in ms of the
   * scheduler's clock. Infinity if only the end of a running request can.
   */
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
        const allowed = Math.max(0, this.#tpm - tokens) - this.#tokensRunning
        return allowed < 0 ? none : this.#tokens.fallsTo(now, allowed)
      }
    }
  }

  /** Counts an admitted request and returns its number. */
  take(request: AdmissionRequest, now: number): number {
    this.#running += 1
    if (request.slot) this.#slotsUsed += 1
    if (request.tokens > 0) this.#tokensRunning += request.tokens
    this.#sends.add(now, 1)
    return this.#general.sent(now)
  }

  /** Counts the end of a request. @param used its tokens, or null to count the estimate */
  give(slot: boolean, estimate: number, used: number | null, now: number): void {
    this.#running -= 1
    if (slot) this.#slotsUsed -= 1
    if (estimate > 0) this.#tokensRunning -= estimate
    const spent = used !== null && used >= 0 ? used : estimate
    if (spent > 0) this.#tokens.add(now, Math.ceil(spent))
  }

  /** Takes the headers of a reply. @param request its request, if known. Returns whether more requests may be sent than before. */
  saw(
    status: number,
    { limit, remaining, retryAfterMs }: RateLimitHeaders,
    request: { number: number; model: string | null } | null,
    now: number,
  ): boolean {
    const wasEmpty = this.#general.empty(now)
    if (limit !== null || remaining !== null) this.#general.reported(limit, remaining, request?.number ?? null, now)
    if (status === 429) this.#hold(retryAfterMs, remaining, request?.model ?? null, now)
    const grown = status < 500 && status !== 429 && this.#soft.succeeded(now)
    return grown || (wasEmpty && !this.#general.empty(now))
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
      // A hold of more than a minute came from the ban that has ended.
      if (this.#heldUntil - now > minuteMs) this.#heldUntil = 0
      return
    }
    const until = instantOf(bannedUntil)
    // A ban with an unreadable end is checked again after a minute.
    this.#bannedUntil = now + (until === null ? minuteMs : Math.max(0, until - date))
  }

  #hold(retryAfterMs: number | null, remaining: number | null, model: string | null, now: number): void {
    // The shared limits are per minute. A longer wait is the hourly or daily limit of a free model.
    if (retryAfterMs !== null && retryAfterMs > minuteMs && model !== null && remaining !== 0) {
      if (this.#heldModels.size >= maxHeldModels) this.#heldModels.clear()
      this.#heldModels.set(model, now + retryAfterMs)
      return
    }
    // Later replies to requests of the same burst must not halve the limit again.
    if (now >= this.#heldUntil) this.#soft.halve(this.#slotsUsed, now)
    this.#heldUntil = Math.max(this.#heldUntil, now + (retryAfterMs ?? defaultHoldMs))
  }
}

/** Treats a limit below one as unset, because it would stop every request. The service then decides. */
function bound(limit: number | null): number {
  return limit !== null && limit >= 1 ? limit : none
}
