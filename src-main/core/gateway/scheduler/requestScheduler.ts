import type { StudioError } from '../../errors.ts'
import type { AdmissionRequest, Permit, RateLimitHeaders, Requester, Scheduler } from '../../ports/requests.ts'
import { Listeners } from '../../shared/events.ts'
import { connectionChanged } from '../../upstream/clientLifetime.ts'
import { cancelled } from '../../upstream/errors.ts'
import { type BucketReading, Capacity, type KeyLimits, type Obstacle } from './capacity.ts'
import { type Clock, realClock } from './clock.ts'
import { FairQueue, type QueuedRequest } from './fairQueue.ts'
import { heldTooLong, queueFull, queueTimeout, wouldWait } from './messages.ts'
import { minuteMs } from './minuteWindow.ts'

export interface SchedulerOptions {
  /** In all. An eighth of it is kept for the studio, so that tools can't shut a person out. */
  maxWaiting: number
  maxWaitingPerTool: number
  maxWaitMs: number
  clock: Clock
}

export interface WaitingRequest {
  traceId: number
  asker: Requester
  /** Milliseconds of the epoch. */
  since: number
  why: Obstacle | 'turn'
  /** Whether it needs a slot. */
  slot: boolean
}

/** A request that holds a slot of the key now. */
export interface SlotHolder {
  traceId: number
  /** Milliseconds of the epoch. */
  since: number
}

export interface SchedulerCounts {
  running: number
  waiting: number
  /** ISO 8601. */
  heldUntil: string | null
  slots: { used: number; of: number | null }
}

/** For a tool that asks when to come again, where nobody knows: a slot falls free when somebody leaves. */
const tryAgainMs = 1_000
/** Longer ones overflow Node's timers; the desk looks again then. */
const longestTimerMs = 2 ** 30

const lookEveryMs = 20_000

const unset: KeyLimits = { concurrent: null, rpm: null, tpm: null }

const defaults: SchedulerOptions = { maxWaiting: 256, maxWaitingPerTool: 64, maxWaitMs: 120_000, clock: realClock }

/** One that is at the desk. Without `settle` it is being looked at for the first time. */
class Waiter implements QueuedRequest {
  readonly wish: AdmissionRequest
  readonly number: number
  readonly since: number
  pass: Permit | null = null
  settle: { resolve(pass: Permit): void; reject(error: StudioError): void } | null = null

  constructor(wish: AdmissionRequest, number: number, since: number) {
    this.wish = wish
    this.number = number
    this.since = since
  }
}

/** The leave of one attempt; `capacity` is that of the connection that it was given for. */
class SchedulerPermit implements Permit {
  readonly #scheduler: RequestScheduler
  readonly capacity: Capacity
  readonly number: number
  readonly model: string | null
  readonly traceId: number
  readonly since: number
  readonly #slot: boolean
  readonly #tokens: number
  #left = false

  constructor(scheduler: RequestScheduler, capacity: Capacity, wish: AdmissionRequest, now: number) {
    this.#scheduler = scheduler
    this.capacity = capacity
    this.#slot = wish.slot
    this.#tokens = wish.tokens
    this.model = wish.model
    this.traceId = wish.trace.id
    this.since = now
    this.number = capacity.take(wish, now)
  }

  leave(tokens: number | null): void {
    if (this.#left) return
    this.#left = true
    this.#scheduler.left(this, this.capacity, this.#slot, this.#tokens, tokens)
  }
}

/** See README.md in this folder for the rules. */
export class RequestScheduler implements Scheduler {
  /** Told when who waits, a hold or a limit changed. What merely runs moves too often: it is read along with the rest. */
  readonly changes = new Listeners()
  /** Told, at most once a minute, when a rate-limit status call would tell what the desk needs to know. */
  readonly shortages = new Listeners()
  readonly #options: SchedulerOptions
  readonly #clock: Clock
  readonly #turns = new FairQueue<Waiter>()
  readonly #holders = new Set<SchedulerPermit>()
  #keyLimits: KeyLimits = unset
  #capacity: Capacity
  #arrivals = 0
  #stopTimer: (() => void) | null = null
  #timerAt = Number.POSITIVE_INFINITY
  #holdShown = false
  #shortAt = Number.NEGATIVE_INFINITY
  #lookedAt = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(options: Partial<SchedulerOptions> = {}) {
    this.#options = { ...defaults, ...options }
    this.#clock = this.#options.clock
    this.#capacity = this.#newCapacity()
  }

