import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { LimitsFeature } from '../../../../src-main/core/features/limits/limits.ts'
import { RateLimitPoller } from '../../../../src-main/core/features/limits/rateLimitStatus.ts'
import { RequestScheduler } from '../../../../src-main/core/gateway/scheduler/requestScheduler.ts'
import { Listeners } from '../../../../src-main/core/shared/events.ts'
import type { RateLimitStatus } from '../../../../src-main/core/upstream/reply/schemas.ts'
import type { LimitStatus, Limits } from '../../../../src-preload/contract/account.ts'
import type { ProblemKind } from '../../../../src-preload/contract/problem.ts'

const facts = {
  status: 200,
  requestId: null,
  contentType: null,
  rateLimit: { limit: null, remaining: null, retryAfterMs: null },
}

/** The feature with a service whose status call runs `answer`, and no waiting requests. */
function featureAt(answer: () => RateLimitStatus | StudioError, kept: LimitStatus | null = null) {
  const gauge = new RateLimitPoller()
  const getRateLimit = vi.fn(() => {
    const value = answer()
    return value instanceof StudioError ? Promise.reject(value) : Promise.resolve({ facts, value })
  })
  const store = {
    kept,
    account: () => null,
    read: () => store.kept,
    save(status: LimitStatus) {
      store.kept = status
    },
  }
  const scheduler = new RequestScheduler()
  const requestLog = { changes: new Listeners(), row: () => null, limited: () => [] }
  const limits = new LimitsFeature({ scheduler, gauge, requestLog, stored: store })
  const connect = (): void => {
    gauge.follow({ onRateLimit: () => () => undefined, getRateLimit })
    limits.follow(true)
  }
  return { limits, gauge, getRateLimit, store, scheduler, connect }
}

/** A watcher; `now` is the last emitted value. */
function look(limits: LimitsFeature) {
  const feed = limits.watch()
  const seen: { now: Limits | null; leave(): Promise<unknown> } = { now: null, leave: async () => feed.return?.() }
  void (async () => {
    for await (const state of feed) seen.now = state
  })()
  return seen
}

