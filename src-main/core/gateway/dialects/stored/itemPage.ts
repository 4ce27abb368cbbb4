import { type Fields, isFields } from '../../../upstream/json/values.ts'

/** A page of `GET /v1/responses/{id}/input_items`. */
export interface ItemPage {
  limit: number
  order: 'asc' | 'desc'
  after: string | null
}

const defaultLimit = 20
const maxLimit = 100

/** Reads `limit`, `order` and `after`. Returns the name of the parameter that is invalid instead, with the reason. */
export function itemPageOf(query: URLSearchParams): ItemPage | { param: string; message: string } {
  const limit = query.get('limit')
  const order = query.get('order') ?? 'desc'
  const count = limit === null ? defaultLimit : Number(limit)
  if (!Number.isInteger(count) || count < 1 || count > maxLimit) {
    return { param: 'limit', message: `limit must be a whole number from 1 to ${maxLimit}.` }
  }
  if (order !== 'asc' && order !== 'desc') return { param: 'order', message: 'order must be asc or desc.' }
  return { limit: count, order, after: query.get('after') }
}

/**
 * JSON of the list object of a page, or null when `after` names no item.
 * @param input JSON list of the items of a stored response
 */
export function listedItems(input: string, { limit, order, after }: ItemPage): string | null {
  const parsed: unknown = JSON.parse(input)
  const items = Array.isArray(parsed) ? parsed.filter(isFields) : []
  const ordered = order === 'asc' ? items : [...items].reverse()
  const from = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  if (after !== null && from === 0) return null
  const data = ordered.slice(from, from + limit)
  const idAt = (item: Fields | undefined): unknown => item?.id ?? null
  return JSON.stringify({
    object: 'list',
    data,
    first_id: idAt(data[0]),
    last_id: idAt(data.at(-1)),
    has_more: from + data.length < ordered.length,
  })
}
