import type * as z from 'zod'
import type { App } from '../../../src-preload/contract/apps.ts'
import type { AskReason } from '../../../src-preload/contract/questions.ts'
import type { AnswerKind, Endpoint, RequestDialect, studioFeature } from '../../../src-preload/contract/requests.ts'
import type { CacheChange, PromptSectionKind } from '../../../src-preload/contract/sessions.ts'
import type { Nano } from '../shared/money.ts'

// Types that upstream, the gateway, the request log and the limits share, so that none of them imports another.

/** `X-RateLimit-Limit` and `X-RateLimit-Remaining` in requests, `Retry-After` in ms. */
export interface RateLimitHeaders {
  limit: number | null
  remaining: number | null
  retryAfterMs: number | null
}

export interface TokenUsage {
  promptTokens: number | null
  completionTokens: number | null
  totalTokens: number | null
  /** A subset of `promptTokens`. */
  cachedTokens: number | null
}

export type StudioFeature = z.infer<typeof studioFeature>

/** The sender of a request: a feature of the studio, or an app. `failFast`: refuse the request instead of queueing it. */
export type Requester = { kind: 'studio'; feature: StudioFeature } | { kind: 'app'; id: string; failFast: boolean }

/** One attempt to send a request to the service. */
export interface AdmissionRequest {
  requester: Requester
  /** Whether the attempt needs one of the key's concurrent slots until its reply is closed. Only inference does (specification, Limits). */
  slot: boolean
  /** Expected tokens of prompt and reply together. */
  tokens: number
  model: string | null
  signal: AbortSignal | undefined
  /** Whether the attempt belongs to a request of an earlier connection, such as the file of a reply. */
  afterwards?: boolean
  /** Called when the attempt starts and stops waiting. */
  trace: Pick<RequestTrace, 'id' | 'queued' | 'admitted'>
}

/** Permission to send one attempt. `leave` must be called exactly once, when the attempt's connection is free again. */
export interface Permit {
  /** @param tokens the tokens used, or null if unknown */
  leave(tokens: number | null): void
}

/** Admits every attempt to reach the service, by the studio or by an app. */
export interface Scheduler {
  /**
   * Returns a permit at once, or a promise of one if the request has to wait for its turn.
   * @throws StudioError `cancelled`, `would_wait` (fail fast), `queue_full`, `queue_timeout`
   */
  enter(request: AdmissionRequest): Permit | Promise<Permit>
  /** Call with the headers of each reply. A 429 makes all requests wait for its `Retry-After`. */
  saw(status: number, rateLimit: RateLimitHeaders, permit?: Permit): void
}

type Pairs = [name: string, value: string][]

/** The facts about a request that are known when its row is opened. */
export interface RequestNotice {
  requester: Requester
  method: string
  /** Path below the base address, without the query. */
  path: string
  endpoint: Endpoint
  model: string | null
  stream: boolean
  /** API of another vendor that the request was translated from. Absent for the service's own. */
  dialect?: RequestDialect
  /** Model that the app asked for, if another one is sent. */
  askedModel?: string
  /** Fields and tools that have no effect. */
  ignored?: readonly string[]
  /** Fields that were changed as the app allows (`App.adaptRequests`). */
  adapted?: readonly string[]
  /** What a person answered to the question whether the request may be sent. Absent without a question. */
  answer?: AnswerKind
  /** Number of images requested. Absent for other requests. */
  pictures?: number
  /** Whether copies of the headers and bodies may be stored. */
  logBodies: boolean
  /** The row of the request that a person asks again. */
  againOf?: number
}

export interface RequestEnd {
  state: 'done' | 'failed' | 'refused' | 'cancelled' | 'cut'
  /** Who cancelled the request, for the state `cancelled`. */
  by?: 'app' | 'person' | 'studio'
  /** `kind` is a ProblemKind or the code of a refusal by this program. */
  problem?: { kind: string; message: string }
}

/** The use of a request so far, reported by the service or counted here. */
export interface MeterReading {
  usage: TokenUsage | null
  /** Whether the figures are the service's own. */
  measured: boolean
  /** Whether any output (text, reasoning, tool call, audio, image) has arrived. */
  output: boolean
  /** Model that a chat reply names. */
  model?: string | null
  /** `finish_reason` of the first choice that has finished. */
  finishReason?: string | null
}

/** When the parts of a reply arrived, ms after the first one, and their bytes. */
export type ArrivalTimes = readonly (readonly [ms: number, bytes: number])[]

export interface CopiedBody {
  /** The first bytes with secrets removed, or null if they are not text. */
  text: string | null
  bytes: number
  capped: boolean
  /** At most 2,000: parts of a long reply are joined. */
  times?: ArrivalTimes
}

/**
 * One section of a prompt, without its text: the description of a tool, or a message. `result`: what a tool returned. Services read a prompt
 * from its start, tools first, and cache the start that they have read before. So the first section that differs from the request before
 * ends what comes from the cache.
 */
export interface HashedSection {
  kind: PromptSectionKind
  /** Of the whole content, 66 bits in base64url. */
  hash: string
  /** Of the content without dates and times of day. Equal where nothing else changed. */
  undated: string
  /** Of the content without these and without words that contain digits: counters and most ids. */
  unnumbered: string
  /** Bytes of its text in UTF-8; a picture or another attachment counts as its usual tokens. Tokens are shares of these sizes. */
  size: number
  /** Name of a tool, at most 64 characters. Null for messages. */
  name: string | null
}

/** How many turns in a row lost the cache, up to this one. 0 when the cache works. */
export interface CacheRow {
  who: string
  session: number
  inRow: number
  change: CacheChange
  tokens: number
  cost: Nano | null
}

