import { DialectError } from '../dialectError.ts'
import { list, name, object, text } from '../fields.ts'
import type { JsonObject } from '../types.ts'

/** An input item and where it came from, for messages. */
export interface InputEntry {
  item: JsonObject
  type: string
  /** `input[3]`, or `previous_response_id` for a stored item. */
  param: string
}

/** Stored items that a request refers to. */
export interface StoredItems {
  /** Input and output items of the previous response and of all before it, oldest first. Null when there is none. */
  previous: readonly JsonObject[] | null
  /** Returns a stored item of the same app. */
  item(id: string): JsonObject | null
}

/** For requests that don't refer to stored items. */
export const nothingStored: StoredItems = { previous: null, item: () => null }

/**
 * The items of a request in order: those of the previous responses, then its own with each reference replaced by its item.
 * @throws DialectError
 */
export function inputEntries(body: JsonObject, stored: StoredItems): { all: InputEntry[]; own: InputEntry[] } {
  const own = ownEntries(body.input, stored)
  const earlier = (stored.previous ?? []).map((item) => entryOf(item, 'previous_response_id'))
  return { all: [...earlier, ...own], own }
}

/** An item without type is a message, or a reference when it has nothing but an id. */
function isReference(item: JsonObject): boolean {
  if (item.type === 'item_reference') return true
  return (item.type === undefined || item.type === null) && item.role === undefined && item.id !== undefined
}

function ownEntries(input: unknown, stored: StoredItems): InputEntry[] {
  if (input === null || input === undefined) return []
  if (typeof input === 'string') {
    return [{ item: { type: 'message', role: 'user', content: input }, type: 'message', param: 'input' }]
  }
  if (!Array.isArray(input)) throw new DialectError('input', 'input must be a string or a list of items.')
  return list(input, 'input').map((value, at) => {
    const item = object(value, `input[${at}]`)
    return isReference(item) ? referenced(item, `input[${at}]`, stored) : entryOf(item, `input[${at}]`)
  })
}

function referenced(item: JsonObject, param: string, stored: StoredItems): InputEntry {
  const id = name(item.id, `${param}.id`)
  const found = stored.item(id)
  if (found !== null) return entryOf(found, param)
  throw new DialectError(
    `${param}.id`,
    `No stored item has the id ${JSON.stringify(id.slice(0, 64))}. Items exist only for responses with store: true, and only for the app that made them.`,
  )
}

function entryOf(item: JsonObject, param: string): InputEntry {
  if (item.type === undefined || item.type === null) return { item, type: 'message', param }
  return { item, type: text(item.type, `${param}.type`), param }
}

const idPrefixes: ReadonlyMap<string, string> = new Map([
  ['message', 'msg'],
  ['reasoning', 'rs'],
  ['function_call', 'fc'],
  ['function_call_output', 'fco'],
  ['custom_tool_call', 'ctc'],
  ['custom_tool_call_output', 'ctco'],
  ['compaction', 'cmp'],
  ['shell_call', 'sh'],
  ['shell_call_output', 'sho'],
  ['local_shell_call', 'lsh'],
  ['local_shell_call_output', 'lsho'],
  ['apply_patch_call', 'apc'],
  ['apply_patch_call_output', 'apco'],
  ['tool_search_call', 'tsc'],
  ['tool_search_output', 'tso'],
])

/**
 * The request's own items as they are stored and listed: each with an id, and the content of messages as a list.
 * @param responseId the ids of items without one are derived from it
 */
export function storedInput(own: readonly InputEntry[], responseId: string): JsonObject[] {
  const suffix = responseId.slice(responseId.indexOf('_') + 1)
  return own.map(({ item, type }, at) => {
    const id =
      typeof item.id === 'string' && item.id !== '' ? item.id : `${idPrefixes.get(type) ?? 'item'}_${suffix}_in${at}`
    if (type !== 'message') return { ...item, id, type }
    const { content } = item
    const partType = item.role === 'assistant' ? 'output_text' : 'input_text'
    const part = { type: partType, text: content, ...(partType === 'output_text' && { annotations: [] }) }
    return {
      ...item,
      id,
      type,
      status: item.status ?? 'completed',
      content: typeof content === 'string' ? [part] : content,
    }
  })
}
