import type { Offline } from '../../../../src-preload/contract/app.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { StudioError } from '../../errors.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { Upstream } from '../../upstream/client.ts'
import { isUnanswered, type Reachability } from '../../upstream/reachability.ts'

export interface ReconnectBounds {
  /** ms until the first look, doubled by each to the second figure; spread by a fifth, so that many studios don't knock at once. */
  firstMs: number
  mostMs: number
  /** A page or a request makes it look at once, but not sooner after the last look. */
  leastMs: number
  /** Requests wait so long for a look of theirs. */
  patienceMs: number
  /** What takes a connection and then stays silent, as a network does that swallows: a list of models never takes so long. */
  answerMs: number
  /** So long after it went away requests go out all the same: their retries bridge a restart of the service. */
  graceMs: number
}

export const reconnectBounds: ReconnectBounds = {
  firstMs: 5000,
  mostMs: 300_000,
  leastMs: 1000,
  patienceMs: 2500,
  answerMs: 20_000,
  graceMs: 10_000,
}

/** Nobody is left without a look for longer, whatever Retry-After says; and a timer beyond 24 days would go off at once. */
const longestMs = 24 * 3600 * 1000

export interface ReconnectOptions {
  /** The client in use. */
  current(): Upstream | null
  /** Asks the service now, without a sign that it does; the outcome comes back by `settled`. Never throws. */
  look(): Promise<void>
  /** Something answers after all (null), or nothing does. */
  learned(problem: Problem | null): void
  /** `offline` is another now. */
  changed(): void
  bounds?: Partial<ReconnectBounds>
}

/**
 * Watches for the service's return. What fails for a reason that may pass is looked at again, less and less often; every reply that comes
 * in the meantime says the same sooner, and a request that finds nobody says when to begin.
 */
export class ReconnectWatcher {
  readonly #parts: ReconnectOptions
  readonly bounds: ReconnectBounds
  #problem: Problem | null = null
  /** ms since 1970; null while something answers. */
  #since: number | null = null
  #nextAt: number | null = null
  #tries = 0
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | null = null
  /** A hint came upon the look that runs: it may have begun before the network was back. */
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
    return { since: iso(this.#since), nextLookAt: next === null ? null : iso(next) }
  }

  /** How it stands after the service was asked: null is a good answer. */
  settled(problem: Problem | null): void {
    this.#clear()
    this.#problem = problem
    this.#lookedAt = Date.now()
    const gone = problem !== null && isUnanswered(problem.kind)
    this.#since = gone ? (this.#since ?? this.#lookedAt) : null
    if (problem !== null && passes(problem)) this.#plan(problem)
    else this.#tries = 0
    this.#hinted = false
  }

  /** Another connection, or none. */
  left(): void {
    this.#clear()
    this.#problem = null
    this.#since = null
    this.#tries = 0
    this.#looking = null
    this.#hinted = false
    this.#lookedAt = Number.NEGATIVE_INFINITY
  }

  /** Somebody may be there again. No hint is lost: one that comes too soon after a look is followed as soon as it may be. Never throws. */
  lookNow(): Promise<void> {
    if (this.#looking) {
      this.#hinted = true
      return this.#looking
    }
    return this.#look()
  }

  /** Looks where it failed for a reason that may pass; who asks meanwhile gets the same answer. Never throws. */
  #look(): Promise<void> {
    if (this.#looking) return this.#looking
    if (!this.#problem || !passes(this.#problem)) return Promise.resolve()
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
    const looking = this.#parts.look().finally(() => {
      if (this.#looking === looking) this.#looking = null
    })
    this.#looking = looking
    return looking
  }

  /** ms until it may look again; a clock that was set back does not hold it up. */
  #tooEarly(): number {
    const since = Date.now() - this.#lookedAt
    return since < 0 ? 0 : Math.max(0, this.bounds.leastMs - since)
  }

  /** What the requests of a client tell; `isCurrent` says whether it is the one in use. */
  way(isCurrent: () => boolean): Reachability {
    return {
      whenReachable: () => (isCurrent() ? this.#gone() : null),
      replied: (status) => {
        if (!isCurrent() || !this.#problem) return
        if (status >= 200 && status < 300) this.#parts.learned(null)
        // Somebody is there again: what it says to the question is to be known now.
        else if (this.#since !== null) this.#lookAside()
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
      await Promise.race([this.#look(), patience])
    } finally {
      clearTimeout(timer)
    }
    const problem = this.#problem
    if (this.#since === null || !problem) return
    throw new StudioError(problem.kind, problem.message, { outputStarted: false })
  }

  /** A request found nobody. Whether nobody is there is told by a connection, which is no request; what took one and stayed silent is asked. */
  #suspect({ kind }: StudioError): void {
    const upstream = this.#parts.current()
    if (!isUnanswered(kind) || !upstream || this.#problem || this.#suspected) return
    if (this.#tooEarly() > 0) return
    this.#suspected = true
    const found =
      kind === 'tls_failed' || kind === 'headers_timeout'
        ? this.#parts.look()
        : upstream.reach().catch((thrown: unknown) => {
            if (this.#parts.current() !== upstream || this.#problem || !(thrown instanceof StudioError)) return
            this.#parts.learned(thrown.toProblem())
          })
    const over = found.finally(() => {
      this.#suspected = false
    })
    inBackground('The service could not be looked for', over)
  }

  #plan({ retryAfterMs = 0 }: Problem): void {
    const { firstMs, mostMs, leastMs } = this.bounds
    const spread = 0.8 + 0.4 * Math.random()
    const pause = this.#hinted ? leastMs : Math.min(mostMs, firstMs * 2 ** this.#tries) * spread
    if (!this.#hinted) this.#tries += 1
    this.#in(Math.min(Math.max(retryAfterMs, pause), longestMs))
  }

  #in(delay: number): void {
    this.#nextAt = Date.now() + delay
    this.#timer = setTimeout(() => this.#lookAside(), delay)
    this.#timer.unref()
  }

  #lookAside(): void {
    inBackground('The service could not be looked for', this.#look())
  }

  #clear(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#nextAt = null
  }
}

/** What a person has to put right is not asked again by itself. */
function passes({ kind }: Problem): boolean {
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
