import { setTimeout as sleep } from 'node:timers/promises'
import type { ProblemKind } from '../../../../src-preload/contract/problem.ts'
import { StudioError } from '../../errors.ts'
import type { WaitNotice } from '../types.ts'
import { cancelled } from '../wire/faults.ts'

/** When and how often a failed request is retried. */
export interface RetryPolicy {
  /** Maximum number of attempts, the first included. */
  maxAttempts: number
  /** Upper end of the first delay, ms. The n-th delay is a random part of `baseDelayMs * 2^(n-1)`, at most `maxDelayMs` (full jitter). */
  baseDelayMs: number
  maxDelayMs: number
  /** No attempt starts later than this after the first one started, ms. */
  budgetMs: number
}

/** Four attempts within a minute: long enough for a rolling restart or a rate limit by the minute, short enough for a person who waits. */
export const retryDefaults: RetryPolicy = { maxAttempts: 4, baseDelayMs: 500, maxDelayMs: 8_000, budgetMs: 60_000 }

/** Failures that may succeed on a second attempt, before any output. */
const retryable: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  'rate_limited',
  'bad_gateway',
  'unavailable',
  'gateway_timeout',
  'connect_failed',
  'connect_timeout',
  'connection_lost',
])

/**
 * Most attempts when the service sends `x-should-retry: true`. The header addresses the retry loop of the usual SDKs, which send three
 * times. It makes no other failure retryable (specification, Errors).
 */
const attemptsOnRequest = 3

/** Whether the policy retries this failure. `x-should-retry: false` of the service forbids it. */
export function isRetryable({ kind, facts }: StudioError): boolean {
  return retryable.has(kind) && facts.outputStarted !== true && facts.shouldRetry !== false
}

/** Time source; tests replace it. */
export interface RetryClock {
  /** Monotonic clock, ms. */
  now(): number
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

const realClock: RetryClock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
}

export interface RetryOptions {
  signal?: AbortSignal | undefined
  /** Aborted when another connection replaces this one: no attempt starts after that. */
  retired?: AbortSignal | undefined
  onWait?: ((wait: WaitNotice) => void) | undefined
  policy?: Partial<RetryPolicy> | undefined
  clock?: RetryClock
  /** Random number from 0 to 1. */
  random?: () => number
  /** Whether the request can be sent again. */
  canRetry?: () => boolean
  /** Releases the resources of a failed attempt before the wait. */
  discard?: (error: StudioError) => void
}

/**
 * Runs `attempt` until it succeeds, fails for good, or the policy gives up. This is the program's only retry loop. An attempt ends with the
 * reply's headers, so nothing is sent again after the first byte of output.
 * @throws StudioError the last failure; RetriesExhausted when the policy gave up
 */
export async function withRetry<T>(attempt: (number: number) => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const policy = { ...retryDefaults, ...options.policy }
  const clock = options.clock ?? realClock
  const random = options.random ?? Math.random
  const start = clock.now()
  let last: StudioError | null = null
  for (let number = 1; ; number++) {
    if (isAborted(options.signal)) throw cancelled()
    try {
      return await attempt(number)
    } catch (thrown) {
      if (last !== null && thrown instanceof StudioError && thrown.kind === 'connection_changed')
        throw replacedDuringRetry(last)
      const failed = retryableOr(thrown, options)
      const plan = planRetry(failed, number, clock.now() - start, policy, random())
      if (plan.delayMs === null) throw gaveUp(failed, plan.why)
      if (isAborted(options.retired)) throw gaveUp(failed, changed)
      last = failed
      options.discard?.(failed)
      options.onWait?.({ for: 'retry', attempt: number + 1, delayMs: plan.delayMs, problem: failed.toProblem() })
      await pause(plan.delayMs, clock, options)
      if (isAborted(options.retired)) throw replacedDuringRetry(failed)
    }
  }
}

/** Returns the failure if it may be retried, else throws it. */
function retryableOr(thrown: unknown, { signal, canRetry }: RetryOptions): StudioError {
  if (isAborted(signal) && !(thrown instanceof StudioError)) throw cancelled()
  if (isAborted(signal) || !(thrown instanceof StudioError) || !isRetryable(thrown)) throw thrown
  if (canRetry?.() === false) throw thrown
  return thrown
}

// A function, because the value changes during an await, and the compiler's narrowing would not notice.
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

type Plan = { delayMs: number } | { delayMs: null; why: string }

/** Decides whether and when to retry after attempt `number` failed, `elapsedMs` after the first one started. Pure. */
export function planRetry(
  failure: StudioError,
  number: number,
  elapsedMs: number,
  policy: RetryPolicy,
  random: number,
): Plan {
  const most = failure.facts.shouldRetry === true ? Math.min(policy.maxAttempts, attemptsOnRequest) : policy.maxAttempts
  if (number >= most) {
    return { delayMs: null, why: number === 1 ? '' : `Gave up after ${number} attempts.` }
  }
  const retryAfterMs = failure.facts.retryAfterMs ?? 0
  const spread = random * Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (number - 1))
  // Jitter on top of `Retry-After`: callers that received the same value must not return together.
  const delayMs = Math.ceil(retryAfterMs + spread)
  if (elapsedMs + delayMs <= policy.budgetMs) return { delayMs }
  const why =
    retryAfterMs > 0
      ? `It asks for a wait of ${Math.ceil(retryAfterMs / 1000)} s, which is too long for an automatic retry.`
      : `Gave up after ${number} ${number === 1 ? 'attempt' : 'attempts'}: the time for retries is over.`
  return { delayMs: null, why }
}

/** The last failure, after the policy gave up. */
export class RetriesExhausted extends StudioError {}

function gaveUp(error: StudioError, why: string): StudioError {
  const message = why === '' ? error.message : `${error.message} ${why}`
  return new RetriesExhausted(error.kind, message, error.facts, { cause: error })
}

const changed = 'It was not retried, because another connection was chosen.'

/** The connection was replaced during a retry. An attempt did reach the service, so its failure is reported. */
function replacedDuringRetry(last: StudioError): StudioError {
  const { workPossible } = last.facts
  const words = `The service’s last answer was: ${last.message} ${changed}`
  return new StudioError('connection_changed', words, workPossible ? { workPossible } : {}, { cause: last })
}

/** Waits for the next attempt. Ends early when the call is cancelled or its connection is replaced. */
async function pause(ms: number, clock: RetryClock, { signal, retired }: RetryOptions): Promise<void> {
  try {
    await clock.sleep(ms, AbortSignal.any([signal, retired].filter((one) => one !== undefined)))
  } catch (cause) {
    if (isAborted(signal)) throw cancelled()
    if (!isAborted(retired)) throw cause
  }
}
