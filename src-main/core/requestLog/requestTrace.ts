import type { Endpoint, LoggedBody } from '../../../src-preload/contract/requests.ts'
import type {
  ArrivalTimes,
  CopiedBody,
  HashedSection,
  MeterReading,
  RequestEnd,
  RequestNotice,
  RequestTrace,
} from '../ports/requests.ts'
import type { Nano } from '../shared/money.ts'
import type { Caller, Callers } from '../store/requestLog/callers.ts'
import {
  answers,
  cancellers,
  certainties,
  codeOf,
  dialects,
  endpoints,
  endStates,
  outcomeOf,
  outcomes,
  usualPath,
} from '../store/requestLog/codes.ts'
import type { OpenedRequest, StoredRequest } from '../store/requestLog/requests.ts'
import { cleanUsage, costOf } from './cost.ts'
import type { Use } from './prices.ts'
import { cleanPairs, type Pairs, type RecordedHeaders } from './recentHeaders.ts'
import { tidy, withoutLocalKeys } from './redact.ts'
import type { LiveRequestState } from './rows.ts'
import type { SecretMask } from './secrets.ts'
import type { RunningTurn } from './sessions/sessions.ts'

/** Rows of one commit. `promise` settles with it. */
export interface Batch {
  written: boolean
  promise: Promise<void>
}

/** What a trace needs of the request log. */
export interface TraceOwner {
  callers: Callers
  /** Removes secrets from what is stored. */
  secrets(): SecretMask
  price: (endpoint: Endpoint, model: string | null, use: Use) => Nano | null
  /** Monotonic clock, ms. */
  clock(): number
  /** Called when a visible field changed. */
  changed(trace: Trace): void
  ended(trace: Trace): void
  /** Called when its prompt was read. */
  prompted(trace: Trace, conversation: string | null, sections: readonly HashedSection[] | null): void
}

/** Maximum number of entries about what had no effect. A request has a few dozen fields. */
const maxIgnored = 100

/** A list as it is stored: null when it is empty. */
const jsonOf = (list: readonly string[]): string | null => (list.length === 0 ? null : JSON.stringify(list))
/** Counting the tokens of a long reply takes up to a few ms. */
const readEveryMs = 1000

type Used = Pick<StoredRequest, 'tokensIn' | 'tokensOut' | 'tokensCached' | 'tokensAre' | 'cost' | 'costIs'>

const nothingUsed: Used = { tokensIn: null, tokensOut: null, tokensCached: null, tokensAre: 2, cost: null, costIs: 2 }

interface SoFar {
  at: number
  used: Used
}

/**
 * One request from its start to its end. Methods only record moments and counts; the meaning is computed at the end. Fields are plain and
 * calls shallow, because they run with each chunk of each reply.
 */
export class Trace implements RequestTrace {
  readonly id: number
  readonly at: number
  readonly logBodies: boolean
  readonly who: string
  /** The row that this request repeats, or null. */
  readonly againOf: number | null
  headersKept: RecordedHeaders | null = null
  bodiesKept: { request: CopiedBody | null; reply: CopiedBody | null } | null = null
  /** Its turn in a session, once its prompt was read. */
  turn: RunningTurn | null = null
  live: LiveRequestState = 'waiting'
  /** Null until the request has ended. */
  end: StoredRequest | null = null

  readonly #owner: TraceOwner
  readonly #batch: Batch
  readonly #method: string | null
  readonly #path: string | null
  readonly #endpoint: Endpoint
  readonly #endpointCode: number
  readonly #start: number
  readonly #pictures: number
  readonly #dialect: number | null
  readonly #askedModel: string | null
  #answeredModel: string | null = null
  #finishReason: string | null = null
  #ignored: string[]
  readonly #adapted: readonly string[]
  readonly #answer: number | null
  #caller: Caller
  #model: string | null
  #stream: boolean
  #onStop: (() => void) | null = null
  #stopped = false
  #waitingSince = -1
  #backoffSince = -1
  #attemptSince: number
  #queuedMs = 0
  #backoffMs = 0
  #backoff429Ms = 0
  /** Whether the current back-off follows a 429. */
  #limited = false
  #connectMs = -1
  #firstByteMs = -1
  #status: number | null = null
  #requestId: string | null = null
  #bytesUp = 0
  #bytesDown = 0
  #attempts = 0
  /** State of the current attempt: counted, started to leave. */
  #counted = false
  #out = false
  #sent = false
  #doubt = false
  #retriedAfter: string | null = null
  #reads: (() => MeterReading) | null = null
  #soFar: SoFar | null = null

