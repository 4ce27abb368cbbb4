import type { IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { StoredResponses } from '../../ports/storedResponses.ts'
import { WorkerClient, WorkerExit, WorkerTimeout } from '../../shared/workerClient.ts'
import { asBuffer } from '../../upstream/meter/bytes.ts'
import { type ChatBytes, chatBytesOf, parseObject, translateAgain } from '../dialects/chatBytes.ts'
import { DialectError } from '../dialects/dialectError.ts'
import { nothingStored } from '../dialects/responses/inputItems.ts'
import { storedItemsFor } from '../dialects/stored/earlierResponses.ts'
import type { TranslationJob, TranslationResult } from '../dialects/translationWorker.ts'
import type { Dialect, DialectProblem, TranslatedRequest } from '../dialects/types.ts'
import type { MemoryReservation } from './bodyMemory.ts'
import type { Refusal } from './errorReplies.ts'
import { type BodyReadOptions, jsonLimit, type RequestBody, readJson } from './requestBody.ts'

/** A request of another vendor's API, and the chat completion that it became. */
export interface Translation {
  dialect: Dialect
  request: TranslatedRequest
  stored: ChatBytes['stored']
}

export interface TranslatedBody extends RequestBody {
  translation: Translation
}

interface TranslationOptions {
  app: App
  dialect: Dialect
  /** Id of the reply. */
  replyId: string
  responses: StoredResponses
  thread: TranslationThread
}

/** Larger bodies are translated on another thread: parsing and writing 5 MB takes about 100 ms. Bytes. */
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
  try {
    const isLarge = bytes.length > onThreadFrom
    const chat = (isLarge ? await onThread(bytes, translation, options) : null) ?? here(bytes, translation)
    translated = 'status' in chat ? chat : bodyOf(chat, translation, memory)
    return translated
  } catch (thrown) {
    if (thrown instanceof DialectError) return refusalOfDialect(thrown.problem)
    throw thrown
  } finally {
    if (translated === null || 'status' in translated) memory.release()
  }
}

/** @throws DialectError */
function here(bytes: Buffer, { app, dialect, replyId, responses }: TranslationOptions): ChatBytes {
  const body = parseObject(bytes)
  const { length } = bytes
  const stored =
    dialect.id === 'responses' ? storedItemsFor(body, app.id, responses, jsonLimit - length) : nothingStored
  return chatBytesOf(body, { dialect: dialect.id, modelMap: app.modelMap, replyId, length, stored })
}

/** Returns null for a request that only this thread can translate. */
async function onThread(
  bytes: Buffer,
  { app, dialect, replyId, thread }: TranslationOptions,
  { signal }: BodyReadOptions,
): Promise<ChatBytes | Refusal | null> {
  const gone = new AbortController()
  const leave = (): void => gone.abort()
  signal.addEventListener('abort', leave, { once: true })
  try {
    const job: TranslationJob = { dialect: dialect.id, modelMap: app.modelMap, replyId, bytes }
    const result = await thread.run(() => job, { signal: gone.signal, timeoutMs: threadMs })
    if (result === 'here') return null
    if ('problem' in result) return refusalOfDialect(result.problem)
    const { body, asked, askedModel, ignored, stored, rest } = result
    const request = { ...translateAgain(dialect.id, rest), ignored }
    return { body: asBuffer(body), asked, askedModel, stored, request }
  } catch (thrown) {
    if (thrown instanceof WorkerTimeout || thrown instanceof WorkerExit) return notTranslated
    throw thrown
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

function bodyOf(chat: ChatBytes, { dialect }: TranslationOptions, memory: MemoryReservation): TranslatedBody | Refusal {
  const { body, asked, askedModel, request, stored } = chat
  if (body.length > jsonLimit) return tooLarge
  // The parsed request is free now. Earlier items of a stored response may make the body longer than the request.
  memory.shrink(body.length)
  const translated = { body, asked, stripUsage: false, memory, translation: { dialect, request, stored } }
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
