import { describe, expect, it, vi } from 'vitest'
import type { Requester } from '../../../../src-main/core/ports/requests.ts'
import { app, headers, later, now, outcome, schedulerAt, studio, unset, wish } from './helpers.ts'

describe('without an obstacle', () => {
  it('a request is admitted at once and not marked as queued', () => {
    const { scheduler } = schedulerAt()
    const asked = wish()
    now(scheduler.enter(asked)).leave(10)
    expect(asked.trace.states).toEqual([])
    expect(scheduler.counts()).toEqual({ running: 0, waiting: 0, heldUntil: null, slots: { used: 0, of: null } })
  })

  it('limits below one count as unset', () => {
    const { scheduler } = schedulerAt()
    scheduler.limits({ concurrent: 0, rpm: -1, tpm: Number.NaN })
    for (let number = 0; number < 50; number++) now(scheduler.enter(wish(studio, { tokens: 1_000 })))
  })

  it('a request that is cancelled already is refused', () => {
    const { scheduler } = schedulerAt()
    expect(() => scheduler.enter(wish(studio, { signal: AbortSignal.abort() }))).toThrow(
      expect.objectContaining({ kind: 'cancelled' }),
    )
  })
})

describe('concurrent requests', () => {
  it('[LIM-05] [SSE-05] a slot is occupied until its reply is closed, and the next request follows then', async () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.limits({ ...unset, concurrent: 2 })
    const first = now(scheduler.enter(wish()))
    now(scheduler.enter(wish()))
    const third = wish()
    const waits = later(scheduler.enter(third))
    expect(scheduler.waiting()).toEqual([
      { traceId: third.trace.id, requester: studio, since: clock.date(), why: 'slot', slot: true },
    ])
    clock.pass(60_000)
    expect(await outcome(waits)).toBe('waits')
    first.leave(null)
    expect(third.trace.states).toEqual(['queued', 'admitted'])
    ;(await waits).leave(null)
    expect(scheduler.counts().slots).toEqual({ used: 1, of: 2 })
  })

  it('a permit that is returned twice frees one slot', () => {
    const { scheduler } = schedulerAt()
    scheduler.limits({ ...unset, concurrent: 2 })
    const first = now(scheduler.enter(wish()))
    now(scheduler.enter(wish()))
    first.leave(1)
    first.leave(1)
    now(scheduler.enter(wish()))
    void later(scheduler.enter(wish()))
    expect(scheduler.counts()).toMatchObject({ running: 2, waiting: 1, slots: { used: 2, of: 2 } })
  })

  it('a read-only request takes no slot and does not wait behind requests that need one', () => {
    const { scheduler } = schedulerAt()
    scheduler.limits({ ...unset, concurrent: 1 })
    now(scheduler.enter(wish(app('a'))))
    void later(scheduler.enter(wish(app('a'))))
    now(scheduler.enter(wish({ kind: 'studio', feature: 'account' }, { slot: false })))
    now(scheduler.enter(wish(app('a'), { slot: false })))
    expect(scheduler.counts()).toMatchObject({ running: 3, waiting: 1, slots: { used: 1, of: 1 } })
  })

  it('more slots admit waiting requests', () => {
    const { scheduler } = schedulerAt()
    scheduler.limits({ ...unset, concurrent: 1 })
    now(scheduler.enter(wish()))
    const waiting = [wish(), wish(), wish()]
    for (const one of waiting) void later(scheduler.enter(one))
    scheduler.limits({ ...unset, concurrent: 3 })
    expect(waiting.map(({ trace }) => trace.states.length)).toEqual([2, 2, 1])
  })
})

