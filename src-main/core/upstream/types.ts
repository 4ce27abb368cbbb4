import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Endpoint } from '../../../src-preload/contract/requests.ts'
import type {
  MeterReading,
  RateLimitHeaders,
  Requester,
  RequestTrace,
  StudioFeature,
  TokenUsage,
} from '../ports/requests.ts'
import type { CancelSignal } from '../shared/cancel.ts'
import type { BodySink } from './body.ts'
import type { RateLimitStatus } from './schemas.ts'

export type { RateLimitHeaders, TokenUsage } from '../ports/requests.ts'

/** What a call is waiting for before it has output. */
export type WaitNotice =
  | { for: 'turn' } // in the queue of the one desk
  | { for: 'connection' } // the request is on its way
  | { for: 'reply' } // sent; no status line yet
  | { for: 'first_token' } // the status was good; no output yet
  /** `attempt` is the one that will start next, from 2 on; `delayMs` from now. */
  | { for: 'retry'; attempt: number; delayMs: number; problem: Problem }

export interface CallOptions {
  /** Which room of the studio asks, for the books; `account` where none is named. */
  feature?: StudioFeature
  signal?: AbortSignal
  /** Asked now and once, also where nothing seems to answer, and not again: who asks comes back by itself. */
  once?: boolean
  onWait?: (wait: WaitNotice) => void
  /** Whether copies of what is sent and of the raw reply may be kept in the books, without the key; false where nobody says. */
  logBodies?: boolean
  /** Its row in the books stands, of this id. */
  onRow?: (id: number) => void
  /** Bytes of the uploaded file that have left, of this attempt: each begins at 0 again. */
  onUploaded?: (bytes: number) => void
  /** That row has its end: what the request used and cost is known. Called once, if `onRow` was. */
  onClosed?: () => void
}

/** What a reply's headers said, parsed defensively: anything missing or odd is null. */
export interface ReplyFacts {
  status: number
  requestId: string | null
  contentType: string | null
  rateLimit: RateLimitHeaders
  /** `x-should-retry`: whether the service wishes to be asked again. */
  shouldRetry?: boolean | null
}

/** A JSON reply: what the schema knows is typed, everything else is kept beside it. */
export interface UpstreamReply<T> {
  facts: ReplyFacts
  value: T
}

export interface ContentPart {
  type: string
  text?: string
  image_url?: { url: string; detail?: 'auto' | 'low' | 'high' }
  [extra: string]: unknown
}

export interface ChatMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  content?: string | null | ContentPart[]
  name?: string
  tool_call_id?: string
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  [extra: string]: unknown
}

/** Body of POST /v1/chat/completions. What is left out is not sent; extra parameters go as they are. */
export interface ChatRequest {
  model: string
  messages: ChatMessage[]
  max_tokens?: number
  temperature?: number
  top_p?: number
  stop?: string[]
  n?: number
  presence_penalty?: number
  frequency_penalty?: number
  tools?: unknown[]
  tool_choice?: string | Record<string, unknown>
  response_format?: Record<string, unknown>
  stream_options?: { include_usage?: boolean }
  [extra: string]: unknown
}

/** One thing that a chat stream said, in order. `choice` is `choices[].index`. */
export type ChatStreamEvent =
  | { type: 'open'; facts: ReplyFacts }
  /** First sight of the reply's own id, model and creation time; any may be null. */
  | { type: 'meta'; id: string | null; model: string | null; created: number | null }
  | { type: 'content'; choice: number; text: string }
  /** From `reasoning_content` or `reasoning`; where a delta carries both, the first alone. */
  | { type: 'reasoning'; choice: number; text: string }
  | { type: 'refusal'; choice: number; text: string }
  /** A piece of one call; pieces with the same `index` belong together. */
  | { type: 'tool_call'; choice: number; index: number; id: string | null; name: string | null; arguments: string }
  | { type: 'finish'; choice: number; reason: string }
  | { type: 'usage'; usage: TokenUsage }
  | { type: 'done' }

