import type { Offline } from '../../../../src-preload/contract/app.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { StudioError } from '../../errors.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { Upstream } from '../../upstream/client.ts'
import { isUnanswered, type Reachability } from '../../upstream/sending/reachability.ts'

/** Times of the reconnect watcher, ms. */
export interface ReconnectBounds {
  /**
   * Delay of the first check, ms. It doubles up to `mostMs`, with a random spread of 20%, so that many clients do not
   * reconnect at once.
   */
  firstMs: number
  mostMs: number
  /** Minimum time between the last check and one that a window or a request triggers, ms. */
  leastMs: number
  /** How long a request waits for the result of a check, ms. */
  patienceMs: number
  /** Time limit for the model list, ms. A network that drops data accepts connections without answering. */
  answerMs: number
  /** How long requests are still sent after the service became unreachable, ms: their retries bridge a restart. */
  graceMs: number
}

/** Times in the product; tests use shorter ones. */
export const reconnectBounds: ReconnectBounds = {
  firstMs: 5000,
  mostMs: 300_000,
  leastMs: 1000,
  patienceMs: 2500,
  answerMs: 20_000,
  graceMs: 10_000,
}

/** Longest delay, ms, whatever Retry-After says. A timer of more than 24 days would fire at once. */
const maxDelayMs = 24 * 3600 * 1000

export interface ReconnectOptions {
  /** The active client. */
  current(): Upstream | null
  /** Checks the service without showing a running check, and reports the outcome with `checked`. Never throws. */
  check(): Promise<void>
  /** Reports that the service answers (null) or that it does not. */
  report(problem: Problem | null): void
  /** Called when `offline` has changed. */
  changed(): void
  bounds?: Partial<ReconnectBounds>
}

/**
 * Waits for an unreachable service to return. Checks again after temporary failures, at growing intervals. A failed request starts the
 * checks, and a successful one ends them.
 */
export class ReconnectWatcher {
  readonly #parts: ReconnectOptions
  readonly bounds: ReconnectBounds
  #problem: Problem | null = null
  /** When the service stopped answering, ms since 1970; null while it answers. */
  #since: number | null = null
  #nextAt: number | null = null
  #tries = 0
  #checkedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<void> | null = null
  /** A hint arrived during the current check, which may have started before the network was back. */
  #hinted = false
  #suspected = false
  #timer: NodeJS.Timeout | null = null

  constructor(parts: ReconnectOptions) {
    this.#parts = parts
    this.bounds = { ...reconnectBounds, ...parts.bounds }
  }

