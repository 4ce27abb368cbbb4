import { describe, expect, it, vi } from 'vitest'
import type { Permit, Requester } from '../../../../src-main/core/ports/requests.ts'
import {
  app,
  expectAdmission,
  type FakeWish,
  headers,
  later,
  noBan,
  now,
  schedulerAt,
  studio,
  unset,
  wish,
} from './helpers.ts'

// The limits that the scheduler reads from the key, from headers and from replies: per minute, Retry-After, and bans.

describe('requests a minute', () => {
  it('[LIM-05] no more are sent within a minute than the key allows, and the next follows when the first is a minute old', () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.limits({ ...unset, rpm: 3 })
    now(scheduler.enter(wish())).leave(0)
    clock.pass(20_000)
    now(scheduler.enter(wish())).leave(0)
    now(scheduler.enter(wish())).leave(0)
    const next = [wish(), wish()]
    for (const one of next) void later(scheduler.enter(one))
    expect(scheduler.waiting().map(({ why }) => why)).toEqual(['rate', 'rate'])
    clock.pass(39_900)
    expect(next[0]?.trace.states).toEqual(['queued'])
    clock.pass(300)
    expect(next.map(({ trace }) => trace.states.length)).toEqual([2, 1])
    clock.pass(20_000)
    expect(next.map(({ trace }) => trace.states.length)).toEqual([2, 2])
  })

  it('limits that become known late include earlier requests', () => {
    const { scheduler } = schedulerAt()
    for (let number = 0; number < 5; number++) now(scheduler.enter(wish())).leave(0)
    scheduler.limits({ ...unset, rpm: 5 })
    void later(scheduler.enter(wish()))
  })
})

describe('tokens a minute', () => {
  it('[LIM-05] the estimate counts while a request runs, and the actual number afterwards', () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.limits({ ...unset, tpm: 1_000 })
    const first = now(scheduler.enter(wish(studio, { tokens: 700 })))
    const second = wish(studio, { tokens: 700 })
    void later(scheduler.enter(second))
    expect(scheduler.waiting()[0]?.why).toBe('tokens')
    clock.pass(70_000)
    expect(second.trace.states).toEqual(['queued'])
    first.leave(300)
    expect(second.trace.states).toEqual(['queued', 'admitted'])
    const third = wish(studio, { tokens: 100 })
    void later(scheduler.enter(third))
    expectAdmission(clock, third, { afterMs: 59_000, withinMs: 1_200 })
  })

  it('a request that fits exactly is sent, and one more token waits', () => {
    const { scheduler } = schedulerAt()
    scheduler.limits({ ...unset, tpm: 1_000 })
    now(scheduler.enter(wish(studio, { tokens: 400 })))
    now(scheduler.enter(wish(studio, { tokens: 600 }))).leave(599)
    void later(scheduler.enter(wish(studio, { tokens: 2 })))
    expect(scheduler.counts().waiting).toBe(1)
  })

  it('a request larger than the limit is sent when no other tokens count', () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.limits({ ...unset, tpm: 1_000 })
    now(scheduler.enter(wish(studio, { tokens: 5_000 }))).leave(null)
    const next = wish(studio, { tokens: 5_000 })
    void later(scheduler.enter(next))
    clock.pass(60_200)
    expect(next.trace.states).toEqual(['queued', 'admitted'])
  })

  it('small requests overtake a large one for ten seconds, then wait behind it', () => {
    const { clock, scheduler } = schedulerAt({ maxWaitMs: 600_000 })
    scheduler.limits({ ...unset, tpm: 1_000 })
    now(scheduler.enter(wish(app('x'), { tokens: 500 }))).leave(500)
    const large = wish(app('large'), { tokens: 900 })
    void later(scheduler.enter(large))
    now(scheduler.enter(wish(app('small'), { tokens: 100 }))).leave(100)
    clock.pass(10_000)
    const small = wish(app('small'), { tokens: 100 })
    void later(scheduler.enter(small))
    expect(scheduler.waiting().map(({ why }) => why)).toEqual(['tokens', 'turn'])
    now(scheduler.enter(wish(app('small'), { slot: false })))
    clock.pass(60_200)
    expect(large.trace.states).toEqual(['queued', 'admitted'])
    expect(small.trace.states).toEqual(['queued', 'admitted'])
  })

  it('requests behind a large one are sent when it gives up', async () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.limits({ ...unset, tpm: 1_000 })
    now(scheduler.enter(wish(app('x'), { tokens: 500 }))).leave(500)
    const control = new AbortController()
    const large = later(scheduler.enter(wish(app('large'), { tokens: 900, signal: control.signal })))
    clock.pass(10_000)
    const small = wish(app('small'), { tokens: 100 })
    void later(scheduler.enter(small))
    control.abort()
    expect(small.trace.states).toEqual(['queued', 'admitted'])
    await expect(large).rejects.toMatchObject({ kind: 'cancelled' })
  })
})

