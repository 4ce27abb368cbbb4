import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { readRetryAfter } from '../../../../src-main/core/upstream/headers.ts'
import { isRetryable, planRetry, retryDefaults, withRetry } from '../../../../src-main/core/upstream/sending/retry.ts'
import type { WaitNotice } from '../../../../src-main/core/upstream/types.ts'
import { type ProblemKind, problemKinds } from '../../../../src-preload/contract/problem.ts'

const again: ProblemKind[] = [
  'rate_limited',
  'bad_gateway',
  'unavailable',
  'gateway_timeout',
  'connect_failed',
  'connect_timeout',
  'connection_lost',
]

interface Outcome {
  kind: ProblemKind | null
  retryAfterMs: number | null
  outputStarted: boolean
  tookMs: number
}

async function play(outcomes: Outcome[], random: () => number) {
  let now = 0
  const starts: number[] = []
  const waits: WaitNotice[] = []
  const result = await withRetry(
    async (number) => {
      starts.push(now)
      const outcome = outcomes[number - 1]
      now += outcome?.tookMs ?? 0
      if (outcome === undefined || outcome.kind === null) return 'good'
      const { retryAfterMs, outputStarted, kind } = outcome
      throw new StudioError(kind, 'It failed.', { outputStarted, ...(retryAfterMs === null ? {} : { retryAfterMs }) })
    },
    {
      onWait: (wait) => waits.push(wait),
      random,
      clock: {
        now: () => now,
        sleep: async (ms) => {
          now += ms
        },
      },
    },
  ).catch((error: unknown) => error)
  return { starts, waits, result }
}

test('[ERR-05] [ERR-06] [ERR-09] [ERR-10] any outcomes lead to few attempts, growing jittered delays, respected Retry-After and a total budget', async () => {
  const outcome = fc.record({
    kind: fc.oneof(fc.constant(null), fc.constantFrom(...again), fc.constantFrom(...problemKinds)),
    retryAfterMs: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 90_000 })),
    outputStarted: fc.boolean(),
    tookMs: fc.integer({ min: 0, max: 30_000 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcome, { maxLength: 6 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      async (outcomes, r) => {
        const { starts, waits, result } = await play(outcomes, () => r)
        expect(starts.length).toBeLessThanOrEqual(retryDefaults.maxAttempts)
        for (let i = 1; i < starts.length; i++) {
          const before = outcomes[i - 1]
          const delay = (starts[i] ?? 0) - (starts[i - 1] ?? 0) - (before?.tookMs ?? 0)
          expect(again).toContain(before?.kind)
          expect(before?.outputStarted).toBe(false)
          const asked = before?.retryAfterMs ?? 0
          expect(delay).toBeGreaterThanOrEqual(asked)
          expect(delay).toBeLessThanOrEqual(asked + retryDefaults.baseDelayMs * 2 ** (i - 1) + 1)
          expect(starts[i]).toBeLessThanOrEqual(retryDefaults.budgetMs)
          expect(waits[i - 1]).toMatchObject({
            for: 'retry',
            attempt: i + 1,
            delayMs: delay,
            problem: { kind: before?.kind },
          })
        }
        const last = outcomes[starts.length - 1]
        if (last === undefined || last.kind === null) expect(result).toBe('good')
        else expect(result).toMatchObject({ kind: last.kind })
      },
    ),
  )
})

test('[ERR-02] [ERR-03] [ERR-07] [CHAT-19] failures that waiting can’t fix are not retried, and nothing is retried after output', () => {
  for (const kind of problemKinds) {
    expect(isRetryable(new StudioError(kind, ''))).toBe(again.includes(kind))
    expect(isRetryable(new StudioError(kind, '', { outputStarted: true }))).toBe(false)
  }
})

test('[ERR-05] a Retry-After beyond the budget fails at once with a message', async () => {
  const { starts, result } = await play(
    [{ kind: 'rate_limited', retryAfterMs: 120_000, outputStarted: false, tookMs: 1 }],
    () => 0.5,
  )
  expect(starts).toEqual([0])
  expect(String(result)).toContain('120 s')
})

test('[ERR-09] delays grow up to their cap and use the whole range', () => {
  const failure = new StudioError('unavailable', '')
  const delays = [1, 2, 3].map((n) => planRetry(failure, n, 0, retryDefaults, 1).delayMs)
  expect(delays).toEqual([500, 1000, 2000])
  expect(planRetry(failure, 9, 0, { ...retryDefaults, maxAttempts: 20 }, 1).delayMs).toBe(8000)
  expect(planRetry(failure, 1, 0, retryDefaults, 0).delayMs).toBe(0)
})

test('[ERR-08] a cancel ends the wait at once, and nothing is sent again', async () => {
  const abort = new AbortController()
  let attempts = 0
  const started = performance.now()
  const run = withRetry(
    async () => {
      attempts++
      throw new StudioError('rate_limited', '', { retryAfterMs: 30_000 })
    },
    { signal: abort.signal, onWait: () => setImmediate(() => abort.abort()) },
  )
  await expect(run).rejects.toMatchObject({ kind: 'cancelled' })
  expect(attempts).toBe(1)
  expect(performance.now() - started).toBeLessThan(15_000)
})

test('[LIM-04] Retry-After is read as seconds or a date, and anything else as null', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  expect(readRetryAfter('3', now)).toBe(3000)
  expect(readRetryAfter(' 1.5 ', now)).toBe(1500)
  expect(readRetryAfter('Thu, 01 Jan 2026 00:00:10 GMT', now)).toBe(10_000)
  expect(readRetryAfter('Thursday, 01-Jan-26 00:00:10 GMT', now)).toBe(10_000)
  expect(readRetryAfter('Thu Jan  1 00:00:10 2026', now)).toBe(10_000)
  expect(readRetryAfter('Wed, 01 Jan 2020 00:00:00 GMT', now)).toBe(0)
  for (const odd of [null, '', '-1', 'soon', '1e9', 'NaN', 'Infinity', '2026-01-01', 'Foo, 99 Bar 2026 00:00:00 GMT']) {
    expect(readRetryAfter(odd, now)).toBeNull()
  }
})
