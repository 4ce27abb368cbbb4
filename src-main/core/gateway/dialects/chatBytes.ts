import type { ModelRule } from '../../../../src-preload/contract/modelMap.ts'
import { maxStoredItems, maxStoredResponse, type StoredItem } from '../../ports/storedResponses.ts'
import { conversationIn } from '../../requestLog/sessions/sections.ts'
import { JsonScan, maxDepth } from '../../upstream/json/jsonScan.ts'
import { isFields } from '../../upstream/json/values.ts'
import { parametersOf } from '../../upstream/request/chatParameters.ts'
import type { RequestParameters } from '../../upstream/request/parameters.ts'
import type { ChatRequest } from '../../upstream/types.ts'
import { mappedModel } from '../apps/modelMap.ts'
import type { ReasoningSent } from '../apps/reasoningRefusals.ts'
import { DialectError } from './dialectError.ts'
import { dialects } from './dialects.ts'
import type { RequestFiles } from './requestFiles.ts'
import { translateCompaction } from './responses/compaction.ts'
import type { StoredItems } from './responses/inputItems.ts'
import { translateResponses } from './responses/responses.ts'
import type { Sealing } from './responses/sealedReasoning.ts'
import { storedItem } from './stored/earlierResponses.ts'
import type {
  DialectId,
  JsonObject,
  PathMembers,
  ReplyContext,
  ReplyTranslation,
  ResponsesContext,
  TranslatedRequest,
} from './types.ts'

/**
 * What a translated request asks for: a reply, the compaction of a conversation of the Responses API, or a turn on a WebSocket of that API.
 */
export type TranslatedAction = 'create' | 'compact' | 'turn'

export interface ChatBytesOptions {
  dialect: DialectId
  action: TranslatedAction
  /** What the path of the request says. */
  inPath?: PathMembers
  modelMap: readonly ModelRule[]
  /** Models of the service that refuse `reasoning_content`. */
  refuseReasoning?: ReadonlySet<string>
  /** With what reasoning of the app is sealed. */
  sealing?: Sealing
  /** Id of the reply. */
  replyId: string
  /** Size of the request with the items that it refers to, bytes. */
  length: number
  /** Items that a Responses request refers to. */
  stored: StoredItems
  /** The files of the request. The translation has to be repeated when it leaves some unread. */
  files?: RequestFiles
  /** Whether the previous response exists in memory only, so that one after it can't be stored. */
  followsUnstored?: boolean
}

/** A translated request as bytes for the service. */
export interface ChatBytes {
  body: Buffer
  asked: RequestParameters
  /** Model in the app's request. The body has the model of the app's map. */
  askedModel: string
  stream: boolean
  reasoning: ReasoningSent
  /** The conversation, as the app names it in its request. */
  conversation: string | null
  /** Fields and tools that have no effect. */
  ignored: string[]
  context: ReplyContext
  /** What is stored or remembered with the reply, or null when nothing is. */
  stored: { previous: string | null; input: StoredItem[] } | null
  /** For a compaction: the messages of the user that its reply repeats, as in `CompactionRequest`. */
  said: Buffer | null
}

/** Parses a body of valid UTF-8. @throws DialectError when it is not an object */
export function parseObject(bytes: Buffer): JsonObject {
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
  }
  if (isFields(value)) return value
  throw new DialectError(null, 'The body must be one JSON object.', 'body_unreadable')
}