describe('the general bucket', () => {
  it('[LIM-04] absent and implausible figures limit nothing', () => {
    const { scheduler } = schedulerAt()
    for (const odd of [null, Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, 1e300]) {
      scheduler.saw(200, headers({ limit: odd, remaining: odd }))
      scheduler.bucket({ limit: odd, remaining: odd, resetSeconds: odd, ...noBan })
    }
    for (let number = 0; number < 50; number++) now(scheduler.enter(wish())).leave(0)
  })

  it('no more requests are sent than the headers leave', () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.saw(200, headers({ limit: 10, remaining: 2 }))
    now(scheduler.enter(wish()))
    now(scheduler.enter(wish()))
    const third = wish()
    void later(scheduler.enter(third))
    expect(scheduler.waiting()[0]?.why).toBe('rate')
    expectAdmission(clock, third, { afterMs: 59_000, withinMs: 1_000 })
  })

  it('requests sent after the replied one are subtracted from its figure', () => {
    const { scheduler } = schedulerAt()
    const first = now(scheduler.enter(wish()))
    const second = now(scheduler.enter(wish()))
    scheduler.saw(200, headers({ limit: 10, remaining: 2 }), first)
    now(scheduler.enter(wish()))
    void later(scheduler.enter(wish()))
    expect(scheduler.counts().waiting).toBe(1)
    scheduler.saw(200, headers({ limit: 10, remaining: 2 }), second)
    expect(scheduler.counts().waiting).toBe(0)
  })

  it('requests sent before it are included in its figure', () => {
    const { scheduler } = schedulerAt()
    for (let number = 0; number < 20; number++) now(scheduler.enter(wish()))
    scheduler.saw(200, headers({ limit: 40, remaining: 20 }), now(scheduler.enter(wish())))
    for (let number = 0; number < 20; number++) now(scheduler.enter(wish()))
    void later(scheduler.enter(wish()))
  })

  it('the old figure of a slow reply does not raise the estimate', () => {
    const { scheduler } = schedulerAt()
    const slow = now(scheduler.enter(wish()))
    scheduler.saw(200, headers({ limit: 10, remaining: 1 }), now(scheduler.enter(wish())))
    scheduler.saw(200, headers({ limit: 10, remaining: 9 }), slow)
    scheduler.saw(200, headers({ limit: 10, remaining: 9 }))
    now(scheduler.enter(wish()))
    const waits = wish()
    void later(scheduler.enter(waits))
    scheduler.saw(200, headers({ limit: 10, remaining: 9 }), slow)
    expect(waits.trace.states).toEqual(['queued'])
  })

  it('the higher figure of a later request starts a new minute', () => {
    const { scheduler } = schedulerAt()
    scheduler.saw(200, headers({ limit: 10, remaining: 1 }))
    const last = now(scheduler.enter(wish()))
    const waits = wish()
    void later(scheduler.enter(waits))
    scheduler.saw(200, headers({ limit: 10, remaining: 9 }), last)
    expect(waits.trace.states).toEqual(['queued', 'admitted'])
  })

  it('a reply of the former connection is ignored', () => {
    const { scheduler } = schedulerAt()
    const old = now(scheduler.enter(wish()))
    scheduler.reset()
    scheduler.saw(429, headers({ limit: 10, remaining: 0, retryAfterMs: 30_000 }), old)
    now(scheduler.enter(wish()))
    expect(scheduler.counts().heldUntil).toBeNull()
  })

  it.each([
    ['sets the reset time', 12, 11_990],
    ['with a reset in 0 s counts as one second', 0, 990],
  ])('a status call %s', (_, resetSeconds, heldMs) => {
    const { clock, scheduler } = schedulerAt()
    scheduler.bucket({ limit: 10, remaining: 0, resetSeconds, ...noBan })
    const waits = wish()
    void later(scheduler.enter(waits))
    expectAdmission(clock, waits, { afterMs: heldMs, withinMs: 20 })
  })

  it('an implausible reset time limits for at most a minute', () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.bucket({ limit: 10, remaining: 0, resetSeconds: 1e9, ...noBan })
    const waits = wish()
    void later(scheduler.enter(waits))
    clock.pass(60_001)
    expect(waits.trace.states).toEqual(['queued', 'admitted'])
  })

  it('after its minute the bucket is as large as its limit', () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.saw(200, headers({ limit: 6, remaining: 0 }))
    clock.pass(60_000)
    for (let number = 0; number < 6; number++) now(scheduler.enter(wish()))
    void later(scheduler.enter(wish()))
  })

  it('without a limit in the headers, the highest figure replaces it after a reset', () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.saw(200, headers({ remaining: 4 }))
    scheduler.saw(200, headers({ remaining: 0 }))
    clock.pass(60_000)
    for (let number = 0; number < 4; number++) now(scheduler.enter(wish()))
    void later(scheduler.enter(wish()))
  })

  it('[LIM-03] a status call is requested when little is left, at most once a minute', () => {
    const { clock, scheduler } = schedulerAt()
    const asked = vi.fn()
    scheduler.shortages.add(asked)
    scheduler.saw(200, headers({ limit: 600, remaining: 600 }))
    now(scheduler.enter(wish())).leave(0)
    expect(asked).toHaveBeenCalledTimes(0)
    scheduler.saw(200, headers({ limit: 600, remaining: 20 }))
    for (let number = 0; number < 15; number++) now(scheduler.enter(wish())).leave(0)
    expect(asked).toHaveBeenCalledTimes(1)
    clock.pass(61_000)
    scheduler.saw(200, headers({ limit: 600, remaining: 20 }))
    for (let number = 0; number < 15; number++) now(scheduler.enter(wish())).leave(0)
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('[LIM-03] no status call is requested when the reset is known', () => {
    const { scheduler } = schedulerAt()
    const asked = vi.fn()
    scheduler.shortages.add(asked)
    scheduler.bucket({ limit: 600, remaining: 20, resetSeconds: 30, ...noBan })
    for (let number = 0; number < 15; number++) now(scheduler.enter(wish())).leave(0)
    expect(asked).not.toHaveBeenCalled()
  })
})

