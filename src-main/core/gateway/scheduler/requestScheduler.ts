import type { StudioError } from '../../errors.ts'
import type { AdmissionRequest, Permit, RateLimitHeaders, Requester, Scheduler } from '../../ports/requests.ts'
import { Listeners } from '../../shared/events.ts'
import { connectionChanged } from '../../upstream/sending/lifetime.ts'
import { cancelled } from '../../upstream/wire/faults.ts'
import { type BucketReading, Capacity, type KeyLimits, type Obstacle } from './capacity.ts'
import { FairQueue, type QueuedRequest } from './fairQueue.ts'
import { heldTooLong, queueFull, queueTimeout, wouldWait } from './messages.ts'
import { minuteMs } from './minuteWindow.ts'

/** The scheduler's time, which tests replace. */
export interface SchedulerClock {
  /** Monotonic milliseconds. */
  now(): number
  /** Milliseconds since 1970, for times that people see and for dates that the service sends. */
  date(): number
  /** Calls `run` once after `ms` milliseconds. Returns a function that cancels the call. */
  after(ms: number, run: () => void): () => void
}

const realClock: SchedulerClock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Queue limits; ms and counts. */
export interface SchedulerOptions {
  /** Longest queue. An eighth of it is reserved for the studio, so that apps can't block a person. */
  maxWaiting: number
  maxWaitingPerApp: number
  maxWaitMs: number
  clock: SchedulerClock
}

export interface WaitingRequest {
  traceId: number
  requester: Requester
  /** Milliseconds since 1970. */
  since: number
  why: Obstacle | 'turn'
  /** Whether the request needs a slot. */
  slot: boolean
}

/** A request that holds a slot of the key now. */
export interface SlotHolder {
  traceId: number
  /** Milliseconds since 1970. */
  since: number
}

export interface SchedulerCounts {
  running: number
  waiting: number
  /** ISO 8601. */
  heldUntil: string | null
  slots: { used: number; of: number | null }
}

/** `Retry-After` when the wait is unknown, because a slot becomes free when another request ends. */
const tryAgainMs = 1_000
/** Longer timers overflow in Node. The scheduler checks again when it fires. */
const longestTimerMs = 2 ** 30

/** Interval at which one status call may pass a long hold, ms. */
const probeEveryMs = 20_000

const unset: KeyLimits = { concurrent: null, rpm: null, tpm: null }

const defaults: SchedulerOptions = { maxWaiting: 256, maxWaitingPerApp: 64, maxWaitMs: 120_000, clock: realClock }

/** A queued request. `settle` is null while the request is checked for the first time, before it waits. */
class Waiter implements QueuedRequest {
  readonly request: AdmissionRequest
  readonly number: number
  readonly since: number
  permit: Permit | null = null
  settle: { resolve(permit: Permit): void; reject(error: StudioError): void } | null = null

  constructor(request: AdmissionRequest, number: number, since: number) {
    this.request = request
    this.number = number
    this.since = since
  }
}

/** The permit of one attempt. `capacity` is that of the connection for which it was granted. */
class SchedulerPermit implements Permit {
  readonly #scheduler: RequestScheduler
  readonly capacity: Capacity
  readonly number: number
  readonly model: string | null
  readonly traceId: number
  readonly since: number
  readonly #slot: boolean
  readonly #tokens: number
  #isReturned = false

  constructor(scheduler: RequestScheduler, capacity: Capacity, request: AdmissionRequest, now: number) {
    this.#scheduler = scheduler
    this.capacity = capacity
    this.#slot = request.slot
    this.#tokens = request.tokens
    this.model = request.model
    this.traceId = request.trace.id
    this.since = now
    this.number = capacity.take(request, now)
  }

  leave(tokens: number | null): void {
    if (this.#isReturned) return
    this.#isReturned = true
    this.#scheduler.returned(this, this.capacity, this.#slot, this.#tokens, tokens)
  }
}

/** Decides when each attempt to reach the service is sent. The rules are in this folder's README. */
export class RequestScheduler implements Scheduler {
  /** Notified when the queue, a hold or a limit changes. Not for running requests, which change too often. */
  readonly changes = new Listeners()
  /** Notified, at most once a minute, when the scheduler needs the result of a status call. */
  readonly shortages = new Listeners()
  readonly #options: SchedulerOptions
  readonly #clock: SchedulerClock
  readonly #queue = new FairQueue<Waiter>()
  readonly #holders = new Set<SchedulerPermit>()
  #keyLimits: KeyLimits = unset
  #capacity: Capacity
  #arrivals = 0
  #stopTimer: (() => void) | null = null
  #timerAt = Number.POSITIVE_INFINITY
  #isHoldReported = false
  #shortageAt = Number.NEGATIVE_INFINITY
  #probedAt = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(options: Partial<SchedulerOptions> = {}) {
    this.#options = { ...defaults, ...options }
    this.#clock = this.#options.clock
    this.#capacity = this.#newCapacity()
  }