/** Translates a request to the bytes of a chat completion. A streamed reply always reports its usage. @throws DialectError */
export function chatBytesOf(body: JsonObject, options: ChatBytesOptions): ChatBytes {
  const { dialect, action, inPath, modelMap, refuseReasoning, replyId, length, followsUnstored = false } = options
  const isWanted = dialect === 'responses' && action !== 'compact' && body.store !== false
  const isImpossible = isWanted && !isStored(body, length, followsUnstored)
  const given = isImpossible ? { ...body, store: false } : body
  let request: TranslatedRequest
  let stored: ChatBytes['stored'] = null
  let said: Buffer | null = null
  if (action === 'compact') {
    const compaction = translateCompaction(given, replyId, options.stored, options)
    request = compaction
    said = compaction.said
  } else if (dialect === 'responses') {
    const { store, previousResponseId, storedInput, ...translated } = translateResponses(given, options.stored, options)
    // The connection of a turn has a memory of its own for what is not stored.
    if (store || action === 'turn')
      stored = { previous: previousResponseId, input: storedInput(replyId).map(storedItem) }
    request = translated
  } else request = dialects[dialect].translate(given, inPath, options.files)
  if (isImpossible) request.ignored.push('store')
  const { chat: translatedChat, stream, ignored, context } = request
  if (isOfResponses(context)) checkEcho(context.echo)
  const askedModel = translatedChat.model
  if (askedModel.length > maxModelLength) {
    throw new DialectError('model', `The name of a model may have at most ${maxModelLength} characters.`)
  }
  const chat: ChatRequest = { ...translatedChat, model: mappedModel(modelMap, askedModel) }
  if (stream) {
    chat.stream = true
    chat.stream_options = { include_usage: true }
  }
  const reasoning = reasoningSent(chat, refuseReasoning?.has(chat.model) ?? false)
  if (reasoning === 'withheld') ignored.push('reasoning_content')
  const asked = parametersOf(chat)
  const conversation = conversationIn(given)
  const more = { asked, askedModel, stream, reasoning, conversation, ignored, context, stored, said }
  if (asked.json) return { body: Buffer.from(JSON.stringify(chat)), ...more }
  throw new DialectError(null, `The translated request has more than ${maxDepth} levels of nesting.`, 'body_unreadable')
}

/** Removes the reasoning of earlier messages when the model refuses it. */
function reasoningSent({ messages }: ChatRequest, isRefused: boolean): ReasoningSent {
  const reasoned = messages.filter((message) => message.reasoning_content !== undefined)
  if (reasoned.length === 0) return null
  if (!isRefused) return 'sent'
  for (const message of reasoned) delete message.reasoning_content
  return 'withheld'
}

/** Longest name of a model. The rules of the model map are compared with it one after another. */
const maxModelLength = 1000

/**
 * Bounds of the JSON that a response repeats of its request, in UTF-16 units and values. The main thread writes it three times into a stream,
 * reads it into the whole reply, and stores it.
 */
const maxEcho = { length: 6 * 1024 * 1024, values: 50_000 }

/** @throws DialectError */
function checkEcho(echo: string): void {
  // A shorter text has at most half as many values.
  if (echo.length <= maxEcho.values) return
  const scan = new JsonScan({ maxValues: maxEcho.values })
  if (echo.length <= maxEcho.length) scan.push(Buffer.from(echo))
  if (echo.length <= maxEcho.length && scan.problem !== 'values') return
  const most = `${maxEcho.length / 1024 / 1024} MB and ${maxEcho.values.toLocaleString('en')} values`
  throw new DialectError(
    null,
    `A response repeats the tools and settings of its request, which may have at most ${most} together. Send fewer tools.`,
  )
}

/** Whether the response to a request of the Responses API is stored. @param length as in `ChatBytesOptions` */
const isStored = ({ store, input }: JsonObject, length: number, followsUnstored: boolean): boolean =>
  store !== false &&
  length <= maxStoredResponse &&
  !(Array.isArray(input) && input.length > maxStoredItems) &&
  !followsUnstored

const isOfResponses = (context: ReplyContext): context is ResponsesContext => context.kind === 'responses'

/** The translation of the reply to a request, which may have been translated on another thread. */
export function replyTranslation(dialect: DialectId, { stream, ignored, context, said }: ChatBytes): ReplyTranslation {
  // Functions that are made in one place keep everything that any of them uses. So the dialect makes them, apart from the body.
  return { stream, ignored, ...dialects[dialect].replies(context, said) }
}
