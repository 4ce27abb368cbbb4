import { isFields, textOrNull } from '../../../upstream/json/values.ts'
import { DialectError } from '../dialectError.ts'
import type { JsonObject } from '../types.ts'

/** The API's default and maximum of `pageSize`. */
const defaultPage = 50
const maxPage = 1_000

/**
 * The service's model list in the shape of Gemini's `GET /v1beta/models`, in its order.
 * @param models body of the service's `GET /v1/models`
 * @param query `pageSize` (at most 1000) and `pageToken`, the `nextPageToken` of the page before
 * @throws DialectError 400 for either when it can't be read
 */
export function modelList(models: unknown, query: URLSearchParams): JsonObject {
  const all = idsOf(models)
  const start = countIn(query, 'pageToken') ?? 0
  const size = Math.min(maxPage, countIn(query, 'pageSize') || defaultPage)
  const page = all.slice(start, start + size).map((id) => infoOf(id))
  return start + size < all.length ? { models: page, nextPageToken: String(start + size) } : { models: page }
}

/** One model in the shape of `GET /v1beta/models/{id}`, or null if the service's list does not have it. @param name its id in the reply */
export const modelInfo = (models: unknown, id: string, name = id): JsonObject | null =>
  idsOf(models).includes(id) ? infoOf(name) : null

function countIn(query: URLSearchParams, key: string): number | null {
  const text = query.get(key)
  if (text === null || text === '') return null
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new DialectError(key, `${key} must be a number that this API gave or accepts.`)
}

function idsOf(models: unknown): string[] {
  const data = isFields(models) && Array.isArray(models.data) ? models.data : []
  const ids = data.flatMap((model) => (isFields(model) ? (textOrNull(model.id) ?? []) : []))
  return [...new Set(ids)].filter((id) => id !== '')
}

/** What the service does not report is absent. */
const infoOf = (id: string): JsonObject => ({
  name: `models/${id}`,
  baseModelId: id,
  version: id,
  displayName: id,
  supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
})
