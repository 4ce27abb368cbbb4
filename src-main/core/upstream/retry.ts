import type { ProblemKind } from '../../../src-preload/contract/problem.ts'
import { StudioError } from '../errors.ts'
import { Cancel, type CancelSignal } from '../shared/cancel.ts'
import { cancelled } from './errors.ts'
import type { WaitNotice } from './types.ts'

export interface RetryPolicy {
  /** How often a request is sent at most, the first time included. */
  maxAttempts: number
  /** The n-th delay is a random part of `baseDelayMs * 2^(n-1)`, at most of `maxDelayMs` (full jitter). */
  baseDelayMs: number
  maxDelayMs: number
  /** From the first attempt's start: no attempt begins after it. */
  budgetMs: number
}

/** Four attempts within a minute: long enough for a rolling restart or a minute bucket, short enough for a person who waits. */
export const retryDefaults: RetryPolicy = { maxAttempts: 4, baseDelayMs: 500, maxDelayMs: 8_000, budgetMs: 60_000 }

/** What may succeed when asked again, before any output. All else is for a person to correct. */
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
 * How often a request is sent at most where the service says `x-should-retry: true`. The header is meant for the loop of the usual SDKs, which send three
 * times; ours stands in for that loop. It makes nothing retryable that is not (specification, Errors).
 */
const attemptsOnWish = 3

/** A service that says `x-should-retry: false` is not asked again. */
export function isRetryable({ kind, facts }: StudioError): boolean {
  return retryable.has(kind) && facts.outputStarted !== true && facts.shouldRetry !== false
}

export interface RetryClock {
  /** Milliseconds, never going back. */
  now(): number
  sleep(ms: number, signal: CancelSignal | undefined): Promise<void>
}

const realClock: RetryClock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const cancel = (): void => {
        clearTimeout(timer)
        reject(cancelled())
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', cancel)
        resolve()
      }, ms)
      signal?.addEventListener('abort', cancel, { once: true })
    }),
}

export interface RetryOptions {
  signal?: CancelSignal | undefined
  /** Nothing is asked again once it is aborted: another connection was chosen. */
  retired?: CancelSignal | undefined
  onWait?: ((wait: WaitNotice) => void) | undefined
  policy?: Partial<RetryPolicy> | undefined
  clock?: RetryClock
  /** 0 to 1. */
  random?: () => number
  /** False where the request can't be sent again. */
  canRetry?: () => boolean
  /** Frees what a failed attempt still holds, before the wait. */
  discard?: (error: StudioError) => void
}

/**
 * Runs `attempt` until it succeeds, fails for good, or the policy gives up. It is the only retry loop of the program.
 * An attempt ends when the reply's headers are there, so nothing is sent again after the first byte of output.
 * @throws StudioError the last failure; where the policy gave up, its message says so
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
      if (last !== null && thrown instanceof StudioError && thrown.kind === 'connection_changed') throw notAgain(last)
      const failed = retryableOr(thrown, options)
      const plan = planRetry(failed, number, clock.now() - start, policy, random())
      if (plan.delayMs === null) throw gaveUp(failed, plan.why)
      if (isAborted(options.retired)) throw gaveUp(failed, changed)
      last = failed
      options.discard?.(failed)
      options.onWait?.({ for: 'retry', attempt: number + 1, delayMs: plan.delayMs, problem: failed.toProblem() })
      await pause(plan.delayMs, clock, options)
      if (isAborted(options.retired)) throw notAgain(failed)
    }
  }
}

/** The failure if it may be retried; otherwise it is thrown on. */
function retryableOr(thrown: unknown, { signal, canRetry }: RetryOptions): StudioError {
  if (isAborted(signal) && !(thrown instanceof StudioError)) throw cancelled()
  if (isAborted(signal) || !(thrown instanceof StudioError) || !isRetryable(thrown)) throw thrown
  if (canRetry?.() === false) throw thrown
  return thrown
}

// A function, because it changes during an await, which the compiler's narrowing does not know.
function isAborted(signal: CancelSignal | undefined): boolean {
  return signal?.aborted === true
}

type Plan = { delayMs: number } | { delayMs: null; why: string }

/** Pure: whether and when to ask again after the failure of attempt `number`, `elapsedMs` after the first began. */
export function planRetry(
  failure: StudioError,
  number: number,
  elapsedMs: number,
  policy: RetryPolicy,
  random: number,
): Plan {
  const most = failure.facts.shouldRetry === true ? Math.min(policy.maxAttempts, attemptsOnWish) : policy.maxAttempts
  if (number >= most) {
    return { delayMs: null, why: number === 1 ? '' : `Gave up after ${number} attempts.` }
  }
  const asked = failure.facts.retryAfterMs ?? 0
  const spread = random * Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (number - 1))
  // On top of what was asked, so that callers told the same time don't return all at once.
  const delayMs = Math.ceil(asked + spread)
  if (elapsedMs + delayMs <= policy.budgetMs) return { delayMs }
  const why =
    asked > 0
      ? `It asks to wait ${Math.ceil(asked / 1000)} s, longer than is waited on its own.`
      : `Gave up after ${number} ${number === 1 ? 'attempt' : 'attempts'}: the time for retries is over.`
  return { delayMs: null, why }
}

/** A failure that the policy retries and gave up on. */
export class RetriesExhausted extends StudioError {}

function gaveUp(error: StudioError, why: string): StudioError {
  const message = why === '' ? error.message : `${error.message} ${why}`
  return new RetriesExhausted(error.kind, message, error.facts, { cause: error })
}

const changed = 'It was not asked again, because another connection was chosen.'

/** Something of it was sent, and failed: that is what is known of it. */
function notAgain(last: StudioError): StudioError {
  const { workPossible } = last.facts
  const words = `The service’s last answer was: ${last.message} ${changed}`
  return new StudioError('connection_changed', words, workPossible ? { workPossible } : {}, { cause: last })
}

/** Ends early once nothing is to be asked again. */
async function pause(ms: number, clock: RetryClock, { signal, retired }: RetryOptions): Promise<void> {
  const ends = new Cancel()
  const end = (): void => ends.abort()
  signal?.addEventListener('abort', end, { once: true })
  retired?.addEventListener('abort', end, { once: true })
  try {
    await clock.sleep(ms, ends)
  } catch (cause) {
    if (isAborted(signal)) throw cancelled()
    if (!isAborted(retired)) throw cause
  } finally {
    signal?.removeEventListener('abort', end)
    retired?.removeEventListener('abort', end)
  }
}