/** Raw bytes of a reply, as they arrive. Must be read to the end or cancelled through the call's signal. */
export interface ByteReply {
  facts: ReplyFacts
  bytes: AsyncIterable<Uint8Array>
}

export interface SpeechRequest {
  input: string
  model?: string
  voice?: string
  response_format?: string
  speed?: number
  [extra: string]: unknown
}

/** A file that is read while it goes up, anew for each attempt; every Blob is one. */
export interface UploadFile {
  size: number
  /** Such as `audio/webm`; empty where it is not known. */
  type: string
  stream(): AsyncIterable<Uint8Array>
}

export interface TranscriptionRequest {
  file: UploadFile | Uint8Array
  fileName: string
  model?: string
  language?: string
  prompt?: string
  response_format?: string
  temperature?: number
}

/** The reply by its content type: JSON gives `text` (and the whole object), text and VTT give the text as it came. */
export interface Transcription {
  format: 'json' | 'text' | 'vtt'
  text: string
  json: Record<string, unknown> | null
  facts: ReplyFacts
}

export interface ImageRequest {
  prompt: string
  n?: number
  model?: string
  size?: string
  response_format?: string
  [extra: string]: unknown
}

/** A request of a tool, on its way through the local `/v1`. */
export interface ForwardRequest {
  method: string
  /** Path below the base address, with its query, as the tool sent it: `/v1/chat/completions?x=1`. Already checked. */
  path: string
  endpoint: Endpoint
  asker: Requester
  /** Its row in the books, opened by the caller, who ends it too. */
  trace: RequestTrace
  /** Expected use: of the prompt, and of prompt and reply together. */
  tokensIn: number
  tokens: number
  /** The local address (`http://127.0.0.1:PORT`) that takes the place of the base address in `url`s of an images reply. */
  local(): string
  model: string | null
  stream: boolean
  /** False: sent once, whatever comes. */
  retries: boolean
  /** The usage event that this program asked for is cut out of the stream again. */
  stripUsage: boolean
  /** Raw header pairs of the tool, its own credential taken off already; hop-by-hop ones are taken off here. */
  headers: [name: string, value: string][]
  /** Null where there is none; bytes where all of it has come already; else a stream, read once, with backpressure. */
  body: AsyncIterable<Uint8Array> | Uint8Array | null
  /** There is room to keep the start of a streamed body, so that a short one can be sent again. */
  mayKeep: boolean
  /** The reply begins: the body is not sent again, and nothing here refers to it any more. Called once, where a reply comes. */
  bodyDone(): void
  /** Room for a reply that has to be held whole; null where none came free in time. Whoever answers the tool releases it. */
  roomForReply(bytes: number): Promise<{ shrink(bytes: number): void } | null>
  signal: CancelSignal
}

export interface ForwardReply {
  status: number
  statusText: string
  /** Raw header pairs of the service, hop-by-hop ones taken off, order and case kept. */
  headers: [name: string, value: string][]
  /**
   * Bytes as they arrive, unchanged but for the key (masked by as many bytes) and for a compression, which is undone. Throws StudioError when
   * the service cuts it.
   */
  body: AsyncIterable<Uint8Array>
  /** Lets the body flow into a sink, which costs a fraction of iterating it; null where it can only be iterated. */
  flow: ((sink: BodySink) => { goOn(): void }) | null
  /** All of the body at once where it has come already and nothing of it was read; else null, and `body` is to be read. */
  whole(): Uint8Array | null
  /** What was used, as far as it can be told by now. */
  reading(): MeterReading
  /** False for a stream that ended with neither [DONE] nor all of its choices finished. */
  complete(): boolean
  /** How many times it was sent, 1 without a retry. */
  attempts: number
  /** True when the retry policy gave up on a status that it retries: `headers` then say `x-should-retry: false`. */
  retriesExhausted: boolean
}

/** What a call of the rate-limit status returned, or what it failed with, and when (UTC). */
export type RateLimitStatusReply = { at: Date; status: RateLimitStatus } | { at: Date; failed: unknown }