/** Records one request in the log, from before it is sent until after it has ended. Every method is cheap. */
export interface RequestTrace {
  readonly id: number
  /** Pending until the row is stored, then null. A request must not be sent before. */
  readonly written: Promise<void> | null
  readonly logBodies: boolean
  /** Set by the sender of the request. Called when a person stops it. */
  onStop: (() => void) | null
  /** Adds facts that were read from the body after the row was opened. */
  asks(what: { model?: string | null; stream?: boolean }): void
  /** Adds what had no effect, or what could not be expressed in the API of the app. */
  ignores(what: string): void
  queued(): void
  admitted(): void
  /** An attempt failed and another one will follow. @param status 0 for a lost connection */
  backsOff(status: number): void
  /** A connection is open and the request starts to be sent. */
  connected(): void
  sentBytes(count: number): void
  /** A reply has started, from the service or from this program. */
  replied(status: number, requestId: string | null): void
  receivedBytes(count: number): void
  /** Provides the use so far. A reading may take some ms, so the log reads it only occasionally, while a person watches. */
  reads(reading: () => MeterReading): void
  /** Stores the headers. `clean` removes secrets when they are read. */
  headers(request: Pairs, reply: Pairs, clean: (text: string) => string): void
  bodies(request: CopiedBody | null, reply: CopiedBody | null): void
  /**
   * The prompt of a chat was read, which may be after the end: so that the log finds its session. Call at most once.
   * @param conversation as the app names the conversation, or null
   * @param sections null when the prompt is too large to be compared
   */
  prompt(conversation: string | null, sections: readonly HashedSection[] | null): void
  /** Ends the record. Later calls have no effect. */
  ends(end: RequestEnd, reading: MeterReading | null): void
}

/** A request that was refused before it was sent or queued. */
export interface GateRefusal {
  /** The app whose key was presented with the right secret (such as a paused app), or null. */
  appId: string | null
  /** The sender, as text for a person: `a web page at https://evil.example`, `a program without a key`. */
  from: string
  method: string
  path: string
  /** API of another vendor that the path belongs to. */
  dialect?: RequestDialect | null
  /** The model that the request names, as far as it was read. */
  model?: string | null
  status: number
  code: string
  message: string
  /** A person was asked, and refused. */
  answer?: 'refuse'
}

/** Records every request. */
export interface RequestLog {
  open(notice: RequestNotice): RequestTrace
  /** Records a refusal later, off the hot path. Repetitions from the same sender within a minute share one row, so that a flood can't fill the log. */
  refused(refusal: GateRefusal): void
}

/** A profile at a base address. Prices and names that are learned there apply to it alone. */
export interface ProfileLocation {
  /** The profile's id, or an empty string for none. */
  profile: string
  baseUrl: string
}

/** Returns a log for the requests of one connection, which stays correct after another connection was chosen. */
export type RequestLogOf = (place: ProfileLocation) => RequestLog

/** A presented key of a running app. */
interface VerifiedKey {
  good: true
  app: App
  /** SHA-256 of the key's secret. Tells the two keys apart that an app has for a while after a rotation. */
  keyHash: Uint8Array
}

/** The result of checking a presented key. A refused key has its `app` if its secret was right, else null. */
export type Verified =
  | VerifiedKey
  | { good: false; why: 'unknown' | 'revoked' | 'paused' | 'expired' | 'replaced'; app: App | null }

/** The estimated use of an app's request, before it is sent. */
export interface Expectation {
  endpoint: Endpoint
  model: string | null
  /** The model follows later in the body, after a file. `expect` is then called again, before the request is complete. */
  modelPending?: boolean
  tokensIn: number
  tokensOut: number
  /** Nano-SC, or null if the price of the model is unknown. */
  cost: Nano | null
}

/** A refusal because a limit would be exceeded. */
export interface LimitRefusal {
  status: 402 | 403 | 429
  code: string
  message: string
  retryAfterMs: number | null
  /** Why a person can be asked instead. Absent: the refusal is final. */
  asks?: readonly AskReason[]
  /** With `asks`: by how much an exceeded budget is spent and reserved beyond its amount already, nano-SC. Running requests may cost more than estimated. */
  overspent?: Nano
}

/** One request's part of its app's limits. Must be settled once. */
export interface AllowanceReservation {
  /** Call when the request has ended and its cost is in the log. @param tokens the tokens used, or null if unknown */
  settle(tokens: number | null): void
}

/** Enforces each app's own limits. A request over a limit is refused at once and never queued. */
export interface Allowance {
  /**
   * Checks the request headers: endpoint, requests a minute, concurrent requests, used-up budgets.
   * @param isFree the request costs nothing, so that a used-up budget does not refuse it. Default: whether the endpoint only reads
   */
  begin(app: App, endpoint: Endpoint, isFree?: boolean): AllowanceReservation | LimitRefusal
  /** Checks the body: model, tokens a minute, and the budget, in which the estimate is reserved. */
  expect(app: App, reservation: AllowanceReservation, expected: Expectation): LimitRefusal | null
  /** A person has allowed this request despite these reasons. */
  permit(reservation: AllowanceReservation, reasons: readonly AskReason[]): void
}

/** The span of a budget. */
export type BudgetWindow = 'day' | 'month' | 'total'

/** Spend in billionths of an SC: today and this calendar month (UTC), and the total since the app was created or its spend was reset. */
export type BudgetSpend = Record<BudgetWindow, Nano>

/** Spend and activity of an app. */
export interface SpendTotals extends BudgetSpend {
  /** Whether any part of it is an estimate. */
  estimated: boolean
  /** Requests of unknown cost. They add nothing to the sums. */
  unpricedToday: number
  requestsToday: number
  tokensToday: number
  /** Requests in each of the last 60 minutes, oldest first. */
  perMinute: number[]
}
