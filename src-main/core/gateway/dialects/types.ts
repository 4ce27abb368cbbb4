import type { IncomingHttpHeaders } from 'node:http'
import type { RequestDialect } from '../../../../src-preload/contract/requests.ts'
import type { ChatRequest, ChatStreamEvent } from '../../upstream/types.ts'
import type { RequestFiles } from './requestFiles.ts'
import type { CallableTool } from './responses/toolNames.ts'

/** The APIs of other vendors that the local API translates to chat completions. */
export type DialectId = RequestDialect

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
  /** Facts for the client's code, where the API has a place for them. */
  details?: JsonObject
}

/** A request in a dialect, translated to chat completions. */
export interface TranslatedRequest extends ReplyTranslation {
  /** The body for the service. `model` is still the name that the app sent; the app's model map is applied later. */
  chat: ChatRequest
  context: ReplyContext
}

/**
 * The settings of a request on which the translation of its reply depends, as data that another thread can send. Each dialect has its own.
 */
export interface ReplyContext {
  readonly kind: string
}

export interface ResponsesContext extends ReplyContext {
  kind: 'responses'
  /** JSON of the members of the Response object that repeat the request: a text, because the tools of a request can have many values. */
  echo: string
  /** Tools that chat completions know by another name, or as functions although they are none, by the name of the function. */
  tools: ReadonlyMap<string, CallableTool>
  /** Return reasoning as a summary. Without it reasoning is returned as reasoning text. */
  summarizes: boolean
  /** Return reasoning sealed too, because the request asked for `reasoning.encrypted_content`. */
  seals: boolean
  /** Return a summary of the conversation as one `compaction` item. */
  compacts: boolean
}

export interface MessagesContext extends ReplyContext {
  kind: 'messages'
  /** Leave out the reasoning, because the client turned thinking off. */
  hideReasoning: boolean
  /** Names of tools that the service knows by another name, by that name. */
  toolNames: ReadonlyMap<string, string>
}

/** How the reply to a request is translated. It refers to no part of the conversation, because a reply may take many minutes. */
export interface ReplyTranslation extends ReplyFunctions {
  stream: boolean
  /** Fields and tools that have no effect here, such as `tools.web_search`. Sent as `x-studio-ignored` and written to the log. */
  ignored: string[]
}

/** What a dialect does with the reply to one request. */
export interface ReplyFunctions {
  /**
   * Translates one reply. Call once per request.
   * @param isSilent write no events, for a reply that is sent whole (`result`)
   */
  openReply(details: ReplyDetails, isSilent: boolean): StreamTranslator
  /** Writes a whole reply as JSON, where `JSON.stringify` is not the whole of it. */
  toJson?(reply: JsonObject): Buffer
  /** Content type of the stream. Server-sent events by default. */
  streamType?: string
}

/** What the path of a request says besides its body, such as the model in a path of Gemini's API. Plain data, for another thread. */
export type PathMembers = Readonly<Record<string, string | boolean>>

/** The head of a request to the local API. */
export interface RequestTarget {
  method: string
  /** Segments of the path as paths are compared: decoded and in lower case, without the query. `['v1', 'responses']` for `/v1/Responses/?x=1`. */
  segments: readonly string[]
  /** The path with its query, as the app wrote it. */
  path: string
  headers: IncomingHttpHeaders
}

/** A translation that becomes a chat completion at the service. */
interface CreateRoute {
  dialect: DialectId
  action: 'create'
  inPath?: PathMembers
}

/** A count of tokens by this computer. */
interface CountRoute {
  dialect: DialectId
  action: 'count_tokens'
  inPath?: PathMembers
  /** The reply for a number of tokens. */
  replyOf(tokens: number): JsonObject
}

/** The service's model list, or one model of it, in the shape of the dialect. */
export interface ModelsRoute {
  dialect: DialectId
  action: 'models'
  /** Null for the list. */
  model: string | null
  query: URLSearchParams
  models: DialectModels
}

/** What this computer knows about the model that the body names. */
export interface DescribeRoute {
  dialect: DialectId
  action: 'describe'
  /** The model in the body. @throws DialectError */
  modelOf(body: JsonObject): string
  replyOf(abilities: ModelAbilities): JsonObject
}

/** What is known about a model, set by a person or learned from replies. Null: unknown. */
export interface ModelAbilities {
  images: boolean | null
  tools: boolean | null
  thinking: boolean | null
  /** Tokens. */
  contextLength: number | null
}

