import type { App } from '../../../src-preload/contract/apps.ts'
import type { Endpoint } from '../../../src-preload/contract/requests.ts'
import type { CancelSignal } from '../shared/cancel.ts'
import type { Nano } from '../shared/money.ts'

// The words that upstream, the local /v1, the desk and the books share, so that none of them needs to know another.

/** `X-RateLimit-Limit`, `X-RateLimit-Remaining` (requests), `Retry-After` (ms). */
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

export type StudioFeature = 'chat' | 'speech' | 'transcribe' | 'images' | 'account'

/** Who asks: the studio for a person who waits, or a tool by its key's id. */
export type Requester = { kind: 'studio'; feature: StudioFeature } | { kind: 'tool'; id: string; failFast: boolean }

/** One attempt that wants to go to the service. */
export interface AdmissionRequest {
  asker: Requester
  /** Inference holds one of the key's concurrent slots until its reply is closed (specification, Limits); read-outs don't. */
  slot: boolean
  /** Expected use, prompt and reply together; 0 where none. */
  tokens: number
  model: string | null
  signal: CancelSignal | undefined
  /** It belongs to what was sent before another connection was chosen: the file of a reply. */
  afterwards?: boolean
  /** Told when it has to wait and when the wait is over. */
  trace: Pick<RequestTrace, 'id' | 'queued' | 'admitted'>
}

/** The leave to send one attempt. Given back exactly once, when its connection is free again. */
export interface Permit {
  /** `tokens` is what was used, as far as known. */
  leave(tokens: number | null): void
}

/** The one admission desk of the program: every attempt to reach the service goes by it, the studio's and the tools'. */
export interface Scheduler {
  /**
   * At once where nothing stands in the way, otherwise in turn.
   * @throws StudioError `cancelled`, `would_wait` (fail fast), `queue_full`, `queue_timeout`
   */
  enter(wish: AdmissionRequest): Permit | Promise<Permit>
  /** Each reply's head, with the pass of its request; a 429 holds everyone for its `Retry-After`. */
  saw(status: number, rateLimit: RateLimitHeaders, pass?: Permit): void
}

type Pairs = [name: string, value: string][]

/** What is known of a request when its row is opened. */
export interface RequestNotice {
  asker: Requester
  method: string
  /** Below the base address, without its query. */
  path: string
  endpoint: Endpoint
  model: string | null
  stream: boolean
  /** How many pictures it asks for, where it does; 1 where nobody says. */
  pictures?: number
  /** Whether copies of headers and bodies may be kept. */
  logBodies: boolean
}

export interface RequestEnd {
  state: 'done' | 'failed' | 'refused' | 'cancelled' | 'cut'
  /** For `cancelled`. */
  by?: 'app' | 'person' | 'studio'
  /** `kind` is a ProblemKind or the code of a refusal of ours. */
  problem?: { kind: string; message: string }
}

/** What was used, as far as the reply or a count of ours tells. */
export interface MeterReading {
  usage: TokenUsage | null
  /** True: the service's own figures. */
  measured: boolean
  /** Whether any output (text, reasoning, tool call, audio, picture) had come. */
  output: boolean
}

export interface CopiedBody {
  /** The first bytes, secrets cut out; null where they are no text. */
  text: string | null
  bytes: number
  capped: boolean
}

/** One request as the books follow it, from before it is sent until after it has ended. Every method is cheap. */
export interface RequestTrace {
  readonly id: number
  /** Pending until the row stands in the database, null once it does: nothing is sent before. */
  readonly written: Promise<void> | null
  readonly logBodies: boolean
  /** Set by whoever carries the request: what a person's Stop does. */
  onStop: (() => void) | null
  /** Learned from the body after the row was opened. */
  asks(what: { model?: string | null; stream?: boolean }): void
  queued(): void
  admitted(): void
  /** An attempt failed and another will follow; 0 for a lost connection. */
  backsOff(status: number): void
  /** A connection is there and the request begins to go out on it. */
  connected(): void
  sentBytes(count: number): void
  /** A status line, the service's or ours. */
  replied(status: number, requestId: string | null): void
  receivedBytes(count: number): void
  /** What was used so far can be asked for from now on; costs up to some ms, so that it is asked now and then, if somebody looks. */
  reads(reading: () => MeterReading): void
  /** Headers with their secrets cut out when they are read, by `clean`. */
  headers(request: Pairs, reply: Pairs, clean: (text: string) => string): void
  bodies(request: CopiedBody | null, reply: CopiedBody | null): void
  /** Ends it; later calls change nothing. */
  ends(end: RequestEnd, reading: MeterReading | null): void
}

/** A request that was turned away at the gate, before it was anybody's. */
export interface GateRefusal {
  /** Where the key was good all the same (a paused tool); else null. */
  toolId: string | null
  /** In words: `a web page at https://evil.example`, `a program without a key`. */
  from: string
  method: string
  path: string
  status: number
  code: string
  message: string
}

/** Where every request is written down. */
export interface RequestLog {
  open(notice: RequestNotice): RequestTrace
  /** Holds nobody up; the same from the same place within a minute counts up one row, so that a flood fills nothing. */
  refused(refusal: GateRefusal): void
}

/** A profile at its base address: whatever is learned there belongs to it alone. */
export interface ProfileLocation {
  /** A profile's id; empty where there is none. */
  profile: string
  baseUrl: string
}

/** Books that know whose requests they write down, also once another connection stands. */
export type RequestLogOf = (place: ProfileLocation) => RequestLog

/** What a presented key is. `tool` stands where the secret was right. */
export type Verified =
  | { good: true; tool: App }
  | { good: false; why: 'unknown' | 'revoked' | 'paused' | 'expired'; tool: App | null }

/** What a tool's request is expected to use, before it is sent. */
export interface Expectation {
  endpoint: Endpoint
  model: string | null
  /** The body names its model later, behind a file: `expect` is asked again then, before the request is complete. */
  modelPending?: boolean
  tokensIn: number
  tokensOut: number
  /** Null where nothing is known of the model's price. */
  cost: Nano | null
}

/** A limit that would be exceeded: 429 with a time to wait, or 402. */
export interface LimitRefusal {
  status: 402 | 403 | 429
  code: string
  message: string
  retryAfterMs: number | null
}

/** A tool's share of its limits for one request, held until it is given back, once. */
export interface AllowanceReservation {
  /** The request ended; what it cost stands in the books already. `tokens` is null where nobody knows. */
  giveBack(tokens: number | null): void
}

/** Each tool's own limits: a tool over one of them is refused at once and never waits for it. */
export interface Allowance {
  /** From the head alone, before the body: endpoint, requests a minute, requests at once, budgets that are used up. */
  begin(tool: App, endpoint: Endpoint): AllowanceReservation | LimitRefusal
  /** From the body, on top of the share: model, tokens a minute, and the budget, of which the estimate is reserved. */
  expect(tool: App, share: AllowanceReservation, expected: Expectation): LimitRefusal | null
}