describe('turns', () => {
  /** All requests wait for one slot. Returns the order in which they are admitted as slots are added. */
  function served(requesters: Requester[]): string[] {
    const { scheduler } = schedulerAt()
    scheduler.limits({ ...unset, concurrent: 1 })
    now(scheduler.enter(wish()))
    const order: string[] = []
    const count = new Map<string, number>()
    for (const requester of requesters) {
      const name = requester.kind === 'app' ? requester.id : 'studio'
      const number = (count.get(name) ?? 0) + 1
      count.set(name, number)
      const one = wish(requester)
      one.trace.onAdmitted = () => order.push(`${name}${number}`)
      void later(scheduler.enter(one))
    }
    for (let slots = 2; slots <= requesters.length + 1; slots++) {
      scheduler.limits({ ...unset, concurrent: slots })
      expect(order.length).toBe(slots - 1)
    }
    return order
  }
  const times = (count: number, requester: Requester): Requester[] => Array.from({ length: count }, () => requester)

  it('the studio is served before apps', () => {
    expect(served([app('a'), app('b'), studio, studio])).toEqual(['studio1', 'studio2', 'a1', 'b1'])
  })

  it('an app with many requests does not starve the others, and each app is served in order', () => {
    const order = served([...times(5, app('greedy')), ...times(2, app('a')), app('b')])
    expect(order).toEqual(['greedy1', 'a1', 'b1', 'greedy2', 'a2', 'greedy3', 'greedy4', 'greedy5'])
  })

  it('an app that gave up does not count in the run of the studio', () => {
    const { scheduler } = schedulerAt()
    scheduler.limits({ ...unset, concurrent: 1 })
    now(scheduler.enter(wish()))
    for (let number = 0; number < 8; number++) void later(scheduler.enter(wish()))
    expect(() => scheduler.enter(wish(app('fast', true)))).toThrow(expect.objectContaining({ kind: 'would_wait' }))
    scheduler.limits({ ...unset, concurrent: 9 })
    const asked = [wish(app('a')), wish()]
    for (const one of asked) void later(scheduler.enter(one))
    scheduler.limits({ ...unset, concurrent: 10 })
    expect(asked.map(({ trace }) => trace.states.length)).toEqual([1, 2])
  })

  it('requests of one sender with and without a slot are served in order of arrival', () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.limits({ ...unset, rpm: 1 })
    now(scheduler.enter(wish())).leave(0)
    const readOut = wish(app('a'), { slot: false })
    const chat = wish(app('a'))
    void later(scheduler.enter(readOut))
    void later(scheduler.enter(chat))
    clock.pass(60_200)
    expect([readOut, chat].map(({ trace }) => trace.states.length)).toEqual([2, 1])
  })

  it('after eight studio requests in a row an app is served', () => {
    const order = served([app('a'), app('a'), ...times(18, studio)])
    expect(order.indexOf('a1')).toBe(8)
    expect(order.indexOf('a2')).toBe(17)
  })
})

describe('bounds of the queue', () => {
  const full = (options = {}) => {
    const made = schedulerAt(options)
    made.scheduler.limits({ ...unset, concurrent: 1 })
    now(made.scheduler.enter(wish()))
    return made
  }

  it('limit the waiting requests of one app without affecting others', () => {
    const { scheduler } = full({ maxWaitingPerApp: 3 })
    for (let number = 0; number < 3; number++) void later(scheduler.enter(wish(app('a'))))
    expect(() => scheduler.enter(wish(app('a')))).toThrow(
      expect.objectContaining({
        kind: 'queue_full',
        message: '3 requests of this app are already waiting. Try again shortly.',
        facts: { retryAfterMs: 1_000 },
      }),
    )
    void later(scheduler.enter(wish(app('b'))))
  })

  it('limit all waiting requests and reserve an eighth for the studio', () => {
    const { scheduler } = full({ maxWaiting: 16 })
    for (let number = 0; number < 14; number++) void later(scheduler.enter(wish(app(`app ${number}`))))
    expect(() => scheduler.enter(wish(app('late')))).toThrow(expect.objectContaining({ kind: 'queue_full' }))
    void later(scheduler.enter(wish()))
    void later(scheduler.enter(wish()))
    expect(() => scheduler.enter(wish())).toThrow(expect.objectContaining({ kind: 'queue_full' }))
    expect(scheduler.counts().waiting).toBe(16)
  })

  it('end each wait after its time with a message', async () => {
    const { clock, scheduler } = full()
    const waits = later(scheduler.enter(wish(app('a'))))
    clock.pass(119_999)
    expect(await outcome(waits)).toBe('waits')
    clock.pass(1)
    await expect(waits).rejects.toMatchObject({
      kind: 'queue_timeout',
      message: 'The request waited 2 min for its turn: all slots for concurrent requests are taken.',
    })
    expect(scheduler.counts().waiting).toBe(0)
  })

  it('refuse a fail-fast request that would wait, and admit one that would not', () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.limits({ ...unset, rpm: 1 })
    now(scheduler.enter(wish(app('a', true)))).leave(0)
    clock.pass(20_000)
    const asked = wish(app('a', true))
    expect(() => scheduler.enter(asked)).toThrow(
      expect.objectContaining({
        kind: 'would_wait',
        message: 'The request would have to wait: the requests of this minute are used up.',
        facts: { retryAfterMs: 40_100 },
      }),
    )
    expect(asked.trace.states).toEqual([])
    expect(scheduler.counts().waiting).toBe(0)
  })

  it('do not let a fail-fast request overtake waiting ones', () => {
    const { scheduler } = full()
    void later(scheduler.enter(wish(app('b'))))
    expect(() => scheduler.enter(wish(app('a', true)))).toThrow(
      expect.objectContaining({ kind: 'would_wait', facts: { retryAfterMs: 1_000 } }),
    )
  })
})

