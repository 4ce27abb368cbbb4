import { afterEach, describe, expect, it, vi } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { RateLimitPoller } from '../../../../src-main/core/features/limits/rateLimitStatus.ts'
import { SchedulerWatcher } from '../../../../src-main/core/gateway/scheduler/schedulerWatcher.ts'
import type { KeyRecord, RateLimitStatus } from '../../../../src-main/core/upstream/reply/schemas.ts'
import type { UpstreamReply } from '../../../../src-main/core/upstream/types.ts'
import { headers, later, now, schedulerAt, wish } from './helpers.ts'

const facts = { status: 200, requestId: null, contentType: null, rateLimit: headers() }
const reply = <T>(value: T): Promise<UpstreamReply<T>> => Promise.resolve({ facts, value })

function followed(status: RateLimitStatus = {}) {
  const { scheduler, clock } = schedulerAt()
  const gauge = new RateLimitPoller()
  const getRateLimit = vi.fn(() => reply(status))
  gauge.follow({ onRateLimit: () => () => undefined, getRateLimit })
  return { scheduler, clock, gauge, getRateLimit, follower: new SchedulerWatcher(scheduler, gauge) }
}

const connection = (key: KeyRecord) => ({ getCurrentKey: () => reply(key) })

afterEach(() => {
  vi.useRealTimers()
})

describe('the limits of the key', () => {
  it('[LIM-05] are set from the key’s record', async () => {
    const { scheduler, follower } = followed()
    await follower.connect(connection({ max_concurrent: 2, rate_limit_rpm: 3, rate_limit_tpm: null }))
    expect(scheduler.counts().slots.of).toBe(2)
    for (let number = 0; number < 3; number++) now(scheduler.enter(wish())).leave(0)
    void later(scheduler.enter(wish()))
    expect(scheduler.waiting()[0]?.why).toBe('rate')
  })

  it('remain unset for a service without such a record', async () => {
    const { scheduler, follower } = followed()
    await follower.connect({ getCurrentKey: () => Promise.reject(new StudioError('not_found', 'No.')) })
    expect(scheduler.counts().slots.of).toBeNull()
  })

  it('ignore the reply of a former connection', async () => {
    const { scheduler, follower } = followed()
    const { promise, resolve } = Promise.withResolvers<UpstreamReply<KeyRecord>>()
    const first = follower.connect({ getCurrentKey: () => promise })
    await follower.connect(connection({ max_concurrent: 7 }))
    resolve({ facts, value: { max_concurrent: 1 } })
    await first
    expect(scheduler.counts().slots.of).toBe(7)
    await follower.connect(null)
    expect(scheduler.counts().slots.of).toBeNull()
  })
})

describe('status calls', () => {
  it('[LIM-03] are made when the scheduler needs one, at most once a minute, and admit requests again', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setImmediate'] })
    const { scheduler, clock, getRateLimit } = followed({ limit_rpm: 600, remaining_rpm: 600, reset_seconds: 60 })
    scheduler.saw(200, headers({ limit: 600, remaining: 1 }))
    now(scheduler.enter(wish()))
    const waits = wish()
    void later(scheduler.enter(waits))
    expect(getRateLimit).not.toHaveBeenCalled()
    await vi.runAllTimersAsync()
    expect(getRateLimit).toHaveBeenCalledTimes(1)
    expect(waits.trace.states).toEqual(['queued', 'admitted'])
    clock.pass(61_000)
    scheduler.saw(200, headers({ limit: 600, remaining: 1 }))
    now(scheduler.enter(wish()))
    await vi.runAllTimersAsync()
    // The poller's minute has not ended.
    expect(getRateLimit).toHaveBeenCalledTimes(1)
    vi.setSystemTime(Date.now() + 61_000)
    clock.pass(61_000)
    scheduler.saw(200, headers({ limit: 600, remaining: 1 }))
    now(scheduler.enter(wish()))
    await vi.runAllTimersAsync()
    expect(getRateLimit).toHaveBeenCalledTimes(2)
  })

  it('[LIM-02] that report a ban make all requests wait', async () => {
    const { scheduler, clock, gauge } = followed({ banned: true, banned_until: '2026-01-01T00:00:31.000Z' })
    await gauge.ask()
    const waits = wish()
    void later(scheduler.enter(waits))
    expect(scheduler.counts().heldUntil).toBe('2026-01-01T00:00:31.000Z')
    clock.pass(30_001)
    expect(waits.trace.states).toEqual(['queued', 'admitted'])
  })

  it('do not pass header figures to the scheduler twice', async () => {
    const { scheduler, clock } = schedulerAt()
    const gauge = new RateLimitPoller()
    let notify = (_headers: ReturnType<typeof headers>): void => undefined
    const upstream = {
      onRateLimit: (listener: typeof notify) => {
        notify = listener
        return () => undefined
      },
      getRateLimit: () => reply({}),
    }
    gauge.follow(upstream)
    const follower = new SchedulerWatcher(scheduler, gauge)
    const toScheduler = vi.spyOn(scheduler, 'bucket')
    notify(headers({ limit: 10, remaining: 5 }))
    expect(toScheduler).not.toHaveBeenCalled()
    follower.close()
    await gauge.ask()
    expect(toScheduler).not.toHaveBeenCalled()
    clock.pass(1)
  })
})
