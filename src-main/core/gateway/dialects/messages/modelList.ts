import type { ModelInfo } from '@anthropic-ai/sdk/resources/models'
import { countOrNull, isFields, textOrNull } from '../../../upstream/json/values.ts'
import { DialectError } from '../dialectError.ts'
import type { JsonObject } from '../types.ts'

/** The API's default and maximum of `limit`. */
const defaultLimit = 20
const maxLimit = 1_000

/**
 * The service's model list in the shape of Anthropic's `GET /v1/models`, newest model first.
 * @param models body of the service's `GET /v1/models`
 * @param query `limit` (1 to 1000), `after_id`, `before_id`; other parameters are ignored
 * @throws DialectError 400 for a `limit` out of range, and for a cursor that is not in the list
 */
export function modelList(models: unknown, query: URLSearchParams): JsonObject {
  const all = infosOf(models)
  const limit = limitOf(query.get('limit'))
  const after = query.get('after_id')
  const before = query.get('before_id')
  if (after !== null && before !== null) throw new DialectError('before_id', 'Send either before_id or after_id.')
  const end = before === null ? all.length : positionOf(all, before, 'before_id')
  const from = after === null ? 0 : positionOf(all, after, 'after_id') + 1
  // A page before a cursor is the last one before it.
  const start = before === null ? from : Math.max(0, end - limit)
  const data = all.slice(start, Math.min(end, start + limit))
  return {
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: before === null ? start + data.length < all.length : start > 0,
  }
}

/** One model in the shape of Anthropic's `GET /v1/models/{id}`, or null if the service's list does not have it. @param name its id in the reply */
export function modelInfo(models: unknown, id: string, name = id): JsonObject | null {
  const info = infosOf(models).find((model) => model.id === id)
  return info === undefined ? null : { ...info, id: name }
}

function limitOf(text: string | null): number {
  if (text === null) return defaultLimit
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit < 1 || limit > maxLimit) throw new DialectError('limit', 'Use 1 to 1000.')
  return limit
}

function positionOf(models: readonly { id: string }[], id: string, param: string): number {
  const position = models.findIndex((model) => model.id === id)
  if (position === -1) throw new DialectError(param, 'The list has no model with this id.')
  return position
}

function infosOf(models: unknown): (ModelInfo & JsonObject)[] {
  const data = isFields(models) && Array.isArray(models.data) ? models.data : []
  const known = new Map<string, number>()
  for (const model of data) {
    const id = isFields(model) ? textOrNull(model.id) : null
    if (id !== null && id !== '' && !known.has(id)) known.set(id, isFields(model) ? secondsOf(model.created) : 0)
  }
  return [...known].sort(([, a], [, b]) => b - a).map(([id, created]) => infoOf(id, created))
}

/** What the service does not report is null, as the API allows. */
function infoOf(id: string, created: number): ModelInfo & JsonObject {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: new Date(created * 1000).toISOString().replace('.000Z', 'Z'),
    capabilities: null,
    deprecated_at: null,
    lifecycle: 'active',
    line: null,
    max_input_tokens: null,
    max_tokens: null,
    retires_at: null,
  }
}

/** Seconds since 1970. 0, which the API uses for an unknown date, for anything that no date can hold. */
function secondsOf(created: unknown): number {
  const seconds = countOrNull(created) ?? 0
  return seconds <= 253_402_300_799 ? seconds : 0
}