const whole: RateLimitStatus = {
  limit_rpm: 60,
  used_rpm: 12,
  remaining_rpm: 48,
  limit_rph: 100,
  used_rph: 1,
  remaining_rph: 99,
  limit_rpd: 1000,
  used_rpd: 2,
  remaining_rpd: 998,
  limit_tph: 50_000,
  used_tph: 3,
  remaining_tph: 49_997,
  limit_tpd: 500_000,
  used_tpd: 4,
  remaining_tpd: 499_996,
  reset_seconds: 18,
  banned: false,
  banned_until: null,
}
const no = (kind: ProblemKind, status?: number): StudioError =>
  new StudioError(kind, 'No.', status === undefined ? {} : { status })

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the status call', () => {
  it('is made only while someone watches, at most every 15 seconds [LIM-03]', async () => {
    const { limits, getRateLimit, connect } = featureAt(() => whole)
    connect()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(getRateLimit).not.toHaveBeenCalled()
    const [one, other] = [look(limits), look(limits)]
    await vi.advanceTimersByTimeAsync(0)
    expect(getRateLimit).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(14_999)
    expect(getRateLimit).toHaveBeenCalledTimes(1)
    expect(one.now?.nextAsk).toBe('2026-11-21T12:10:15.000Z')
    await vi.advanceTimersByTimeAsync(60_001)
    expect(getRateLimit).toHaveBeenCalledTimes(6)
    await one.leave()
    await vi.advanceTimersByTimeAsync(15_000)
    expect(getRateLimit).toHaveBeenCalledTimes(7)
    await other.leave()
    // A watcher that returns at once does not cause an earlier call.
    await look(limits).leave()
    const again = look(limits)
    await vi.advanceTimersByTimeAsync(14_000)
    expect(getRateLimit).toHaveBeenCalledTimes(7)
    await again.leave()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(getRateLimit).toHaveBeenCalledTimes(7)
    expect(limits.read().nextAsk).toBeNull()
  })

  it('is made within 15 seconds after the clock was set back', async () => {
    const { limits, getRateLimit, connect } = featureAt(() => whole)
    connect()
    const first = look(limits)
    await vi.advanceTimersByTimeAsync(0)
    await first.leave()
    vi.setSystemTime(Date.now() - 86_400_000)
    const second = look(limits)
    await vi.advanceTimersByTimeAsync(15_000)
    expect(getRateLimit).toHaveBeenCalledTimes(2)
    await second.leave()
  })

  it('counts for both if the status bar or the scheduler made it, and is made once for both', async () => {
    const { limits, gauge, getRateLimit, connect } = featureAt(() => whole)
    connect()
    const seen = look(limits)
    void gauge.ask()
    await vi.advanceTimersByTimeAsync(0)
    expect(getRateLimit).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(10_000)
    await gauge.ask()
    await vi.advanceTimersByTimeAsync(14_000)
    expect(getRateLimit).toHaveBeenCalledTimes(2)
    expect(seen.now?.status?.asOf).toBe('2026-11-21T12:00:10.000Z')
    await seen.leave()
  })

  it('reports five separate buckets, the reset time of the minute only, a ban and its end [LIM-01] [LIM-02] [LIM-06]', async () => {
    let status: RateLimitStatus = whole
    const { limits, connect } = featureAt(() => status)
    connect()
    const seen = look(limits)
    await vi.advanceTimersByTimeAsync(1000)
    expect(seen.now).toMatchObject({ offers: true, problem: null })
    expect(seen.now?.status).toEqual({
      asOf: '2026-11-21T12:00:00.000Z',
      minute: { limit: 60, used: 12, remaining: 48 },
      freeRequestsHour: { limit: 100, used: 1, remaining: 99 },
      freeRequestsDay: { limit: 1000, used: 2, remaining: 998 },
      freeTokensHour: { limit: 50_000, used: 3, remaining: 49_997 },
      freeTokensDay: { limit: 500_000, used: 4, remaining: 499_996 },
      resetSeconds: 18,
      banned: false,
      bannedUntil: null,
    })
    status = { used_rpm: 3, banned: true, banned_until: 'tomorrow, after lunch' }
    await vi.advanceTimersByTimeAsync(15_000)
    expect(seen.now?.status).toMatchObject({
      minute: { limit: null, used: 3, remaining: null },
      freeTokensDay: { limit: null, used: null, remaining: null },
      resetSeconds: null,
      banned: true,
      bannedUntil: 'tomorrow, after lunch',
    })
    await seen.leave()
  })

  it.each([
    ['404', no('not_found', 404)],
    ['501', no('not_implemented', 501)],
    ['405', no('unexpected_status', 405)],
    ['what is no status', no('malformed_reply', 200)],
  ])('that answers %s means “not offered”: no error, and tried again a day later', async (_, failure) => {
    const { limits, getRateLimit, connect } = featureAt(() => failure)
    connect()
    const seen = look(limits)
    await vi.advanceTimersByTimeAsync(1000)
    expect(seen.now).toMatchObject({ offers: false, problem: null, status: null, nextAsk: '2026-11-22T12:00:00.000Z' })
    await vi.advanceTimersByTimeAsync(86_300_000)
    expect(getRateLimit).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(100_000)
    expect(getRateLimit).toHaveBeenCalledTimes(2)
    // Another service is queried at once.
    connect()
    await vi.advanceTimersByTimeAsync(1000)
    expect(getRateLimit).toHaveBeenCalledTimes(3)
    await seen.leave()
  })

  it('that fails keeps the known values with their time, and reports the reason', async () => {
    let fails = false
    const { limits, getRateLimit, connect } = featureAt(() => (fails ? no('connect_failed') : whole))
    connect()
    const seen = look(limits)
    await vi.advanceTimersByTimeAsync(1000)
    fails = true
    await vi.advanceTimersByTimeAsync(15_000)
    expect(seen.now).toMatchObject({ offers: true, problem: { kind: 'connect_failed', message: 'No.' } })
    expect(seen.now?.status).toMatchObject({ asOf: '2026-11-21T12:00:00.000Z', resetSeconds: 18 })
    fails = false
    await vi.advanceTimersByTimeAsync(15_000)
    expect(seen.now).toMatchObject({ problem: null, status: { asOf: '2026-11-21T12:00:30.000Z' } })
    expect(getRateLimit).toHaveBeenCalledTimes(3)
    await seen.leave()
  })

  it('is stored for when there is no connection, and not shown for another account', async () => {
    const { limits, gauge, store, connect } = featureAt(() => whole)
    connect()
    const seen = look(limits)
    await vi.advanceTimersByTimeAsync(1000)
    // The account is still unknown.
    expect(store.kept).toBeNull()
    limits.known()
    expect(store.kept).toEqual(seen.now?.status)
    await vi.advanceTimersByTimeAsync(15_000)
    expect(store.kept?.asOf).toBe('2026-11-21T12:00:15.000Z')
    gauge.follow(null)
    limits.follow(false)
    await vi.advanceTimersByTimeAsync(1000)
    expect(seen.now).toMatchObject({ status: { asOf: '2026-11-21T12:00:15.000Z' }, offers: null, nextAsk: null })
    store.kept = null
    limits.known()
    await vi.advanceTimersByTimeAsync(1000)
    expect(seen.now?.status).toBeNull()
    await seen.leave()
  })

  it('of a previous connection does not affect the current one', async () => {
    let answer: (status: RateLimitStatus) => void = () => undefined
    const slow = new Promise<RateLimitStatus>((resolve) => {
      answer = resolve
    })
    const { limits, gauge } = featureAt(() => whole)
    gauge.follow({ onRateLimit: () => () => undefined, getRateLimit: async () => ({ facts, value: await slow }) })
    limits.follow(true)
    const seen = look(limits)
    await vi.advanceTimersByTimeAsync(1000)
    gauge.follow(null)
    limits.follow(false)
    answer(whole)
    await vi.advanceTimersByTimeAsync(1000)
    expect(seen.now).toMatchObject({ status: null, offers: null })
    await seen.leave()
  })
})