  enter(wish: AdmissionRequest): Permit | Promise<Permit> {
    if (this.#closed || wish.signal?.aborted === true) throw cancelled()
    const now = this.#clock.now()
    const free = this.#turns.size === 0 && this.#capacity.obstacle(wish, now) === null
    if (free && this.#capacity.modelHeldUntil(wish.model) <= now) return this.#let(wish, now)
    return this.#enterInTurn(wish, now)
  }

  /** @param pass of the request that was answered: tells the order of figures, and the model that a long wait concerns */
  saw(status: number, rateLimit: RateLimitHeaders, pass?: Permit): void {
    const request = pass instanceof SchedulerPermit ? pass : null
    if (request !== null && request.capacity !== this.#capacity) return
    const now = this.#clock.now()
    const changed = this.#capacity.saw(status, rateLimit, request, now)
    if (status === 429) {
      this.#refuseHeldTooLong(now)
      if (rateLimit.retryAfterMs === null && this.#turns.size > 0) this.#tellShortage(now)
      this.#lookAgain(now)
      this.changes.notify()
    } else if (changed && this.#turns.size > 0) this.#lookAgain(now)
  }

  /** What the key's own record says; null is unset. */
  limits(limits: KeyLimits): void {
    this.#keyLimits = limits
    this.#capacity.set(limits)
    this.#lookAgain(this.#clock.now())
    this.changes.notify()
  }

  /** The general minute bucket and a ban, as read from `GET /v1/rate-limit`. */
  bucket(reading: BucketReading): void {
    const now = this.#clock.now()
    this.#capacity.read(reading, now, this.#clock.date())
    this.#refuseHeldTooLong(now)
    this.#lookAgain(now)
    this.changes.notify()
  }

  /** Another connection: nothing of the former counts any more. Who waited was to go there, and is turned away unsent. */
  reset(): void {
    for (const waiter of [...this.#turns.all()]) this.#turnAway(waiter, connectionChanged())
    this.#keyLimits = unset
    this.#capacity = this.#newCapacity()
    this.#shortAt = Number.NEGATIVE_INFINITY
    this.#lookedAt = Number.NEGATIVE_INFINITY
    this.#lookAgain(this.#clock.now())
    this.changes.notify()
  }

  waiting(): WaitingRequest[] {
    const now = this.#clock.now()
    const offset = this.#clock.date() - now
    return Array.from(this.#turns.all(), ({ wish, since }) => ({
      traceId: wish.trace.id,
      asker: wish.asker,
      since: Math.round(offset + since),
      why: this.#why(wish, now),
      slot: wish.slot,
    }))
  }

  /** Who holds a slot of the connection that stands, the longest first. */
  holders(): SlotHolder[] {
    const offset = this.#clock.date() - this.#clock.now()
    return Array.from(this.#holders)
      .filter(({ capacity }) => capacity === this.#capacity)
      .map(({ traceId, since }) => ({ traceId, since: Math.round(offset + since) }))
  }

  /** What the key's own record said; null where that is unset or not known. */
  get keyLimits(): KeyLimits {
    return this.#keyLimits
  }

  counts(): SchedulerCounts {
    const now = this.#clock.now()
    const { running, slotsUsed, heldUntil } = this.#capacity
    // Beyond what a Date holds, a year stands for "very long".
    const heldMs = Math.min(heldUntil - now, 365 * 24 * 60 * minuteMs)
    return {
      running,
      waiting: this.#turns.size,
      heldUntil: heldMs > 0 ? new Date(this.#clock.date() + heldMs).toISOString() : null,
      slots: { used: slotsUsed, of: this.#capacity.slots(now) },
    }
  }

  /** A person takes a waiting request out. False where it does not wait. */
  cancel(traceId: number): boolean {
    for (const waiter of this.#turns.all()) {
      if (waiter.wish.trace.id !== traceId) continue
      this.#turnAway(waiter, cancelled())
      this.#lookAgain(this.#clock.now())
      this.changes.notify()
      return true
    }
    return false
  }

  close(): void {
    this.#closed = true
    for (const waiter of [...this.#turns.all()]) this.#turnAway(waiter, cancelled())
    this.#stopTimer?.()
    this.#stopTimer = null
  }

  /** For passes alone. */
  left(pass: SchedulerPermit, capacity: Capacity, slot: boolean, estimate: number, used: number | null): void {
    const now = this.#clock.now()
    if (slot) this.#holders.delete(pass)
    capacity.give(slot, estimate, used, now)
    if (this.#turns.size > 0) this.#lookAgain(now)
  }

  #newCapacity(): Capacity {
    return new Capacity(() => this.#turns.size > 0)
  }

  #let(wish: AdmissionRequest, now: number): Permit {
    const capacity = this.#capacity
    const pass = new SchedulerPermit(this, capacity, wish, now)
    if (wish.slot) this.#holders.add(pass)
    if (capacity.short) this.#tellShortage(now)
    return pass
  }

  #enterInTurn(wish: AdmissionRequest, now: number): Permit | Promise<Permit> {
    const capacity = this.#capacity
    const modelHeldMs = capacity.modelHeldUntil(wish.model) - now
    if (modelHeldMs > 0) throw heldTooLong(modelHeldMs, wish.model)
    const heldMs = capacity.heldUntil - now
    if (heldMs > this.#options.maxWaitMs) {
      if (this.#looksAgain(wish, now)) return this.#let(wish, now)
      throw heldTooLong(heldMs, null)
    }
    const waiter = new Waiter(wish, ++this.#arrivals, now)
    this.#turns.add(waiter)
    const letIn = this.#letIn(now)
    if (waiter.pass !== null) {
      if (letIn > 1) this.changes.notify()
      return waiter.pass
    }
    const refusal = this.#refusal(waiter, now)
    if (refusal === null) return this.#wait(waiter, now)
    this.#turns.remove(waiter)
    if (letIn > 0) this.changes.notify()
    throw refusal
  }

  /** A read-out of the account goes through a long hold now and then: the status call tells of a ban, and when it is lifted. */
  #looksAgain({ asker, slot }: AdmissionRequest, now: number): boolean {
    if (asker.kind !== 'studio' || asker.feature !== 'account' || slot || now - this.#lookedAt < lookEveryMs)
      return false
    this.#lookedAt = now
    return true
  }

  #refusal({ wish }: Waiter, now: number): StudioError | null {
    const { asker } = wish
    const { maxWaiting, maxWaitingPerTool } = this.#options
    if (asker.kind === 'studio') {
      return this.#turns.size > maxWaiting ? queueFull(maxWaiting, false, this.#opensIn(wish, now)) : null
    }
    if (asker.failFast) return wouldWait(this.#why(wish, now), this.#opensIn(wish, now))
    if (this.#turns.waitingOf(asker.id) > maxWaitingPerTool) {
      return queueFull(maxWaitingPerTool, true, this.#opensIn(wish, now))
    }
    const forTools = maxWaiting - Math.floor(maxWaiting / 8)
    return this.#turns.size > forTools ? queueFull(this.#turns.size - 1, false, this.#opensIn(wish, now)) : null
  }

  #wait(waiter: Waiter, now: number): Promise<Permit> {
    const { signal, trace } = waiter.wish
    const { promise, resolve, reject } = Promise.withResolvers<Permit>()
    const onAbort = (): void => {
      this.#turnAway(waiter, cancelled())
      this.#lookAgain(this.#clock.now())
      this.changes.notify()
    }
    waiter.settle = {
      resolve(pass) {
        signal?.removeEventListener('abort', onAbort)
        resolve(pass)
      },
      reject(error) {
        signal?.removeEventListener('abort', onAbort)
        reject(error)
      },
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    trace.queued()
    this.#plan(now)
    this.changes.notify()
    return promise
  }

  /** Lets in whoever may go, in turn, and plans for the rest. */
  #lookAgain(now: number): void {
    const count = this.#letIn(now)
    this.#plan(now)
    if (count > 0) this.changes.notify()
  }

  /** How many were let in. */
  #letIn(now: number): number {
    const capacity = this.#capacity
    const turns = this.#turns
    let count = 0
    while (turns.size > 0 && capacity.gate(now) === null && !(turns.slotless === 0 && capacity.full(now))) {
      const waiter = turns.next(now, (wish) => capacity.obstacle(wish, now))
      if (waiter === null) break
      turns.serve(waiter)
      waiter.pass = this.#let(waiter.wish, now)
      count += 1
      if (waiter.settle === null) continue
      waiter.wish.trace.admitted()
      waiter.settle.resolve(waiter.pass)
    }
    return count
  }

  #turnAway(waiter: Waiter, error: StudioError): void {
    this.#turns.remove(waiter)
    waiter.settle?.reject(error)
  }

  /** Those who would still be held when their time is over needn't wait for it. */
  #refuseHeldTooLong(now: number): void {
    const { heldUntil } = this.#capacity
    for (const waiter of [...this.#turns.all()]) {
      const { model } = waiter.wish
      const modelHeldMs = this.#capacity.modelHeldUntil(model) - now
      if (modelHeldMs > 0) this.#turnAway(waiter, heldTooLong(modelHeldMs, model))
      else if (heldUntil > waiter.since + this.#options.maxWaitMs)
        this.#turnAway(waiter, heldTooLong(heldUntil - now, null))
    }
  }

  /** One timer for all: the next moment at which time alone changes anything. */
  #plan(now: number): void {
    const at = this.#nextMoment(now)
    // One that rings too early does no harm, and each request would else set it anew.
    if (at >= this.#timerAt || at === Number.POSITIVE_INFINITY) return
    this.#stopTimer?.()
    this.#timerAt = at
    this.#stopTimer = this.#clock.after(Math.min(longestTimerMs, Math.max(1, Math.ceil(at - now))), this.#ring)
  }

  readonly #ring = (): void => {
    this.#stopTimer = null
    this.#timerAt = Number.POSITIVE_INFINITY
    if (this.#closed) return
    const now = this.#clock.now()
    const timedOut = this.#timeOut(now)
    const holdOver = this.#holdShown && this.#capacity.heldUntil <= now
    this.#lookAgain(now)
    if (timedOut || holdOver) this.changes.notify()
  }

  #timeOut(now: number): boolean {
    let any = false
    for (let oldest = this.#turns.oldest(); oldest !== undefined; oldest = this.#turns.oldest()) {
      const waited = now - oldest.since
      if (waited < this.#options.maxWaitMs) break
      any = true
      this.#turnAway(oldest, queueTimeout(this.#why(oldest.wish, now), waited, this.#clearsIn(oldest.wish, now)))
    }
    return any
  }

  #nextMoment(now: number): number {
    const capacity = this.#capacity
    const { heldUntil } = capacity
    this.#holdShown = heldUntil > now
    const oldest = this.#turns.oldest()
    if (oldest === undefined) return this.#holdShown ? heldUntil : Number.POSITIVE_INFINITY
    const timesOut = oldest.since + this.#options.maxWaitMs
    const gate = capacity.gate(now)
    if (gate !== null) return Math.min(timesOut, capacity.clearsAt(gate, 0, now))
    if (this.#turns.slotless === 0 && capacity.full(now)) return Math.min(timesOut, capacity.clearsAt('slot', 0, now))
    let fewestTokens = Number.POSITIVE_INFINITY
    let at = timesOut
    for (const { wish } of this.#turns.heads()) {
      const stands = capacity.obstacle(wish, now)
      if (stands === 'tokens') fewestTokens = Math.min(fewestTokens, wish.tokens)
      else if (stands === 'slot') at = Math.min(at, capacity.clearsAt('slot', 0, now))
    }
    return fewestTokens === Number.POSITIVE_INFINITY ? at : Math.min(at, capacity.clearsAt('tokens', fewestTokens, now))
  }

  #why(wish: AdmissionRequest, now: number): Obstacle | 'turn' {
    return this.#capacity.obstacle(wish, now) ?? 'turn'
  }

  /** Milliseconds until its obstacle may be gone, Infinity where nobody knows. */
  #clearsIn(wish: AdmissionRequest, now: number): number {
    const stands = this.#capacity.obstacle(wish, now)
    return stands === null ? Number.POSITIVE_INFINITY : this.#capacity.clearsAt(stands, wish.tokens, now) - now
  }

  /** The same as advice for a tool. */
  #opensIn(wish: AdmissionRequest, now: number): number {
    const ms = this.#clearsIn(wish, now)
    return Number.isFinite(ms) ? ms : tryAgainMs
  }

  #tellShortage(now: number): void {
    if (now - this.#shortAt < minuteMs) return
    this.#shortAt = now
    this.shortages.notify()
  }
}
