import type { IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { StoredResponses } from '../../ports/storedResponses.ts'
import { asBuffer } from '../../upstream/json/bytes.ts'
import type { ReasoningSent } from '../apps/reasoningRefusals.ts'
import {
  type ChatBytes,
  type ChatBytesOptions,
  chatBytesOf,
  parseObject,
  replyTranslation,
  type TranslatedAction,
} from '../dialects/chatBytes.ts'
import { DialectError } from '../dialects/dialectError.ts'
import { type FileTexts, RequestFiles } from '../dialects/requestFiles.ts'
import { nothingStored } from '../dialects/responses/inputItems.ts'
import { turnRequest } from '../dialects/responses/turnRequest.ts'
import {
  neededResponses,
  type References,
  referencesOf,
  type StoredForThread,
  storedForThread,
  storedItemsIn,
} from '../dialects/stored/earlierResponses.ts'
import type { Unread } from '../dialects/translationWorker.ts'
import type { Dialect, DialectProblem, JsonObject, ReplyTranslation } from '../dialects/types.ts'
import type { MemoryReservation } from './bodyMemory.ts'
import type { Refusal } from './errorReplies.ts'
import type { RequestFileTexts } from './fileTexts.ts'
import { type BodyReadOptions, jsonLimit, noMemory, type RequestBody, readJson } from './requestBody.ts'
import { isForThread, type TranslationThreads } from './translationThreads.ts'

/** A request of another vendor's API, and the chat completion that it became. */
export interface Translation {
  dialect: Dialect
  /** Model in the app's request. */
  askedModel: string
  request: ReplyTranslation
  reasoning: ReasoningSent
  /** The conversation, as the app names it in its request. */
  conversation: string | null
  stored: ChatBytes['stored']
  /** Memory for `stored`, or for the user's messages of a compaction. Release it when the reply has ended. */
  storedMemory: MemoryReservation | null
}

export interface TranslatedBody extends RequestBody {
  translation: Translation
}

interface TranslationOptions
  extends Required<Pick<ChatBytesOptions, 'action' | 'inPath' | 'refuseReasoning' | 'sealing' | 'replyId'>> {
  app: App
  dialect: Dialect
  responses: StoredResponses
  /** Whether the response with this id exists in the memory of its connection only. */
  isUnstored(id: string): boolean
  threads: TranslationThreads
  fileTexts: RequestFileTexts
}

/** Smaller stored conversations are not worth another thread, nor an entry of their own in the memory bounds. Bytes. */
const smallConversation = 64 * 1024

/**
 * Reads a request of another vendor's API and translates it to a chat completion. From then on the request is limited, logged and sent as
 * one.
 */
export async function readTranslated(
  request: IncomingMessage,
  translation: TranslationOptions,
  options: BodyReadOptions,
): Promise<TranslatedBody | Refusal> {
  const read = await readJson(request, translation.app, options)
  if ('status' in read) return read
  const { bytes, values, memory } = read
  let translated: TranslatedBody | Refusal | null = null
  let more: MemoryReservation | null = null
  try {
    const first = isForThread(bytes.length, values) ? await onThread(bytes, null, translation, options) : null
    const body = first === null ? bodyFor(translation.action, bytes) : null
    const refers = first && 'refers' in first ? first.refers : body && referencesIn(body, translation)
    const needed =
      refers && neededResponses(refers, translation.app.id, translation.responses, jsonLimit - bytes.length)
    const earlier = needed?.bytes ?? 0
    more = earlier > smallConversation ? options.memory.takeNow(translation.app.id, earlier) : nothingReserved
    if (more === null) return noMemory
    const maxBytes = jsonLimit - bytes.length
    const { app, responses } = translation
    const stored = refers && needed && (await storedForThread(refers, needed, app.id, responses, maxBytes))
    const isHere = body !== null && earlier <= smallConversation
    const chat = isHere
      ? await translation.fileTexts.translated(app.id, options.signal, (texts) =>
          here(body, stored, bytes.length, translation, texts),
        )
      : await elsewhere(first, bytes, stored, translation, options)
    translated =
      'status' in chat ? chat : bodyOf(chat, bytes.length + earlier, translation, options, both(memory, more))
    return translated
  } catch (thrown) {
    if (thrown instanceof DialectError) return refusalOfDialect(thrown.problem)
    throw thrown
  } finally {
    if (translated === null || 'status' in translated) {
      memory.release()
      more?.release()
    }
  }
}

/** @throws DialectError */
function bodyFor(action: TranslatedAction, bytes: Buffer): JsonObject {
  const body = parseObject(bytes)
  return action === 'turn' ? turnRequest(body) : body
}

const nothingReserved: MemoryReservation = { shrink: () => undefined, release: () => undefined }

/** The memory of a request and of the earlier responses that it continues. */
const both = (request: MemoryReservation, earlier: MemoryReservation): MemoryReservation => ({
  shrink: (bytes) => {
    if (earlier === nothingReserved) request.shrink(bytes)
  },
  release() {
    request.release()
    earlier.release()
  },
})

/** What a request of the Responses API refers to. */
const referencesIn = (body: JsonObject, { dialect }: TranslationOptions): References | null =>
  dialect.id === 'responses' ? referencesOf(body) : null

/** What the translation needs of the options, here and on a thread. */
const jobOf = ({ app, dialect, action, inPath, refuseReasoning, sealing, replyId }: TranslationOptions) => {
  const { modelMap } = app
  return { dialect: dialect.id, action, inPath, modelMap, refuseReasoning, sealing, replyId }
}

/** @throws DialectError */
function here(
  body: JsonObject,
  stored: StoredForThread | null,
  ownLength: number,
  options: TranslationOptions,
  texts: FileTexts | undefined,
): ChatBytes | Unread {
  const items = stored && storedItemsIn(stored)
  const followsUnstored = isUnstored(body.previous_response_id, options)
  const length = ownLength + (items?.referencedBytes ?? 0)
  const job = { ...jobOf(options), followsUnstored, length }
  const files = new RequestFiles(texts)
  const chat = chatBytesOf(body, { ...job, files, stored: items ?? nothingStored })
  return files.unread.length > 0 ? { unread: files.unread } : chat
}

/** The translation on another thread, which may have been done before it was known whether the request refers to anything. */
async function elsewhere(
  first: OnThread | null,
  bytes: Buffer,
  stored: StoredForThread | null,
  translation: TranslationOptions,
  options: BodyReadOptions,
): Promise<ChatBytes | Refusal> {
  if (first && !('refers' in first)) return first
  const second = await onThread(bytes, stored, translation, options)
  if ('refers' in second) throw new TypeError('A job with all that it refers to lacks nothing.')
  return second
}

/** Whether a response after this one can't be stored. */
const isUnstored = (previous: unknown, options: TranslationOptions): boolean =>
  typeof previous === 'string' && options.isUnstored(previous)

/** What another thread made of a request. */
type OnThread = ChatBytes | Refusal | { refers: References }

async function onThread(
  bytes: Buffer,
  stored: StoredForThread | null,
  options: TranslationOptions,
  { signal }: BodyReadOptions,
): Promise<OnThread> {
  const { app, threads, fileTexts } = options
  const followsUnstored = isUnstored(stored?.previousId, options)
  const job = { ...jobOf(options), bytes, stored, followsUnstored }
  const result = await fileTexts.translated(app.id, signal, (texts) =>
    threads.translate(app.id, texts ? { ...job, texts } : job, signal),
  )
  if ('status' in result || 'refers' in result) return result
  if ('problem' in result) return refusalOfDialect(result.problem)
  return { ...result, body: asBuffer(result.body), said: result.said && asBuffer(result.said) }
}

function bodyOf(
  chat: ChatBytes,
  length: number,
  { app, dialect, action }: TranslationOptions,
  options: BodyReadOptions,
  memory: MemoryReservation,
): TranslatedBody | Refusal {
  const { body, asked, askedModel, reasoning, conversation, stored } = chat
  if (body.length > jsonLimit) return tooLarge
  const isLarge = (stored !== null || action === 'compact') && length > smallConversation
  const storedMemory = isLarge ? options.memory.takeNow(app.id, length) : null
  if (isLarge && storedMemory === null) return noMemory
  memory.shrink(body.length)
  const request = replyTranslation(dialect.id, chat)
  const translation = { dialect, askedModel, request, reasoning, conversation, stored, storedMemory }
  const translated = { body, asked, stripUsage: false, memory, translation }
  return asked.model === askedModel ? translated : { ...translated, askedModel }
}

/** The refusal of a request that can't be translated. */
export const refusalOfDialect = ({ status, code, message, param, details }: DialectProblem): Refusal => ({
  status,
  type: 'studio_refused',
  code: code ?? 'not_translatable',
  message,
  param,
  details,
})

const tooLarge: Refusal = {
  status: 413,
  type: 'studio_refused',
  code: 'body_too_large',
  message: `The request and the earlier messages that it refers to may have at most ${jsonLimit / 1024 / 1024} MB together.`,
}