  get offline(): Offline | null {
    if (this.#since === null) return null
    const next = this.#nextAt
    return { since: iso(this.#since), nextCheckAt: next === null ? null : iso(next) }
  }

  /** Reports the result of a check; null is a success. */
  checked(problem: Problem | null): void {
    this.#clear()
    this.#problem = problem
    this.#checkedAt = Date.now()
    const gone = problem !== null && isUnanswered(problem.kind)
    this.#since = gone ? (this.#since ?? this.#checkedAt) : null
    if (problem !== null && isTemporary(problem)) this.#plan(problem)
    else this.#tries = 0
    this.#hinted = false
  }

  /** Call when the connection changes. */
  reset(): void {
    this.#clear()
    this.#problem = null
    this.#since = null
    this.#tries = 0
    this.#checking = null
    this.#hinted = false
    this.#checkedAt = Number.NEGATIVE_INFINITY
  }

  /**
   * Call on a hint that the service may be back. A hint too soon after a check causes a check as soon as allowed. Never
   * throws.
   */
  checkNow(): Promise<void> {
    if (this.#checking) {
      this.#hinted = true
      return this.#checking
    }
    return this.#check()
  }

  /** Checks again after a temporary failure. Concurrent calls share one check. Never throws. */
  #check(): Promise<void> {
    if (this.#checking) return this.#checking
    if (!this.#problem || !isTemporary(this.#problem)) return Promise.resolve()
    const early = this.#tooEarly()
    if (early > 0) {
      if (this.#nextAt === null || this.#nextAt > Date.now() + early) {
        this.#clear()
        this.#in(early)
        this.#parts.changed()
      }
      return Promise.resolve()
    }
    this.#clear()
    this.#parts.changed()
    const checking = this.#parts.check().finally(() => {
      if (this.#checking === checking) this.#checking = null
    })
    this.#checking = checking
    return checking
  }

  /** Time until the next check is allowed, ms. If the clock was set back, 0. */
  #tooEarly(): number {
    const since = Date.now() - this.#checkedAt
    return since < 0 ? 0 : Math.max(0, this.bounds.leastMs - since)
  }

  /** Receives the outcomes of requests. `isCurrent` returns whether their client is active. */
  reachability(isCurrent: () => boolean): Reachability {
    return {
      whenReachable: () => (isCurrent() ? this.#gone() : null),
      replied: (status) => {
        if (!isCurrent() || !this.#problem) return
        if (status >= 200 && status < 300) this.#parts.report(null)
        // The service answers with an error, so a check determines its exact state now.
        else if (this.#since !== null) this.#checkInBackground()
      },
      failed: (error) => {
        if (isCurrent()) this.#suspect(error)
      },
    }
  }

  #gone(): Promise<void> | null {
    const since = this.#since
    if (since === null || Date.now() - since < this.bounds.graceMs) return null
    return this.#wait()
  }

  async #wait(): Promise<void> {
    const { promise: patience, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.bounds.patienceMs)
    try {
      await Promise.race([this.#check(), patience])
    } finally {
      clearTimeout(timer)
    }
    const problem = this.#problem
    if (this.#since === null || !problem) return
    throw new StudioError(problem.kind, problem.message, { outputStarted: false })
  }

  /**
   * Checks the service after an unanswered request. Opens a TCP connection; if the service had accepted a connection without answering,
   * sends a request.
   */
  #suspect({ kind }: StudioError): void {
    const upstream = this.#parts.current()
    if (!isUnanswered(kind) || !upstream || this.#problem || this.#suspected) return
    if (this.#tooEarly() > 0) return
    this.#suspected = true
    const found =
      kind === 'tls_failed' || kind === 'headers_timeout'
        ? this.#parts.check()
        : upstream.reach().catch((thrown: unknown) => {
            if (this.#parts.current() !== upstream || this.#problem || !(thrown instanceof StudioError)) return
            this.#parts.report(thrown.toProblem())
          })
    const over = found.finally(() => {
      this.#suspected = false
    })
    inBackground('The service could not be checked', over)
  }

  #plan({ retryAfterMs = 0 }: Problem): void {
    const { firstMs, mostMs, leastMs } = this.bounds
    const spread = 0.8 + 0.4 * Math.random()
    const pause = this.#hinted ? leastMs : Math.min(mostMs, firstMs * 2 ** this.#tries) * spread
    if (!this.#hinted) this.#tries += 1
    this.#in(Math.min(Math.max(retryAfterMs, pause), maxDelayMs))
  }

  #in(delay: number): void {
    this.#nextAt = Date.now() + delay
    this.#timer = setTimeout(() => {
      // A timer may fire a millisecond before its time. The check is then still too early, and has to be planned again.
      this.#clear()
      this.#checkInBackground()
    }, delay)
    this.#timer.unref()
  }

  #checkInBackground(): void {
    inBackground('The service could not be checked', this.#check())
  }

  #clear(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#nextAt = null
  }
}

/** Whether a failure may end without action by the person. */
function isTemporary({ kind }: Problem): boolean {
  if (isUnanswered(kind)) return true
  return (
    kind === 'rate_limited' ||
    kind === 'internal' ||
    kind === 'bad_gateway' ||
    kind === 'unavailable' ||
    kind === 'gateway_timeout' ||
    kind === 'malformed_reply' ||
    kind === 'queue_full' ||
    kind === 'queue_timeout'
  )
}

const iso = (ms: number): string => new Date(ms).toISOString()