describe('giving up', () => {
  it('[ERR-08] a cancelled request leaves the queue at once and takes no turn', async () => {
    const { scheduler } = schedulerAt()
    scheduler.limits({ ...unset, concurrent: 1 })
    const running = now(scheduler.enter(wish()))
    const control = new AbortController()
    const first = later(scheduler.enter(wish(studio, { signal: control.signal })))
    const second = wish()
    void later(scheduler.enter(second))
    control.abort()
    expect(scheduler.counts().waiting).toBe(1)
    await expect(first).rejects.toMatchObject({ kind: 'cancelled' })
    running.leave(0)
    expect(second.trace.states).toEqual(['queued', 'admitted'])
  })

  it('a person cancels exactly the chosen request', async () => {
    const { scheduler } = schedulerAt()
    scheduler.saw(429, headers({ retryAfterMs: 60_000 }))
    const asked = [wish(app('a')), wish(app('a'))]
    const waits = asked.map((one) => later(scheduler.enter(one)))
    expect(scheduler.cancel(asked[1]?.trace.id ?? 0)).toBe(true)
    await expect(waits[1]).rejects.toMatchObject({ kind: 'cancelled' })
    expect(scheduler.waiting().map(({ traceId }) => traceId)).toEqual([asked[0]?.trace.id])
    expect(scheduler.cancel(asked[1]?.trace.id ?? 0)).toBe(false)
  })

  it('no listener remains on a signal after the wait', async () => {
    const { scheduler } = schedulerAt()
    scheduler.limits({ ...unset, concurrent: 1 })
    const running = now(scheduler.enter(wish()))
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    const waits = later(scheduler.enter(wish(studio, { signal })))
    running.leave(0)
    await waits
    expect(removed.mock.calls.length).toBe(added.mock.calls.length)
  })

  it('a closed scheduler refuses every request and leaves no timer', async () => {
    const { clock, scheduler } = schedulerAt()
    scheduler.saw(429, headers({ retryAfterMs: 1_000 }))
    const waits = later(scheduler.enter(wish()))
    scheduler.close()
    await expect(waits).rejects.toMatchObject({ kind: 'cancelled' })
    expect(() => scheduler.enter(wish())).toThrow(expect.objectContaining({ kind: 'cancelled' }))
    expect(clock.timers).toBe(0)
  })
})

describe('another connection', () => {
  it('forgets the former limits, refuses waiting requests unsent, and ignores former permits', async () => {
    const { scheduler } = schedulerAt()
    scheduler.limits({ ...unset, concurrent: 1 })
    const old = now(scheduler.enter(wish()))
    const waits = wish()
    const answer = later(scheduler.enter(waits))
    scheduler.saw(429, headers({ retryAfterMs: 60_000 }))
    scheduler.reset()
    await expect(answer).rejects.toMatchObject({ kind: 'connection_changed' })
    expect(waits.trace.states).toEqual(['queued'])
    now(scheduler.enter(wish()))
    old.leave(0)
    expect(scheduler.counts()).toMatchObject({ running: 1, heldUntil: null, slots: { used: 1, of: null } })
  })
})

it('one timer serves all waiting requests', () => {
  const { clock, scheduler } = schedulerAt({ maxWaiting: 1_000, maxWaitingPerApp: 1_000 })
  scheduler.limits({ concurrent: 2, rpm: 30, tpm: 1_000 })
  for (let number = 0; number < 300; number++) {
    try {
      void Promise.resolve(scheduler.enter(wish(app(`t${number % 7}`), { tokens: number }))).catch(() => undefined)
    } catch {
      // Refused, as expected.
    }
  }
  clock.pass(300_000)
  expect(clock.mostTimers).toBe(1)
  expect(scheduler.counts().waiting).toBe(0)
})
