import type { ChatRequest, ChatStreamEvent } from '../../upstream/types.ts'
import type { CallableTool } from './responses/toolNames.ts'

/** The APIs of other vendors that the local `/v1` translates to chat completions: OpenAI Responses and Anthropic Messages. */
export type DialectId = 'responses' | 'messages'

/** An object of a parsed JSON body. */
export type JsonObject = Record<string, unknown>

/** An error in the request or from the service, before it has the shape of a dialect. */
export interface DialectProblem {
  /** HTTP status of the reply, or of the service's reply. 502 for a stream that broke off. */
  status: number
  message: string
  /** `error.type` of the chat-completions error object, or null if the service sent none. */
  type: string | null
  code: string | null
  /** The request field that can't be translated, such as `tools[2].type`, or null. */
  param: string | null
}

/** A request in a dialect, translated to chat completions. */
export interface TranslatedRequest extends ReplyTranslation {
  /** The body for the service. `model` is still the name that the app sent; the app's model map is applied later. */
  chat: ChatRequest
  context: ReplyContext
}

/** The settings of a request on which the translation of its reply depends, as data that another thread can send. */
export type ReplyContext = ResponsesContext | MessagesContext | { kind: 'compaction' }

export interface ResponsesContext {
  kind: 'responses'
  /** JSON of the members of the Response object that repeat the request: a text, because the tools of a request can have many values. */
  echo: string
  /** Tools that chat completions know by another name, or as functions although they are none, by the name of the function. */
  tools: ReadonlyMap<string, CallableTool>
  /** Return reasoning as a summary. Without it reasoning is returned as reasoning text. */
  summarizes: boolean
}

export interface MessagesContext {
  kind: 'messages'
  /** Leave out the reasoning, because the client turned thinking off. */
  hideReasoning: boolean
}

/** How the reply to a request is translated. It refers to no part of the conversation, because a reply may take many minutes. */
export interface ReplyTranslation {
  stream: boolean
  /** Fields and tools that have no effect here, such as `tools.web_search`. Sent as `x-studio-ignored` and written to the log. */
  ignored: string[]
  /**
   * Translates one reply. Call once per request.
   * @param isSilent write no events, for a reply that is sent whole (`result`)
   */
  openReply(details: ReplyDetails, isSilent: boolean): StreamTranslator
  /** Writes a whole reply as JSON, where `JSON.stringify` is not the whole of it. */
  toJson?(reply: JsonObject): Buffer
}

/** One dialect. Its functions are pure: no IO, no clock, no randomness. */
export interface Dialect {
  readonly id: DialectId
  /**
   * Translates a request.
   * @throws DialectError 400 for what can't be translated, naming the field
   */
  translate(body: JsonObject): TranslatedRequest
  /** The body of an error reply in the shape of the dialect. */
  errorBody(problem: DialectProblem, requestId: string): JsonObject
}

/** Facts that a reply states besides the text of the model. */
export interface ReplyDetails {
  /** Id of the reply, unique on this computer: `resp_…` or `msg_…`. */
  id: string
  /** Seconds since 1970 at which the reply began. */
  createdAt: number
  /** The service's model that was asked. A reply that names its own model overrides it. */
  model: string
  /** Estimated tokens of the prompt, for events that are sent before the service has counted them. */
  tokensIn: number
  /** Receives one sentence for each thing in the reply that the dialect can't express, for the log's detail. It contains no text of the model. */
  report?: (note: string) => void
  /** The time in seconds since 1970, called once when the reply has ended. Without it the reply has no time of completion. */
  completedAt?(): number
}

/**
 * Translates the events of one chat reply to server-sent events, each ending with a blank line. Every method returns the text to write
 * now, which may be empty. No event is invented: `end` and `fail` are called for what the service did.
 */
export interface StreamTranslator {
  /** Why the translator itself has failed the reply, which is then over: it is too large. Null otherwise. */
  readonly failure: string | null
  /** Takes any event but `done` and `error`, for which `end` and `fail` are called. */
  push(event: ChatStreamEvent): string
  /** The reply is complete, with or without a finish reason. */
  end(): string
  /** The service failed, or its reply broke off. */
  fail(problem: DialectProblem): string
  /**
   * The reply object as far as it has arrived. Stored for `GET /v1/responses/{id}`.
   * @throws StudioError for a failed reply, in an API whose reply objects can't say that
   */
  result(): JsonObject
  /**
   * The reply can't be stored although the app asked for that, and says so from now on (`store: false`). Only dialects with stored replies
   * have this method.
   * @param last what `end` or `fail` returned, when the reply has ended
   * @returns the text to write instead
   */
  notStored?(last: string): string
}