  enter(request: AdmissionRequest): Permit | Promise<Permit> {
    if (this.#closed || request.signal?.aborted === true) throw cancelled()
    const now = this.#clock.now()
    const isFree = this.#queue.size === 0 && this.#capacity.obstacle(request, now) === null
    if (isFree && this.#capacity.modelHeldUntil(request.model) <= now) return this.#admit(request, now)
    return this.#enterInTurn(request, now)
  }

  /** @param permit the permit of the replied request, which gives the order of the figures and the model of a long wait */
  saw(status: number, rateLimit: RateLimitHeaders, permit?: Permit): void {
    const request = permit instanceof SchedulerPermit ? permit : null
    if (request !== null && request.capacity !== this.#capacity) return
    const now = this.#clock.now()
    const changed = this.#capacity.saw(status, rateLimit, request, now)
    if (status === 429) {
      this.#refuseHeldTooLong(now)
      if (rateLimit.retryAfterMs === null && this.#queue.size > 0) this.#notifyShortage(now)
      this.#admitWaiting(now)
      this.changes.notify()
    } else if (changed && this.#queue.size > 0) this.#admitWaiting(now)
  }

  /** Sets the limits of the key's record. */
  limits(limits: KeyLimits): void {
    this.#keyLimits = limits
    this.#capacity.set(limits)
    this.#admitWaiting(this.#clock.now())
    this.changes.notify()
  }

  /** Takes the reply of `GET /v1/rate-limit`: the general minute bucket, and a ban. */
  bucket(reading: BucketReading): void {
    const now = this.#clock.now()
    this.#capacity.read(reading, now, this.#clock.date())
    this.#refuseHeldTooLong(now)
    this.#admitWaiting(now)
    this.changes.notify()
  }

  /** Forgets everything about the former connection. Its waiting requests are refused and never sent. */
  reset(): void {
    for (const waiter of [...this.#queue.all()]) this.#reject(waiter, connectionChanged())
    this.#keyLimits = unset
    this.#capacity = this.#newCapacity()
    this.#shortageAt = Number.NEGATIVE_INFINITY
    this.#probedAt = Number.NEGATIVE_INFINITY
    this.#admitWaiting(this.#clock.now())
    this.changes.notify()
  }

  waiting(): WaitingRequest[] {
    const now = this.#clock.now()
    const offset = this.#clock.date() - now
    return Array.from(this.#queue.all(), ({ request, since }) => ({
      traceId: request.trace.id,
      requester: request.requester,
      since: Math.round(offset + since),
      why: this.#why(request, now),
      slot: request.slot,
    }))
  }

  /** The requests that hold a slot of the current connection, oldest first. */
  holders(): SlotHolder[] {
    const offset = this.#clock.date() - this.#clock.now()
    return Array.from(this.#holders)
      .filter(({ capacity }) => capacity === this.#capacity)
      .map(({ traceId, since }) => ({ traceId, since: Math.round(offset + since) }))
  }

  /** The limits of the key's record. Null if unset or unknown. */
  get keyLimits(): KeyLimits {
    return this.#keyLimits
  }

  counts(): SchedulerCounts {
    const now = this.#clock.now()
    const { running, slotsUsed, heldUntil } = this.#capacity
    // Limited to a year, because a longer hold may exceed the range of Date.
    const heldMs = Math.min(heldUntil - now, 365 * 24 * 60 * minuteMs)
    return {
      running,
      waiting: this.#queue.size,
      heldUntil: heldMs > 0 ? new Date(this.#clock.date() + heldMs).toISOString() : null,
      slots: { used: slotsUsed, of: this.#capacity.slots(now) },
    }
  }

  /** Cancels a waiting request. False if the request does not wait. */
  cancel(traceId: number): boolean {
    for (const waiter of this.#queue.all()) {
      if (waiter.request.trace.id !== traceId) continue
      this.#reject(waiter, cancelled())
      this.#admitWaiting(this.#clock.now())
      this.changes.notify()
      return true
    }
    return false
  }

  close(): void {
    this.#closed = true
    for (const waiter of [...this.#queue.all()]) this.#reject(waiter, cancelled())
    this.#stopTimer?.()
    this.#stopTimer = null
  }

  /** Called by permits only. */
  returned(permit: SchedulerPermit, capacity: Capacity, slot: boolean, estimate: number, used: number | null): void {
    const now = this.#clock.now()
    if (slot) this.#holders.delete(permit)
    capacity.give(slot, estimate, used, now)
    if (this.#queue.size > 0) this.#admitWaiting(now)
  }

  #newCapacity(): Capacity {
    return new Capacity(() => this.#queue.size > 0)
  }

  #admit(request: AdmissionRequest, now: number): Permit {
    const capacity = this.#capacity
    const permit = new SchedulerPermit(this, capacity, request, now)
    if (request.slot) this.#holders.add(permit)
    if (capacity.short) this.#notifyShortage(now)
    return permit
  }

  #enterInTurn(request: AdmissionRequest, now: number): Permit | Promise<Permit> {
    const capacity = this.#capacity
    const modelHeldMs = capacity.modelHeldUntil(request.model) - now
    if (modelHeldMs > 0) throw heldTooLong(modelHeldMs, request.model)
    const heldMs = capacity.heldUntil - now
    if (heldMs > this.#options.maxWaitMs) {
      if (this.#isProbe(request, now)) return this.#admit(request, now)
      throw heldTooLong(heldMs, null)
    }
    const waiter = new Waiter(request, ++this.#arrivals, now)
    this.#queue.add(waiter)
    const admitted = this.#admitInTurn(now)
    if (waiter.permit !== null) {
      if (admitted > 1) this.changes.notify()
      return waiter.permit
    }
    const refusal = this.#refusal(waiter, now)
    if (refusal === null) return this.#wait(waiter, now)
    this.#queue.remove(waiter)
    if (admitted > 0) this.changes.notify()
    throw refusal
  }

  /** Whether a request is a status call that may pass a long hold, because only status calls report the end of a ban. */
  #isProbe({ requester, slot }: AdmissionRequest, now: number): boolean {
    if (requester.kind !== 'studio' || requester.feature !== 'account' || slot || now - this.#probedAt < probeEveryMs)
      return false
    this.#probedAt = now
    return true
  }

  #refusal({ request }: Waiter, now: number): StudioError | null {
    const { requester } = request
    const { maxWaiting, maxWaitingPerApp } = this.#options
    if (requester.kind === 'studio') {
      return this.#queue.size > maxWaiting ? queueFull(maxWaiting, false, this.#retryAfter(request, now)) : null
    }
    if (requester.failFast) return wouldWait(this.#why(request, now), this.#retryAfter(request, now))
    if (this.#queue.waitingOf(requester.id) > maxWaitingPerApp) {
      return queueFull(maxWaitingPerApp, true, this.#retryAfter(request, now))
    }
    const forApps = maxWaiting - Math.floor(maxWaiting / 8)
    return this.#queue.size > forApps ? queueFull(this.#queue.size - 1, false, this.#retryAfter(request, now)) : null
  }

  #wait(waiter: Waiter, now: number): Promise<Permit> {
    const { signal, trace } = waiter.request
    const { promise, resolve, reject } = Promise.withResolvers<Permit>()
    const onAbort = (): void => {
      this.#reject(waiter, cancelled())
      this.#admitWaiting(this.#clock.now())
      this.changes.notify()
    }
    waiter.settle = {
      resolve(permit) {
        signal?.removeEventListener('abort', onAbort)
        resolve(permit)
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

  /** Admits the requests that may be sent, and sets the timer for the others. */
  #admitWaiting(now: number): void {
    const count = this.#admitInTurn(now)
    this.#plan(now)
    if (count > 0) this.changes.notify()
  }

  /** Admits the requests that may be sent now, in turn. Returns how many. */
  #admitInTurn(now: number): number {
    const capacity = this.#capacity
    const queue = this.#queue
    let count = 0
    while (queue.size > 0 && capacity.commonObstacle(now) === null && !(queue.slotless === 0 && capacity.full(now))) {
      const waiter = queue.next(now, (request) => capacity.obstacle(request, now))
      if (waiter === null) break
      queue.serve(waiter)
      waiter.permit = this.#admit(waiter.request, now)
      count += 1
      if (waiter.settle === null) continue
      waiter.request.trace.admitted()
      waiter.settle.resolve(waiter.permit)
    }
    return count
  }

  #reject(waiter: Waiter, error: StudioError): void {
    this.#queue.remove(waiter)
    waiter.settle?.reject(error)
  }

  /** Refuses the waiting requests whose model is on hold, and those that would reach `maxWaitMs` during the hold. */
  #refuseHeldTooLong(now: number): void {
    const { heldUntil } = this.#capacity
    for (const waiter of [...this.#queue.all()]) {
      const { model } = waiter.request
      const modelHeldMs = this.#capacity.modelHeldUntil(model) - now
      if (modelHeldMs > 0) this.#reject(waiter, heldTooLong(modelHeldMs, model))
      else if (heldUntil > waiter.since + this.#options.maxWaitMs)
        this.#reject(waiter, heldTooLong(heldUntil - now, null))
    }
  }

  /** Sets one timer for the next time at which the state can change by itself. */
  #plan(now: number): void {
    const at = this.#nextMoment(now)
    // An early timer is harmless, and setting it again for each request would cost time.
    if (at >= this.#timerAt || at === Number.POSITIVE_INFINITY) return
    this.#stopTimer?.()
    this.#timerAt = at
    this.#stopTimer = this.#clock.after(Math.min(longestTimerMs, Math.max(1, Math.ceil(at - now))), this.#timerFired)
  }

  readonly #timerFired = (): void => {
    this.#stopTimer = null
    this.#timerAt = Number.POSITIVE_INFINITY
    if (this.#closed) return
    const now = this.#clock.now()
    const timedOut = this.#timeOut(now)
    const isHoldOver = this.#isHoldReported && this.#capacity.heldUntil <= now
    this.#admitWaiting(now)
    if (timedOut || isHoldOver) this.changes.notify()
  }

  #timeOut(now: number): boolean {
    let any = false
    for (let oldest = this.#queue.oldest(); oldest !== undefined; oldest = this.#queue.oldest()) {
      const waited = now - oldest.since
      if (waited < this.#options.maxWaitMs) break
      any = true
      this.#reject(oldest, queueTimeout(this.#why(oldest.request, now), waited, this.#clearsIn(oldest.request, now)))
    }
    return any
  }

  #nextMoment(now: number): number {
    const capacity = this.#capacity
    const { heldUntil } = capacity
    this.#isHoldReported = heldUntil > now
    const oldest = this.#queue.oldest()
    if (oldest === undefined) return this.#isHoldReported ? heldUntil : Number.POSITIVE_INFINITY
    const timesOut = oldest.since + this.#options.maxWaitMs
    const common = capacity.commonObstacle(now)
    if (common !== null) return Math.min(timesOut, capacity.clearsAt(common, 0, now))
    if (this.#queue.slotless === 0 && capacity.full(now)) return Math.min(timesOut, capacity.clearsAt('slot', 0, now))
    let fewestTokens = Number.POSITIVE_INFINITY
    let at = timesOut
    for (const { request } of this.#queue.heads()) {
      const obstacle = capacity.obstacle(request, now)
      if (obstacle === 'tokens') fewestTokens = Math.min(fewestTokens, request.tokens)
      else if (obstacle === 'slot') at = Math.min(at, capacity.clearsAt('slot', 0, now))
    }
    return fewestTokens === Number.POSITIVE_INFINITY ? at : Math.min(at, capacity.clearsAt('tokens', fewestTokens, now))
  }

  #why(request: AdmissionRequest, now: number): Obstacle | 'turn' {
    return this.#capacity.obstacle(request, now) ?? 'turn'
  }

  /** Time until the obstacle may be gone, ms. Infinity if unknown. */
  #clearsIn(request: AdmissionRequest, now: number): number {
    const obstacle = this.#capacity.obstacle(request, now)
    return obstacle === null ? Number.POSITIVE_INFINITY : this.#capacity.clearsAt(obstacle, request.tokens, now) - now
  }

  /** When an app should try again, ms. */
  #retryAfter(request: AdmissionRequest, now: number): number {
    const ms = this.#clearsIn(request, now)
    return Number.isFinite(ms) ? ms : tryAgainMs
  }

  #notifyShortage(now: number): void {
    if (now - this.#shortageAt < minuteMs) return
    this.#shortageAt = now
    this.shortages.notify()
  }
}