/**
 * What a request to a path of a dialect asks for. Such a path is answered here and never sent to the service: `create` and `compact` become a
 * chat completion, `models` becomes a request for the service's list, and the other actions read or change data of this computer.
 */
export type LocalRoute =
  | CreateRoute
  | CountRoute
  | ModelsRoute
  | DescribeRoute
  | { dialect: 'responses'; action: 'compact' }
  | { dialect: 'responses'; action: 'get' | 'input_items' | 'delete'; id: string }
  /** The whole reply is known from the path. */
  | { dialect: DialectId; action: 'answer'; body: JsonObject }
  | { dialect: DialectId; action: 'refuse'; status: 400 | 404; message: string; allow?: never }
  /** `allow`: the methods that the path has, as in the header of that name. */
  | { dialect: DialectId; action: 'refuse'; status: 405; message: string; allow: string }

/** How a dialect shows the models of the service. `models` is the body of the service's `GET /v1/models`. */
export interface DialectModels {
  /** @throws DialectError 400 for a query that can't be answered */
  list(models: unknown, query: URLSearchParams): JsonObject
  /** One model, or null when the list does not have it. @param name what the app calls it, if its model map has another name for it */
  one(models: unknown, id: string, name?: string): JsonObject | null
}

/**
 * One dialect: all that the local API knows of it. Its functions are pure: no IO, no clock, no randomness. `dialects.ts` has the list of them.
 */
export interface Dialect {
  readonly id: DialectId
  /** Ids of replies begin with it: `resp_`. */
  readonly replyIdPrefix: string
  /** Request headers that may have the app key besides `Authorization` and `x-api-key`, in lower case. They never reach the service. */
  readonly keyHeaders?: readonly string[]
  /** Parameter of the query that may have the app key, at paths of this dialect only. */
  readonly keyParameter?: string
  /** Request headers that begin with it belong to this API and are not sent to the service. In lower case. */
  readonly headerPrefix?: string
  /** Reply header with the id of the request, in lower case. Its clients expect one in every reply. */
  readonly requestIdHeader?: string
  /** Whether `create` is also possible on a WebSocket. */
  readonly hasWebSocket?: true
  /** The route of a request, or null when its path is none of this dialect. */
  route(target: RequestTarget): LocalRoute | null
  /**
   * Translates a request. Without effect when it leaves files unread (`RequestFiles.unread`).
   * @throws DialectError 400 for what can't be translated, naming the field
   */
  translate(body: JsonObject, inPath?: PathMembers, files?: RequestFiles): TranslatedRequest
  /**
   * The functions for the reply to a request with this context, which the dialect made itself.
   * @param said the messages of the user that a compaction repeats, as in `ChatBytes`
   */
  replies(context: ReplyContext, said: Buffer | null): ReplyFunctions
  /** The body of an error reply in the shape of the dialect. */
  errorBody(problem: DialectProblem, requestId: string): JsonObject
  /** Whether the failure of a streamed request is sent as the failure of its stream, with status 200, rather than with this status. */
  failsInStream?(headers: IncomingHttpHeaders, status: number): boolean
}

/** Facts that a reply states besides the text of the model. */
export interface ReplyDetails {
  /** Id of the reply, unique on this computer. It begins with the dialect's `replyIdPrefix`. */
  id: string
  /** Seconds since 1970 at which the reply began. */
  createdAt: number
  /** The service's model that was asked. A reply that names its own model overrides it. */
  model: string
  /** Estimated tokens of the prompt, for events that are sent before the service has counted them. */
  tokensIn: number
  /** Seals the model's reasoning, so that only this computer can read it, and only for the same app. Null when the text is too long. */
  seal?: (text: string) => string | null
  /** Receives one sentence for each thing in the reply that the dialect can't express, for the log's detail. It contains no text of the model. */
  report?: (note: string) => void
  /** The time in seconds since 1970, called once when the reply has ended. Without it the reply has no time of completion. */
  completedAt?(): number
  /** Called when the first reasoning of the model arrives. */
  reasoned?(): void
  /** When the request began, and the time now, ms since 1970. Without it times are those of `createdAt`. */
  clock?: { startedMs: number; nowMs(): number }
}

/**
 * Translates the events of one chat reply to the stream of the dialect, such as server-sent events. Every method returns the text to write
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
  /** Written after what `fail` returned, and apart from it, for clients that look for a failure between the events only. Empty by default. */
  readonly afterFailure?: string
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
