import type { StudioError } from '../../errors.ts'
import type { RateLimitHeaders, TokenUsage } from '../../ports/requests.ts'

/** Facts from a reply's headers. Missing or unreadable ones are null. */
export interface ReplyFacts {
  status: number
  requestId: string | null
  contentType: string | null
  rateLimit: RateLimitHeaders
  /** `x-should-retry`: whether the service asks for a retry. */
  shouldRetry?: boolean | null
}

/** One event of a chat stream, in order. `choice` is `choices[].index`. */
export type ChatStreamEvent =
  | { type: 'open'; facts: ReplyFacts }
  /** The reply's id, model and creation time, once. Any may be null. */
  | { type: 'meta'; id: string | null; model: string | null; created: number | null }
  | { type: 'content'; choice: number; text: string }
  /** From `reasoning_content` or `reasoning`. When a delta has both, only the first counts. */
  | { type: 'reasoning'; choice: number; text: string }
  | { type: 'refusal'; choice: number; text: string }
  /**
   * A piece of one tool call. Pieces with the same `index` belong to one call: join their names and arguments.
   * `late`: arguments that were held back until the call was complete, while other output came.
   */
  | {
      type: 'tool_call'
      choice: number
      index: number
      id: string | null
      name: string | null
      arguments: string
      late?: true
    }
  | { type: 'finish'; choice: number; reason: string }
  | { type: 'usage'; usage: TokenUsage }
  /** The reply is complete. No event follows. */
  | { type: 'done' }
  /** The reply failed, or broke off without a failure of the connection. No event follows. */
  | { type: 'error'; error: StudioError }

/** What a part of a reply gives its readers: bytes to pass on, which may be none, and the events that end in them. */
export interface ReplyPiece {
  bytes: Uint8Array
  events: readonly ChatStreamEvent[]
}