  constructor(owner: TraceOwner, batch: Batch, id: number, at: number, who: string, notice: RequestNotice) {
    this.#owner = owner
    this.#batch = batch
    this.id = id
    this.at = at
    this.who = who
    this.logBodies = notice.logBodies
    this.againOf = notice.againOf ?? null
    this.#endpoint = notice.endpoint
    this.#endpointCode = codeOf(endpoints, notice.endpoint)
    this.#method = notice.method === 'POST' ? null : tidy(notice.method, 20)
    // Both are null for a POST to the endpoint's own path.
    this.#path = notice.path === usualPath[notice.endpoint] ? null : tidy(notice.path, 2048)
    this.#model = notice.model === null ? null : tidy(notice.model, 300)
    this.#dialect = notice.dialect === undefined ? null : codeOf(dialects, notice.dialect)
    this.#askedModel = notice.askedModel === undefined ? null : tidy(notice.askedModel, 300)
    this.#ignored = (notice.ignored ?? []).slice(0, maxIgnored).map((what) => tidy(what, 300))
    this.#adapted = notice.adapted ?? []
    this.#answer = notice.answer === undefined ? null : codeOf(answers, notice.answer)
    this.#stream = notice.stream
    this.#pictures = notice.endpoint === 'images' ? (notice.pictures ?? 1) : 1
    this.#caller = owner.callers.of(who, this.#model)
    this.#start = owner.clock()
    this.#attemptSince = this.#start
  }

  get written(): Promise<void> | null {
    return this.#batch.written ? null : this.#batch.promise
  }

  get onStop(): (() => void) | null {
    return this.#onStop
  }

