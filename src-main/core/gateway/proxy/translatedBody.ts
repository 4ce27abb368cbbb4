import type { IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { maxStoredResponse, type StoredResponses } from '../../ports/storedResponses.ts'
import { RequestScan } from '../../upstream/meter/request.ts'
import { isFields } from '../../upstream/meter/values.ts'
import type { ChatRequest } from '../../upstream/types.ts'
import { mappedModel } from '../apps/modelMap.ts'
import { DialectError } from '../dialects/dialectError.ts'
import { translateCompaction } from '../dialects/responses/compaction.ts'
import { translateResponses } from '../dialects/responses/responses.ts'
import { storedItemsFor } from '../dialects/stored/earlierResponses.ts'
import type { Dialect, JsonObject, TranslatedRequest } from '../dialects/types.ts'
import type { MemoryReservation } from './bodyMemory.ts'
import type { Refusal } from './errorReplies.ts'
import { type BodyReadOptions, jsonLimit, type RequestBody, readJson } from './requestBody.ts'

/** A request of another vendor's API, and the chat completion that it became. */
export interface Translation {
  dialect: Dialect
  request: TranslatedRequest
  /** What is stored with the reply, or null when nothing is. */
  stored: { previous: string | null; input: JsonObject[] } | null
}

export interface TranslatedBody extends RequestBody {
  translation: Translation
}

interface TranslationOptions {
  app: App
  dialect: Dialect
  /** Whether a conversation of the Responses API is compacted, instead of continued. */
  compacts: boolean
  /** Id of the reply. */
  replyId: string
  responses: StoredResponses
}

/**
 * Reads a request of another vendor's API and translates it to a chat completion. From then on the request is limited, logged and sent as
 * one. A streamed reply always reports its usage.
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
    const body = parseObject(bytes)
    translated = body === null ? notAnObject : translate(body, bytes.length, translation, memory)
    return translated
  } catch (thrown) {
    if (thrown instanceof DialectError) return refusalOfDialect(thrown)
    throw thrown
  } finally {
    if (translated === null || 'status' in translated) memory.release()
  }
}

/** Parses a checked body. Null when it is not an object. */
export function parseObject(bytes: Buffer): JsonObject | null {
  const text = bytes.toString('utf8')
  const value: unknown = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  return isFields(value) ? value : null
}

/** @throws DialectError */
function translate(
  original: JsonObject,
  length: number,
  { app, dialect, compacts, replyId, responses }: TranslationOptions,
  memory: MemoryReservation,
): TranslatedBody | Refusal {
  const isTooLarge = dialect.id === 'responses' && !compacts && original.store !== false && length > maxStoredResponse
  const given = isTooLarge ? { ...original, store: false } : original
  let request: TranslatedRequest
  let stored: Translation['stored'] = null
  if (compacts) request = translateCompaction(given, storedItemsFor(given, app.id, responses, jsonLimit - length))
  else if (dialect.id === 'responses') {
    const translated = translateResponses(given, storedItemsFor(given, app.id, responses, jsonLimit - length))
    const { previousResponseId: previous } = translated
    if (translated.store) stored = { previous, input: translated.storedInput(replyId) }
    request = translated
  } else request = dialect.translate(given)
  if (isTooLarge) request.ignored.push('store')
  const askedModel = request.chat.model
  const chat: ChatRequest = { ...request.chat, model: mappedModel(app.modelMap, askedModel) }
  if (request.stream) {
    chat.stream = true
    chat.stream_options = { include_usage: true }
  }
  const body = Buffer.from(JSON.stringify(chat))
  if (body.length > jsonLimit) return tooLarge
  const scan = new RequestScan('chat')
  scan.push(body)
  const asked = scan.asked()
  if (!asked.json) return tooDeep
  memory.shrink(body.length)
  const translated = { body, asked, stripUsage: false, memory, translation: { dialect, request, stored } }
  return chat.model === askedModel ? translated : { ...translated, askedModel }
}

/** The refusal of a request that can't be translated. */
export const refusalOfDialect = ({ problem }: DialectError): Refusal => ({
  status: problem.status,
  type: 'studio_refused',
  code: problem.code ?? 'not_translatable',
  message: problem.message,
  param: problem.param ?? '',
})

const invalid = (status: number, code: string, message: string): Refusal => ({
  status,
  type: 'studio_refused',
  code,
  message,
})
const notAnObject = invalid(400, 'body_unreadable', 'The body must be one JSON object.')
const tooDeep = invalid(400, 'body_unreadable', 'The request is nested too deep to be translated.')
const tooLarge = invalid(
  413,
  'body_too_large',
  `The request and the earlier messages that it refers to may have at most ${jsonLimit / 1024 / 1024} MB together.`,
)