describe('429', () => {
  it('[ERR-05] all requests wait for Retry-After, then follow in order', () => {
    const { clock, scheduler } = schedulerAt()
    const order: string[] = []
    const asks = (name: string, requester: Requester, slot = true): void => {
      const one = wish(requester, { slot })
      one.trace.onAdmitted = () => order.push(name)
      void later(scheduler.enter(one))
    }
    for (let number = 0; number < 8; number++) now(scheduler.enter(wish()))
    scheduler.saw(429, headers({ retryAfterMs: 5_000 }))
    asks('app', app('a'))
    asks('studio', studio)
    asks('read-out', { kind: 'studio', feature: 'account' }, false)
    expect(scheduler.counts().heldUntil).toBe(new Date(clock.date() + 5_000).toISOString())
    expect(scheduler.waiting().map(({ why }) => why)).toEqual(['held', 'held', 'held'])
    clock.pass(4_999)
    void later(scheduler.enter(wish()))
    expect(order).toEqual([])
    clock.pass(2)
    // Eight still run, and the 429 has left a limit of four.
    expect(order).toEqual(['read-out'])
    expect(scheduler.counts()).toMatchObject({ heldUntil: null, slots: { used: 8, of: 4 } })
  })

  it('a second 429 of the same burst neither shortens the hold nor halves again', () => {
    const { clock, scheduler } = schedulerAt()
    for (let number = 0; number < 8; number++) now(scheduler.enter(wish()))
    scheduler.saw(429, headers({ retryAfterMs: 5_000 }))
    scheduler.saw(429, headers({ retryAfterMs: 1_000 }))
    scheduler.saw(429, headers())
    expect(scheduler.counts()).toMatchObject({
      heldUntil: new Date(clock.date() + 5_000).toISOString(),
      slots: { used: 8, of: 4 },
    })
  })

  it('[ERR-05] without Retry-After all requests wait a second, then concurrency is halved and grows by one', async () => {
    const { clock, scheduler } = schedulerAt()
    const passes: Permit[] = []
    for (let number = 0; number < 8; number++) passes.push(now(scheduler.enter(wish())))
    scheduler.saw(429, headers())
    for (const pass of passes) pass.leave(0)
    const waiting: [FakeWish, Promise<Permit>][] = []
    for (let number = 0; number < 40; number++) {
      const one = wish()
      waiting.push([one, later(scheduler.enter(one))])
    }
    const inside = () => waiting.filter(([{ trace }]) => trace.states.includes('admitted')).length
    expect(inside()).toBe(0)
    clock.pass(1_001)
    expect(inside()).toBe(4)
    for (let round = 0; round < 4; round++) scheduler.saw(200, headers())
    expect(inside()).toBe(5)
    for (let round = 0; round < 5; round++) scheduler.saw(200, headers())
    expect(inside()).toBe(6)
    clock.pass(10_000)
    expect(inside()).toBe(7)
    for (let round = 0; round < 90; round++) scheduler.saw(200, headers())
    // More than the earlier eight requests run, but not all at once.
    expect(inside()).toBeGreaterThan(12)
    expect(inside()).toBeLessThan(20)
    // The limit ends when the queue is empty and the limit has reached the earlier number.
    for (let number = 0; number < 40; number++) (await waiting[number]?.[1])?.leave(0)
    clock.pass(120_000)
    expect(scheduler.counts()).toMatchObject({ waiting: 0, slots: { used: 0, of: null } })
  })

  it('without running requests nothing is halved', () => {
    const { scheduler } = schedulerAt()
    now(scheduler.enter(wish({ kind: 'studio', feature: 'account' }, { slot: false })))
    scheduler.saw(429, headers())
    expect(scheduler.counts().slots.of).toBeNull()
  })

  it('halving stops at one', () => {
    const { clock, scheduler } = schedulerAt()
    now(scheduler.enter(wish()))
    for (let round = 0; round < 5; round++) {
      scheduler.saw(429, headers())
      clock.pass(1_001)
    }
    expect(scheduler.counts().slots.of).toBe(1)
  })

  it('a status call is requested when the wait is unknown and requests wait', () => {
    const { scheduler } = schedulerAt()
    const asked = vi.fn()
    scheduler.shortages.add(asked)
    scheduler.saw(429, headers())
    expect(asked).not.toHaveBeenCalled()
    void later(scheduler.enter(wish()))
    scheduler.saw(429, headers())
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('a hold longer than the longest wait refuses at once, with its time', async () => {
    const { scheduler } = schedulerAt()
    scheduler.saw(429, headers({ retryAfterMs: 10_000 }))
    const waited = later(scheduler.enter(wish()))
    scheduler.saw(429, headers({ retryAfterMs: 600_000 }))
    await expect(waited).rejects.toMatchObject({
      kind: 'queue_timeout',
      message: 'The service asked all requests to wait another 10 min. That is longer than the queue allows.',
      facts: { retryAfterMs: 600_000 },
    })
    expect(() => scheduler.enter(wish())).toThrow(
      expect.objectContaining({ kind: 'queue_timeout', facts: { retryAfterMs: 600_000 } }),
    )
  })

  it('a wait of more than a minute applies to the requested model alone', async () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.limits({ ...unset, concurrent: 1 })
    const running = now(scheduler.enter(wish(app('a'), { model: 'free' })))
    const free = later(scheduler.enter(wish(app('a'), { model: 'free' })))
    const other = wish(app('a'), { model: 'paid' })
    void later(scheduler.enter(other))
    scheduler.saw(429, headers({ retryAfterMs: 7_200_000, remaining: 50 }), running)
    await expect(free).rejects.toMatchObject({
      kind: 'queue_timeout',
      message: 'The service asked requests for free to wait another 2 h. That is longer than the queue allows.',
    })
    running.leave(0)
    expect(other.trace.states).toEqual(['queued', 'admitted'])
    expect(() => scheduler.enter(wish(studio, { model: 'free' }))).toThrow(
      expect.objectContaining({ kind: 'queue_timeout', facts: { retryAfterMs: 7_200_000 } }),
    )
    clock.pass(7_200_000)
    void later(scheduler.enter(wish(studio, { model: 'free' })))
  })

  it('the end of a hold is announced although no request waits', () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.saw(429, headers({ retryAfterMs: 3_000 }))
    const onChange = vi.fn()
    scheduler.changes.add(onChange)
    clock.pass(3_001)
    expect(onChange).toHaveBeenCalled()
    expect(scheduler.counts().heldUntil).toBeNull()
  })
})