  set onStop(stop: (() => void) | null) {
    this.#onStop = stop
    // A person pressed Stop before the sender had set its stop function.
    if (this.#stopped && stop && !this.end) stop()
  }

  /** Stops the request for a person. Returns false when it had ended. */
  stop(): boolean {
    if (this.end) return false
    this.#stopped = true
    this.#onStop?.()
    return true
  }

  asks({ model, stream }: { model?: string | null; stream?: boolean }): void {
    if (this.end) return
    if (stream !== undefined) this.#stream = stream
    if (model !== undefined) {
      this.#model = model === null ? null : tidy(model, 300)
      this.#caller = this.#owner.callers.of(this.who, this.#model)
    }
    this.#owner.changed(this)
  }

  ignores(what: string): void {
    const text = tidy(what, 300)
    if (this.end || this.#ignored.length >= maxIgnored || this.#ignored.includes(text)) return
    this.#ignored.push(text)
    this.#owner.changed(this)
  }

  queued(): void {
    if (this.end || this.#waitingSince >= 0) return
    const now = this.#owner.clock()
    this.#endBackoff(now)
    this.#waitingSince = now
    this.#become('waiting')
  }

  admitted(): void {
    if (this.end) return
    const now = this.#owner.clock()
    this.#endPause(now)
    this.#attemptSince = now
    this.#count()
    this.#become('sent')
  }

  backsOff(status: number): void {
    if (this.end) return
    const now = this.#owner.clock()
    this.#endWait(now)
    this.#count()
    this.#doubtAttempt(status)
    this.#retriedAfter = this.#retriedAfter === null ? `${status}` : `${this.#retriedAfter},${status}`
    this.#counted = false
    this.#out = false
    this.#status = null
    this.#requestId = null
    this.#bytesUp = 0
    this.#backoffSince = now
    this.#limited = status === 429
    this.#become('backing_off')
  }

  connected(): void {
    if (this.end) return
    const now = this.#owner.clock()
    this.#endPause(now)
    this.#count()
    this.#out = true
    this.#sent = true
    this.#connectMs = now - this.#attemptSince
    this.#become('sent')
  }

  sentBytes(count: number): void {
    if (this.end) return
    this.#bytesUp += count
    this.#owner.changed(this)
  }

  replied(status: number, requestId: string | null): void {
    if (this.end) return
    this.#status = status
    this.#requestId = requestId === null ? null : tidy(requestId, 200)
    this.#become('streaming')
  }

  receivedBytes(count: number): void {
    if (this.end) return
    if (this.#firstByteMs < 0) this.#firstByteMs = this.#owner.clock() - this.#start
    this.#bytesDown += count
    this.live = 'streaming'
    this.#owner.changed(this)
  }

  reads(reading: () => MeterReading): void {
    if (!this.end) this.#reads = reading
  }

  headers(request: Pairs, reply: Pairs, clean: (text: string) => string): void {
    if (!this.end) this.headersKept = { request, reply, clean }
  }

  bodies(request: CopiedBody | null, reply: CopiedBody | null): void {
    if (!this.end && this.logBodies && (request || reply)) this.bodiesKept = { request, reply }
  }

  prompt(conversation: string | null, sections: readonly HashedSection[] | null): void {
    this.#owner.prompted(this, conversation, sections)
  }

  ends(end: RequestEnd, reading: MeterReading | null): void {
    if (this.end) return
    const now = this.#owner.clock()
    // An attempt that failed before it had a connection counts; waiting in the queue does not.
    if (end.state === 'failed' && this.#waitingSince < 0) this.#count()
    this.#endPause(now)
    this.#reads = null
    const used = this.#used(end.state, reading)
    const { model = null, finishReason = null } = reading ?? {}
    if (model !== null && model !== this.#model) this.#answeredModel = tidy(this.#clean(model), 300)
    if (finishReason !== null) this.#finishReason = tidy(this.#clean(finishReason), 100)
    const row = this.stored(now)
    row.state = codeOf(endStates, end.state)
    row.outcome = codeOf(outcomes, outcomeOf(end.state, this.#status))
    row.durationUs = micros(now - this.#start)
    Object.assign(row, used)
    if (end.state === 'cancelled') {
      row.cancelledBy = codeOf(cancellers, this.#stopped ? 'person' : (end.by ?? 'studio'))
    }
    if (end.problem) {
      row.problemKind = tidy(end.problem.kind, 100)
      row.problemMessage = tidy(this.#clean(end.problem.message), 1000)
    }
    row.hasBodies = this.bodiesKept ? 1 : 0
    this.end = row
    this.#onStop = null
    this.#owner.ended(this)
  }

  /** Ends a request that the end of the program cuts, with what was read so far. */
  cut(): void {
    this.ends({ state: 'cancelled', by: 'studio' }, this.#reads?.() ?? null)
  }

  /** The columns that do not change while the request runs. */
  #identity() {
    return {
      id: this.id,
      at: this.at,
      caller: this.#caller.id,
      endpoint: this.#endpointCode,
      stream: this.#stream ? 1 : 0,
    } as const
  }

  /** The row as written before the request is sent. */
  opened(): OpenedRequest {
    return {
      ...this.#identity(),
      method: this.#method,
      path: this.#path,
    }
  }

  /** The row in its current state. */
  stored(now = this.#owner.clock()): StoredRequest {
    if (this.end) return this.end
    return {
      ...this.#identity(),
      outcome: null,
      state: null,
      status: this.#status,
      attempts: this.#attempts,
      queuedUs: micros(this.#queuedMs + (this.#waitingSince < 0 ? 0 : now - this.#waitingSince)),
      backoffUs: micros(this.#backoffMs + (this.#backoffSince < 0 ? 0 : now - this.#backoffSince)),
      backoff429Us: micros(
        this.#backoff429Ms + (this.#backoffSince < 0 || !this.#limited ? 0 : now - this.#backoffSince),
      ),
      connectUs: this.#connectMs < 0 ? null : micros(this.#connectMs),
      firstByteUs: this.#firstByteMs < 0 ? null : micros(this.#firstByteMs),
      durationUs: null,
      bytesUp: this.#bytesUp,
      bytesDown: this.#bytesDown,
      ...this.#usedSoFar(now),
      requestId: this.#requestId,
      hasBodies: 0,
      times: 1,
      cancelledBy: null,
      retriedAfter: this.#retriedAfter,
      method: this.#method,
      path: this.#path,
      model: this.#caller.many ? this.#model : null,
      origin: null,
      problemKind: null,
      problemMessage: null,
      dialect: this.#dialect,
      askedModel: this.#askedModel,
      answeredModel: this.#answeredModel,
      finishReason: this.#finishReason,
      ignored: jsonOf(this.#ignored),
      adapted: jsonOf(this.#adapted),
      answer: this.#answer,
    }
  }

  get model(): string | null {
    return this.#model
  }

  /** The price of a chat with this model, at the prices of the start of this request. */
  readonly chatPrice = (model: string | null, tokens: { in: number; cached: number; out: number }): Nano | null =>
    this.#owner.price('chat', model, {
      tokensIn: tokens.in,
      tokensCached: tokens.cached,
      tokensOut: tokens.out,
      bytesUp: this.#bytesUp,
      count: 1,
    })

  #used(state: RequestEnd['state'], reading: MeterReading | null): Used {
    const { cost, is } = costOf(
      {
        endpoint: this.#endpoint,
        model: this.#model,
        stream: this.#stream,
        state,
        status: this.#status,
        sent: this.#sent,
        doubt: this.#doubt,
        bytesUp: this.#bytesUp,
        count: this.#pictures,
        reading,
      },
      this.#owner.price,
    )
    const tokens = cleanUsage(reading?.usage ?? null)
    const reported = tokens.in !== null || tokens.out !== null
    return {
      tokensIn: tokens.in,
      tokensOut: tokens.out,
      tokensCached: tokens.cached,
      tokensAre: codeOf(certainties, reported ? (reading?.measured ? 'measured' : 'estimated') : 'unknown'),
      cost,
      costIs: codeOf(certainties, is),
    }
  }

  /** Usage and cost as if the request ended now, at most once a second: for viewers of a running reply. */
  #usedSoFar(now: number): Used {
    if (!this.#reads || this.#bytesDown === 0) return this.#soFar?.used ?? nothingUsed
    if (!this.#soFar || now - this.#soFar.at >= readEveryMs) {
      this.#soFar = { at: now, used: this.#used('done', this.#reads()) }
    }
    return this.#soFar.used
  }

  /** Headers and bodies without secrets, for storage and display. */
  cleaned(): {
    requestHeaders: Pairs | null
    replyHeaders: Pairs | null
    request: LoggedBody | null
    reply: LoggedBody | null
    replyTimes: ArrivalTimes | null
  } {
    const kept = this.headersKept
    const secrets = this.#owner.secrets()
    const pairs = (which: 'request' | 'reply') => kept && cleanPairs(kept, kept[which], secrets)
    const body = (copied: CopiedBody | null | undefined): LoggedBody | null => {
      if (!copied) return null
      const { text, bytes, capped } = copied
      return { text: text === null ? null : secrets.body(this.#clean(text), capped), bytes, capped }
    }
    return {
      requestHeaders: pairs('request'),
      replyHeaders: pairs('reply'),
      request: body(this.bodiesKept?.request),
      reply: body(this.bodiesKept?.reply),
      replyTimes: this.bodiesKept?.reply?.times ?? null,
    }
  }

  #clean(text: string): string {
    return withoutLocalKeys(this.headersKept?.clean(text) ?? text)
  }

  #become(state: LiveRequestState): void {
    this.live = state
    this.#owner.changed(this)
  }

  #count(): void {
    if (this.#counted) return
    this.#counted = true
    this.#attempts += 1
  }

  /** Ends the wait in the queue or the backoff that is in progress, if any. */
  #endPause(now: number): void {
    this.#endBackoff(now)
    this.#endWait(now)
  }

  #endWait(now: number): void {
    if (this.#waitingSince < 0) return
    this.#queuedMs += now - this.#waitingSince
    this.#waitingSince = -1
    this.#attemptSince = now
  }

  #endBackoff(now: number): void {
    if (this.#backoffSince < 0) return
    this.#backoffMs += now - this.#backoffSince
    if (this.#limited) this.#backoff429Ms += now - this.#backoffSince
    this.#backoffSince = -1
    this.#attemptSince = now
  }

  /** Records whether a failed attempt may have made the service work. */
  #doubtAttempt(status: number): void {
    if (this.#out && (status === 0 || status >= 500)) this.#doubt = true
  }
}

const micros = (ms: number): number => Math.round(ms * 1000)
