import type { IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { StoredResponses } from '../../ports/storedResponses.ts'
import { WorkerClient, WorkerExit, WorkerTimeout } from '../../shared/workerClient.ts'
import { asBuffer } from '../../upstream/meter/bytes.ts'
import {
  type ChatBytes,
  chatBytesOf,
  isStored,
  parseObject,
  type TranslatedAction,
  translateAgain,
  withoutConversation,
} from '../dialects/chatBytes.ts'
import { DialectError } from '../dialects/dialectError.ts'
import { nothingStored } from '../dialects/responses/inputItems.ts'
import { turnRequest } from '../dialects/responses/turnRequest.ts'
import {
  type References,
  referencesOf,
  type StoredForThread,
  storedForThread,
  storedItemsFor,
} from '../dialects/stored/earlierResponses.ts'
import type { TranslationJob, TranslationResult } from '../dialects/translationWorker.ts'
import type { Dialect, DialectId, DialectProblem, JsonObject, TranslatedRequest } from '../dialects/types.ts'
import type { MemoryReservation } from './bodyMemory.ts'
import type { Refusal } from './errorReplies.ts'
import { type BodyReadOptions, jsonLimit, noMemory, type RequestBody, readJson } from './requestBody.ts'

/** A request of another vendor's API, and the chat completion that it became. */
export interface Translation {
  dialect: Dialect
  /** Without the conversation: `request.chat` has no messages, because a reply may take many minutes. */
  request: TranslatedRequest
  stored: ChatBytes['stored']
  /** Memory for the items in `stored`, or for the user's messages of a compaction. Release it when the reply has ended. */
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
/** Larger bodies, with the earlier responses that they continue, are translated on another thread: parsing and writing 5 MB takes about 100 ms. Bytes. */
const onThreadFrom = 1024 * 1024
/** How long the largest body may take on a busy machine, ms. */
const threadMs = 20_000

/** A thread that translates large requests, one after another. */
export type TranslationThread = Pick<WorkerClient<TranslationJob, TranslationResult>, 'run' | 'terminate'>

export const openTranslationThread = (): TranslationThread =>
  new WorkerClient<TranslationJob, TranslationResult>({
    name: 'translation',
    start: async () => (await import('../dialects/translationWorker.ts')).startTranslationWorker(),
    idleMs: 60_000,
    startTimeoutMs: threadMs,
  })

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
    const second =
      refers && isLong(bytes.length, earlier, translation)
        ? await continuedOnThread(bytes, refers, translation, options)
        : null
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
  // The translation refuses a longer conversation, with words.
  return Math.min(jsonLimit, responses.sizeOfConversation(app.id, refers.previous) ?? 0)
}

/** The reply to a compaction has the messages of the earlier responses too, so that it is translated here. */
const isLong = (length: number, earlier: number, { action }: TranslationOptions): boolean =>
  length + earlier > onThreadFrom && action !== 'compact'

/** A request with all that it refers to, translated on the other thread. Null when only this thread can do that. @throws DialectError */
async function continuedOnThread(
  bytes: Buffer,
  refers: References,
  translation: TranslationOptions,
  options: BodyReadOptions,
): Promise<ChatBytes | Refusal | null> {
  const stored = storedForThread(refers, translation.app.id, translation.responses, jsonLimit - bytes.length)
  return stored && doneIn(await onThread(bytes, stored, translation, options))
}

const doneIn = (result: OnThread): ChatBytes | Refusal | null => (result && !('refers' in result) ? result : null)

/** @throws DialectError */
function here(body: JsonObject, length: number, options: TranslationOptions): ChatBytes {
  const { app, dialect, action, replyId, responses } = options
  const stored =
    dialect.id === 'responses' ? storedItemsFor(body, app.id, responses, jsonLimit - length) : nothingStored
  const { previous_response_id: previous } = body
  const followsUnstored = typeof previous === 'string' && options.isUnstored(previous)
  const job = { dialect: dialect.id, action, modelMap: app.modelMap, replyId, followsUnstored }
  const chat = chatBytesOf(body, { ...job, length, stored })
  // The reply to a compaction has the messages of the user.
  return length > smallConversation && action !== 'compact'
    ? withoutItsConversation(chat, dialect.id, body, isStored(body, length, followsUnstored))
    : chat
}

/** The functions of a translated request refer to its items, which would stay in memory as long as the reply runs. */
function withoutItsConversation(chat: ChatBytes, dialect: DialectId, body: JsonObject, store: boolean): ChatBytes {
  const rest = withoutConversation(dialect, body, 'create')
  if (dialect === 'responses') rest.store = store
  try {
    return { ...chat, request: { ...translateAgain(dialect, rest, 'create'), ignored: chat.request.ignored } }
  } catch (thrown) {
    if (thrown instanceof DialectError) return chat
    throw thrown
  }
}

/** What the other thread made of a request. Null when only this thread can translate it. */
type OnThread = ChatBytes | Refusal | { refers: References } | null

async function onThread(
  bytes: Buffer,
  stored: StoredForThread | null,
  { app, dialect, action, replyId, thread }: TranslationOptions,
  { signal }: BodyReadOptions,
): Promise<OnThread> {
  const gone = new AbortController()
  const leave = (): void => gone.abort()
  signal.addEventListener('abort', leave, { once: true })
  try {
    const job: TranslationJob = { dialect: dialect.id, action, modelMap: app.modelMap, replyId, bytes, stored }
    const result = await thread.run(() => job, { signal: gone.signal, timeoutMs: threadMs })
    if (result === 'here') return null
    if ('problem' in result) return refusalOfDialect(result.problem)
    if ('refers' in result) return result
    const { body, asked, askedModel, ignored, rest } = result
    const request = { ...translateAgain(dialect.id, rest, action), ignored }
    return { body: asBuffer(body), asked, askedModel, stored: result.stored, request }
  } catch (thrown) {
    if (thrown instanceof WorkerTimeout || thrown instanceof WorkerExit) return notTranslated
    throw thrown
  } finally {
    signal.removeEventListener('abort', leave)
  }
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
  const request = { ...chat.request, chat: { model: chat.request.chat.model, messages: [] } }
  const translation = { dialect, request, stored, storedMemory }
  const translated = { body, asked, stripUsage: false, memory, translation }
  return asked.model === askedModel ? translated : { ...translated, askedModel }
}

/** The refusal of a request that can't be translated. */
export const refusalOfDialect = ({ status, code, message, param }: DialectProblem): Refusal => ({
  status,
  type: 'studio_refused',
  code: code ?? 'not_translatable',
  message,
  param: param ?? '',
})

const tooLarge: Refusal = {
  status: 413,
  type: 'studio_refused',
  code: 'body_too_large',
  message: `The request and the earlier messages that it refers to may have at most ${jsonLimit / 1024 / 1024} MB together.`,
}

const notTranslated: Refusal = {
  status: 503,
  type: 'studio_busy',
  code: 'translation_failed',
  message: 'This large request could not be translated in time. Nothing was sent to the service.',
}
