import { expect } from 'vitest'
import {
  RequestScheduler,
  type SchedulerOptions,
} from '../../../../src-main/core/gateway/scheduler/requestScheduler.ts'
import type {
  AdmissionRequest,
  Permit,
  RateLimitHeaders,
  Requester,
  RequestTrace,
} from '../../../../src-main/core/ports/requests.ts'

/** A clock that a test advances. Timers fire in order. */
export class FakeClock {
  #now = 1_000
  #timers = new Set<{ at: number; run: () => void }>()
  get timers(): number {
    return this.#timers.size
  }
  /** The largest number of simultaneous timers. */
  mostTimers = 0

  now = (): number => this.#now
  date = (): number => Date.UTC(2026, 0, 1) + this.#now

  after = (ms: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + ms, run }
    this.#timers.add(timer)
    this.mostTimers = Math.max(this.mostTimers, this.#timers.size)
    return () => void this.#timers.delete(timer)
  }

  pass(ms: number): void {
    const end = this.#now + ms
    for (let next = this.#nextBy(end); next; next = this.#nextBy(end)) {
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.run()
    }
    this.#now = end
  }

  #nextBy(end: number) {
    let first: { at: number; run: () => void } | undefined
    for (const timer of this.#timers) if (timer.at <= end && (!first || timer.at < first.at)) first = timer
    return first
  }
}

/** A scheduler with a fake clock, and a list of the admitted requests. */
export function schedulerAt(options: Partial<SchedulerOptions> = {}) {
  const clock = new FakeClock()
  const scheduler = new RequestScheduler({ clock, ...options })
  return { clock, scheduler }
}

let ids = 0
const nothing = (): void => undefined

export class FakeTrace implements RequestTrace {
  readonly id = ++ids
  readonly written = null
  readonly logBodies = false
  onStop = null
  readonly states: ('queued' | 'admitted')[] = []
  onAdmitted: (() => void) | null = null

  queued(): void {
    this.states.push('queued')
  }
  admitted(): void {
    this.states.push('admitted')
    this.onAdmitted?.()
  }
  asks = nothing
  ignores = nothing
  backsOff = nothing
  connected = nothing
  sentBytes = nothing
  replied = nothing
  receivedBytes = nothing
  reads = nothing
  headers = nothing
  bodies = nothing
  prompt = nothing
  ends = nothing
}

/** A key without limits. */
export const unset = { concurrent: null, rpm: null, tpm: null }
export const noBan = { banned: false, bannedUntil: null }

export const studio: Requester = { kind: 'studio', feature: 'chat' }
export const app = (id: string, failFast = false): Requester => ({ kind: 'app', id, failFast })

export interface FakeWish extends AdmissionRequest {
  trace: FakeTrace
}

export function wish(
  requester: Requester = studio,
  rest: Partial<Omit<AdmissionRequest, 'requester' | 'trace'>> = {},
): FakeWish {
  return { requester, slot: true, tokens: 0, model: null, signal: undefined, ...rest, trace: new FakeTrace() }
}

export const headers = (rest: Partial<RateLimitHeaders> = {}): RateLimitHeaders => ({
  limit: null,
  remaining: null,
  retryAfterMs: null,
  ...rest,
})

/** The permit of a request that is admitted at once. */
export function now(entered: Permit | Promise<Permit>): Permit {
  if (entered instanceof Promise) throw new Error('It waits.')
  return entered
}

/** The promise of a request that waits. */
export function later(entered: Permit | Promise<Permit>): Promise<Permit> {
  if (!(entered instanceof Promise)) throw new Error('It was let in at once.')
  return entered
}

/** The state of a promise, after all microtasks have run. */
export async function outcome<T>(promise: Promise<T>): Promise<T | 'waits' | { failed: unknown }> {
  let result: T | 'waits' | { failed: unknown } = 'waits'
  promise.then(
    (value) => {
      result = value
    },
    (failed: unknown) => {
      result = { failed }
    },
  )
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  return result
}

/** Checks that a request still waits after `afterMs`, and is admitted within another `withinMs`. */
export function expectAdmission(
  clock: FakeClock,
  { trace }: FakeWish,
  times: { afterMs: number; withinMs: number },
): void {
  clock.pass(times.afterMs)
  expect(trace.states).toEqual(['queued'])
  clock.pass(times.withinMs)
  expect(trace.states).toEqual(['queued', 'admitted'])
}
