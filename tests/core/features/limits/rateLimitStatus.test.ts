import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RateLimitPoller } from '../../../../src-main/core/features/limits/rateLimitStatus.ts'
import type { RateLimitHeaders } from '../../../../src-main/core/upstream/types.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A service whose replies have rate-limit headers and that counts status calls. */
function service() {
  const listeners = new Set<(headers: RateLimitHeaders) => void>()
  let asked = 0
  const facts = {
    status: 200,
    requestId: null,
    contentType: null,
    rateLimit: { limit: 60, remaining: 50, retryAfterMs: null },
  }
  return {
    asked: () => asked,
    reply: (remaining: number | null) => {
      for (const listener of listeners)
        listener({ limit: remaining === null ? null : 60, remaining, retryAfterMs: null })
    },
    onRateLimit: (listener: (headers: RateLimitHeaders) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getRateLimit: () => {
      asked += 1
      // The status call is a request like any other: its reply has the headers too.
      for (const listener of listeners) listener(facts.rateLimit)
      return Promise.resolve({ facts, value: { limit_rpm: 60, remaining_rpm: 50, reset_seconds: 18 } })
    },
  }
}

describe('the minute bucket', () => {
  it('calls the status endpoint at most once a minute, however much happens, and only while someone watches [LIM-03]', async () => {
    const bucket = new RateLimitPoller()
    const far = service()
    bucket.follow(far)
    for (let second = 0; second < 300; second += 1) {
      far.reply(59)
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(far.asked()).toBe(0)
    const look = bucket.watch()
    for (let second = 0; second < 300; second += 1) {
      far.reply(59)
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(far.asked()).toBeGreaterThanOrEqual(4)
    expect(far.asked()).toBeLessThanOrEqual(6)
    look()
    bucket.close()
  })

  it('makes no call while nothing happens: watching alone costs no request [LIM-03]', async () => {
    const bucket = new RateLimitPoller()
    const far = service()
    bucket.follow(far)
    const look = bucket.watch()
    await bucket.ask()
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(far.asked()).toBe(1)
    look()
    bucket.close()
  })

  it('calls within a minute after the clock was set back', async () => {
    const bucket = new RateLimitPoller()
    const far = service()
    bucket.follow(far)
    const look = bucket.watch()
    await bucket.ask()
    vi.setSystemTime(Date.now() - 86_400_000)
    far.reply(59)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(far.asked()).toBe(2)
    vi.setSystemTime(Date.now() - 86_400_000)
    await bucket.askIfDue()
    expect(far.asked()).toBe(3)
    look()
    bucket.close()
  })

  it('reads reply headers, and keeps the limit if a reply only names the remaining requests [LIM-04]', () => {
    const bucket = new RateLimitPoller()
    const far = service()
    bucket.follow(far)
    far.reply(41)
    expect(bucket.value).toMatchObject({ limit: 60, remaining: 41 })
    far.reply(null)
    expect(bucket.value).toMatchObject({ limit: 60, remaining: 41 })
    bucket.close()
  })
})