describe('a ban', () => {
  it('[LIM-02] lasts until its end, and a status call lifts it', () => {
    const { clock, scheduler } = schedulerAt()
    const bannedUntil = new Date(clock.date() + 30_000).toISOString()
    const reading = { limit: null, remaining: null, resetSeconds: null }
    scheduler.bucket({ ...reading, banned: true, bannedUntil })
    const first = wish()
    void later(scheduler.enter(first))
    expect(scheduler.counts().heldUntil).toBe(bannedUntil)
    clock.pass(30_001)
    expect(first.trace.states).toEqual(['queued', 'admitted'])
    scheduler.bucket({ ...reading, banned: true, bannedUntil: 'some day' })
    const second = wish()
    void later(scheduler.enter(second))
    clock.pass(59_000)
    expect(second.trace.states).toEqual(['queued'])
    scheduler.bucket({ ...reading, ...noBan })
    expect(second.trace.states).toEqual(['queued', 'admitted'])
  })

  it('[LIM-02] that is long still admits account requests now and then, which lift it', () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.saw(429, headers({ retryAfterMs: 86_400_000 }))
    const readOut = () => scheduler.enter(wish({ kind: 'studio', feature: 'account' }, { slot: false }))
    expect(() => scheduler.enter(wish())).toThrow('to wait another 24 h.')
    expect(() => scheduler.enter(wish(studio, { slot: false }))).toThrow('to wait another 24 h.')
    expect(() => scheduler.enter(wish(app('a'), { slot: false }))).toThrow('to wait another 24 h.')
    now(readOut()).leave(0)
    expect(readOut).toThrow('to wait another 24 h.')
    clock.pass(20_000)
    now(readOut()).leave(0)
    scheduler.bucket({ limit: null, remaining: null, resetSeconds: null, ...noBan })
    now(scheduler.enter(wish())).leave(0)
  })

  it('that is long refuses with a message', () => {
    const { clock, scheduler } = schedulerAt()
    const bannedUntil = new Date(clock.date() + 3 * 3_600_000).toISOString()
    scheduler.bucket({ limit: null, remaining: null, resetSeconds: null, banned: true, bannedUntil })
    expect(() => scheduler.enter(wish())).toThrow('The service asked all requests to wait another 3 h.')
    scheduler.bucket({ limit: null, remaining: null, resetSeconds: null, banned: true, bannedUntil: '9999-12-31' })
    expect(scheduler.counts().heldUntil).toBe(new Date(clock.date() + 365 * 86_400_000).toISOString())
  })
})
