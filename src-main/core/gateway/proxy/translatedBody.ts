import type { IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { RequestScan } from '../../upstream/meter/request.ts'
import { isFields } from '../../upstream/meter/values.ts'
import type { ChatRequest } from '../../upstream/types.ts'
import { mappedModel } from '../apps/modelMap.ts'
import { DialectError } from '../dialects/dialectError.ts'
import type { Dialect, JsonObject, TranslatedRequest } from '../dialects/types.ts'
import type { MemoryReservation } from './bodyMemory.ts'
import type { Refusal } from './errorReplies.ts'
import { type BodyReadOptions, jsonLimit, type RequestBody, readJson } from './requestBody.ts'

/** A request of another vendor's API, and the chat completion that it became. */
export interface Translation {
  dialect: Dialect
  request: TranslatedRequest
  /** Model in the app's request. The body for the service has the model of the app's map. */
  askedModel: string
  /** The parsed body of the app. */
  original: JsonObject
}

export interface TranslatedBody extends RequestBody {
  translation: Translation
}

/** Completes a parsed request from stored data before it is translated. Returns a refusal when it refers to something unknown. */
export type Resolve = (body: JsonObject) => { body: JsonObject } | Refusal

/**
 * Reads a request of another vendor's API and translates it to a chat completion. From then on the request is limited, logged and sent as
 * one. A streamed reply always reports its usage.
 */
export async function readTranslated(
  request: IncomingMessage,
  app: App,
  dialect: Dialect,
  options: BodyReadOptions,
  resolve: Resolve = (body) => ({ body }),
): Promise<TranslatedBody | Refusal> {
  const read = await readJson(request, app, options)
  if ('status' in read) return read
  const { bytes, memory } = read
  let translated: TranslatedBody | Refusal | null = null
  try {
    const parsed = parseObject(bytes)
    const resolved = parsed === null ? notAnObject : resolve(parsed)
    translated = 'body' in resolved ? translate(resolved.body, app, dialect, memory) : resolved
    return translated
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

function translate(
  original: JsonObject,
  app: App,
  dialect: Dialect,
  memory: MemoryReservation,
): TranslatedBody | Refusal {
  let request: TranslatedRequest
  try {
    request = dialect.translate(original)
  } catch (thrown) {
    if (thrown instanceof DialectError) return refusalOfDialect(thrown)
    throw thrown
  }
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
  return { body, asked, stripUsage: false, memory, translation: { dialect, request, askedModel, original } }
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
