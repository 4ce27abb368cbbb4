import type { IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { StoredResponses } from '../../ports/storedResponses.ts'
import { asBuffer } from '../../upstream/meter/bytes.ts'
import {
  type ChatBytes,
  chatBytesOf,
  parseObject,
  type TranslatedAction,
  translateAgain,
} from '../dialects/chatBytes.ts'
import { DialectError } from '../dialects/dialectError.ts'
import { compactionRequest } from '../dialects/responses/compaction.ts'
import { nothingStored } from '../dialects/responses/inputItems.ts'
import { turnRequest } from '../dialects/responses/turnRequest.ts'
import {
  type References,
  referencesOf,
  type StoredForThread,
  storedForThread,
  storedItemsFor,
} from '../dialects/stored/earlierResponses.ts'
import type { Dialect, DialectProblem, JsonObject, ReplyTranslation } from '../dialects/types.ts'
import type { MemoryReservation } from './bodyMemory.ts'
import type { Refusal } from './errorReplies.ts'
import { type BodyReadOptions, jsonLimit, noMemory, type RequestBody, readJson } from './requestBody.ts'
import { onThreadFrom, type TranslationThread } from './translationThread.ts'

/** A request of another vendor's API, and the chat completion that it became. */
export interface Translation {
  dialect: Dialect
  /** Model in the app's request. */
  askedModel: string
  request: ReplyTranslation
  stored: ChatBytes['stored']
  /** Memory for `stored`, or for the user's messages of a compaction. Release it when the reply has ended. */
  storedMemory: MemoryReservation | null
}

export interface TranslatedBody extends RequestBody {
  translation: Translation
}

interface TranslationOptions {
  app: App
  dialect: Dialect
  action: TranslatedAction
  /** Id of the reply. */
  replyId: string
  responses: StoredResponses
  /** Whether the response with this id exists in the memory of its connection only. */
  isUnstored(id: string): boolean
  thread: TranslationThread
}

/** Smaller conversations are not worth an entry of their own in the memory bounds. Bytes. */
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
  const { bytes, memory } = read
  let translated: TranslatedBody | Refusal | null = null
  let more: MemoryReservation | null = null
  try {
    const isLarge = bytes.length > onThreadFrom
    const first = isLarge ? await onThread(bytes, null, translation, options) : null
    const body = first === null ? bodyFor(translation.action, bytes) : null
    const refers = first && 'refers' in first ? first.refers : body && referencesIn(body, translation)
    const earlier = sizeOfEarlier(refers, translation)
    more = earlier > smallConversation ? options.memory.takeNow(translation.app.id, earlier) : nothingReserved
    if (more === null) return noMemory
    const isLong = bytes.length + earlier > onThreadFrom
    const second = refers && isLong ? await continuedOnThread(bytes, refers, translation, options) : null
    const chat = second ?? doneIn(first) ?? here(body ?? bodyFor(translation.action, bytes), bytes.length, translation)
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

/** Bytes of the earlier responses that a request continues. */
function sizeOfEarlier(refers: References | null, { app, responses }: TranslationOptions): number {
  if (refers === null || refers.previous === null) return 0
  // The translation refuses a longer conversation with a message.
  return Math.min(jsonLimit, responses.sizeOfConversation(app.id, refers.previous) ?? 0)
}

/** A request with all that it refers to, translated on the other thread. Null when only this thread can do that. @throws DialectError */
async function continuedOnThread(
  bytes: Buffer,
  refers: References,
  translation: TranslationOptions,
  options: BodyReadOptions,
): Promise<ChatBytes | Refusal | null> {
  const stored = storedForThread(refers, translation.app.id, translation.responses, jsonLimit - bytes.length)
  return stored && doneIn(await onThread(bytes, { refers, stored }, translation, options))
}

const doneIn = (result: OnThread): ChatBytes | Refusal | null => (result && !('refers' in result) ? result : null)

/** @throws DialectError */
function here(body: JsonObject, length: number, options: TranslationOptions): ChatBytes {
  const { app, dialect, action, replyId, responses } = options
  const stored =
    dialect.id === 'responses' ? storedItemsFor(body, app.id, responses, jsonLimit - length) : nothingStored
  const { previous_response_id: previous } = body
  const followsUnstored = isUnstored(previous, options)
  const job = { dialect: dialect.id, action, modelMap: app.modelMap, replyId, followsUnstored }
  return chatBytesOf(body, { ...job, length, stored })
}

/** Whether a response after this one can't be stored. */
const isUnstored = (previous: unknown, options: TranslationOptions): boolean =>
  typeof previous === 'string' && options.isUnstored(previous)

/** What the other thread made of a request. Null when only this thread can translate it. */
type OnThread = ChatBytes | Refusal | { refers: References } | null

async function onThread(
  bytes: Buffer,
  earlier: { refers: References; stored: StoredForThread } | null,
  options: TranslationOptions,
  { signal }: BodyReadOptions,
): Promise<OnThread> {
  const { app, dialect, action, replyId, thread } = options
  const followsUnstored = isUnstored(earlier?.refers.previous, options)
  const [stored, { modelMap }] = [earlier?.stored ?? null, app]
  const result = await thread.translate(
    { dialect: dialect.id, action, modelMap, replyId, bytes, stored, followsUnstored },
    signal,
  )
  if (result === 'here') return null
  if ('status' in result || 'refers' in result) return result
  if ('problem' in result) return refusalOfDialect(result.problem)
  const { body, asked, askedModel, ignored, rest } = result
  const said = result.said && asBuffer(result.said)
  const request = rest
    ? { ...translateAgain(dialect.id, rest), ignored }
    : compactionRequest({ model: askedModel, messages: [] }, ignored, said ?? Buffer.alloc(0))
  return { body: asBuffer(body), asked, askedModel, stored: result.stored, request, said }
}

function bodyOf(
  chat: ChatBytes,
  length: number,
  { app, dialect, action }: TranslationOptions,
  options: BodyReadOptions,
  memory: MemoryReservation,
): TranslatedBody | Refusal {
  const { body, asked, askedModel, stored } = chat
  if (body.length > jsonLimit) return tooLarge
  const isLarge = (stored !== null || action === 'compact') && length > smallConversation
  const storedMemory = isLarge ? options.memory.takeNow(app.id, length) : null
  if (isLarge && storedMemory === null) return noMemory
  memory.shrink(body.length)
  const translation = { dialect, askedModel, request: chat.request, stored, storedMemory }
  const translated = { body, asked, stripUsage: false, memory, translation }
  return asked.model === askedModel ? translated : { ...translated, askedModel }
}

/** The refusal of a request that can't be translated. */
export const refusalOfDialect = ({ status, code, message, param }: DialectProblem): Refusal => ({
  status,
  type: 'studio_refused',
  code: code ?? 'not_translatable',
  message,
  param,
})

const tooLarge: Refusal = {
  status: 413,
  type: 'studio_refused',
  code: 'body_too_large',
  message: `The request and the earlier messages that it refers to may have at most ${jsonLimit / 1024 / 1024} MB together.`,
}
