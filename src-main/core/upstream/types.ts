import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Endpoint } from '../../../src-preload/contract/requests.ts'
import type { StudioError } from '../errors.ts'
import type { Via } from '../ports/appMedia.ts'
import type { MeterReading, Requester, RequestTrace, StudioFeature } from '../ports/requests.ts'
import type { ReplyFacts, ReplyPiece } from './reply/events.ts'
import type { RateLimitStatus } from './reply/schemas.ts'

export type { RateLimitHeaders, TokenUsage } from '../ports/requests.ts'
export type { ChatStreamEvent, ReplyFacts, ReplyPiece } from './reply/events.ts'

/** What a call waits for before its output. */
export type WaitNotice =
  | { for: 'turn' } // in the scheduler's queue
  | { for: 'connection' } // the request is being sent
  | { for: 'reply' } // sent; no status line yet
  | { for: 'first_token' } // the status is good; no output yet
  /** `attempt` is the number of the next attempt, from 2 on; it starts in `delayMs`. */
  | { for: 'retry'; attempt: number; delayMs: number; problem: Problem }

/** Options of a call of the studio. */
export interface CallOptions {
  /** Sends the request in place of this client. */
  via?: Via
  /** Feature that sends the request, for the request log. Default: `account`. */
  feature?: StudioFeature
  signal?: AbortSignal
  /** Send at once and only once, even while the service seems unreachable. For callers that repeat the call themselves. */
  once?: boolean
  onWait?: (wait: WaitNotice) => void
  /** Whether the request log may store copies of the request and the raw reply, without the key. Default: false. */
  logBodies?: boolean
  /** The log row of the request that this one repeats. */
  againOf?: number
  /** Called when the log row exists. */
  onRow?: (id: number) => void
  /** Bytes of the uploaded file that this attempt has sent. Each attempt begins at 0. */
  onUploaded?: (bytes: number) => void
  /** Called once after `onRow`, when the log row has its end, its usage and its cost. */
  onClosed?: () => void
}

/** A JSON reply. Fields of the schema are typed; others are preserved. */
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

/** Body of POST /v1/chat/completions. Absent fields are not sent; extra parameters are sent unchanged. */
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

/** Raw bytes of a reply, as they arrive. Read them to the end or cancel the call. */
export interface ByteReply {
  facts: ReplyFacts
  bytes: AsyncIterable<Uint8Array>
}

export interface CreateSpeechRequest {
  input: string
  model?: string
  voice?: string
  response_format?: string
  speed?: number
  [extra: string]: unknown
}

/** A file that is read during the upload, anew for each attempt. Every Blob is one. */
export interface UploadFile {
  size: number
  /** Media type such as `audio/webm`; empty when unknown. */
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

/** A transcription by its content type. `text` is the member of JSON, and all of text and VTT. */
export interface Transcription {
  format: 'json' | 'text' | 'vtt'
  text: string
  /** The body as it arrived. */
  raw: string
  /** The body when it is JSON. Null for other formats, and for more values than a day of speech has. */
  json: Record<string, unknown> | null
  facts: ReplyFacts
}

export interface CreateImageRequest {
  prompt: string
  n?: number
  model?: string
  size?: string
  response_format?: string
  [extra: string]: unknown
}

/** A request of an app that passes through the local `/v1`. */
export interface ForwardRequest {
  method: string
  /** Path below the base address with its query, as the app sent it: `/v1/chat/completions?x=1`. Already checked. */
  path: string
  endpoint: Endpoint
  requester: Requester
  /** Its log row, which the caller opens and ends. */
  trace: RequestTrace
  /** Expected tokens of the prompt, and of prompt and reply together. */
  tokensIn: number
  tokens: number
  /** The local address (`http://127.0.0.1:PORT`) that replaces the base address in the `url`s of an images reply. */
  local(): string
  model: string | null
  stream: boolean
  /** False: send only once, even after a failure that may be retried. */
  retries: boolean
  /** Cut the usage event out of the stream, because this program asked for it and the app did not. */
  stripUsage: boolean
  /** Whether the caller reads the events of the reply. What is too large to be read is then a failure. */
  needsEvents?: boolean
  /** Raw header pairs of the app, without its own credential. `forward` removes the hop-by-hop headers. */
  headers: [name: string, value: string][]
  /** Null without a body; bytes when all of it has arrived; else a stream that is read once, with backpressure. */
  body: AsyncIterable<Uint8Array> | Uint8Array | null
  /** Whether memory is free to copy the start of a streamed body, so that a short one can be retried. */
  mayCopy: boolean
  /** Called once when the reply begins. The body is not sent again, and nothing here refers to it any more. */
  bodyDone(): void
  /**
   * Reserves memory for a reply that must be complete before it is sent. Null when none became free in time. The caller of `forward`
   * releases it.
   */
  reserveMemory(bytes: number): Promise<{ shrink(bytes: number): void } | null>
  signal: AbortSignal
}

/** The reply to a relayed request. */
export interface ForwardReply {
  status: number
  statusText: string
  /** Raw header pairs of the service without hop-by-hop headers. Order and case are preserved. */
  headers: [name: string, value: string][]
  /**
   * Bytes as they arrive, with the events of a chat. Only two changes are made to the bytes: the key is masked by as many bytes, and
   * compression is undone. Throws StudioError when the connection is lost.
   */
  body: AsyncIterable<ReplyPiece>
  /** Returns the whole body if it has arrived and none of it was read. Otherwise null, and the caller reads `body`. */
  whole(): ReplyPiece | null
  /** Call when the rest of the body is not needed. Its connection can be reused if the body ends within 250 ms, else it is closed. */
  settle(): void
  /** Removes the API key from a text that is going to be stored. */
  clean(text: string): string
  /** The usage so far. */
  reading(): MeterReading
  /** Why a reply that has ended failed: it is an error, or a choice is unfinished. Null for a good one. */
  failure(): StudioError | null
  /** Whether this is the event stream of a chat. It has no Content-Length, so an event can follow the bytes of the service. */
  isChatStream: boolean
  /** Whether the service itself has ended a stream: it sent `[DONE]`, or an error as an event. */
  isEnded(): boolean
  /** Number of attempts, 1 without a retry. */
  attempts: number
  /** True when the retry policy gave up on a retryable status. `headers` then contain `x-should-retry: false`. */
  retriesExhausted: boolean
}

/** Result or failure of a rate-limit status call, and its time (UTC). */
export type RateLimitStatusReply = { at: Date; status: RateLimitStatus } | { at: Date; failed: unknown }
