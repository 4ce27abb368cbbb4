import type { StoredItem, StoredResponses, StoredText } from '../../../ports/storedResponses.ts'
import { isFields } from '../../../upstream/meter/values.ts'
import { DialectError } from '../dialectError.ts'
import type { StoredItems } from '../responses/inputItems.ts'
import type { JsonObject } from '../types.ts'

/**
 * The stored items that a request of the Responses API refers to, from the stored responses of its app.
 * @param maxBytes largest size of the earlier responses, bytes
 * @throws DialectError `previous_response_not_found`, and for a conversation that is too long
 */
export function storedItemsFor(
  { previous_response_id: previous }: JsonObject,
  appId: string,
  responses: StoredResponses,
  maxBytes: number,
): StoredItems {
  const item = (id: string): JsonObject | null => responses.item(appId, id)
  if (typeof previous !== 'string') return { previous: null, item }
  checkEarlier(previous, appId, responses, maxBytes)
  return { previous: itemsOfConversation(responses.conversation(appId, previous)), item }
}

/** What a request refers to: the previous response, and single items. */
export interface References {
  previous: string | null
  items: string[]
}

/** What a request of the Responses API refers to, or null when it refers to nothing. */
export function referencesOf({ previous_response_id: previous, input }: JsonObject): References | null {
  const items = Array.isArray(input) ? input.filter(mayRefer) : []
  if (typeof previous !== 'string' && items.length === 0) return null
  const ids = items.flatMap(({ id }) => (typeof id === 'string' ? id : []))
  return { previous: typeof previous === 'string' ? previous : null, items: ids }
}

/** A reference may also be written without its type, as an id alone. */
const mayRefer = (item: unknown): item is JsonObject =>
  isFields(item) && (item.type === 'item_reference' || (typeof item.type !== 'string' && item.role === undefined))

/** What a request refers to, in a form that another thread can read. */
export interface StoredForThread {
  previous: StoredText[] | null
  items: ReadonlyMap<string, JsonObject>
}

/** As `storedItemsFor`, for another thread, which parses the responses. Null when some of them have no text. @throws DialectError */
export function storedForThread(
  { previous, items }: References,
  appId: string,
  responses: StoredResponses,
  maxBytes: number,
): StoredForThread | null {
  if (previous !== null) checkEarlier(previous, appId, responses, maxBytes)
  const texts = previous === null ? null : responses.texts(appId, previous)
  if (previous !== null && texts === null) return null
  const found = new Map<string, JsonObject>()
  for (const id of items) {
    const item = responses.item(appId, id)
    if (item) found.set(id, item)
  }
  return { previous: texts, items: found }
}

/** The stored items on the other thread. @throws DialectError */
export function storedItemsIn({ previous, items }: StoredForThread): StoredItems {
  const parsed = previous?.map(responseOfText)
  return { previous: parsed ? itemsOfConversation(parsed) : null, item: (id) => items.get(id) ?? null }
}

/** The content of a stored response. */
export function responseOfText({ input, reply }: StoredText): { input: JsonObject[]; reply: JsonObject } {
  const [own, whole]: unknown[] = [JSON.parse(input), JSON.parse(reply)]
  return { input: Array.isArray(own) ? own.filter(isFields) : [], reply: isFields(whole) ? whole : {} }
}

/** An item as it is stored. */
export const storedItem = (item: JsonObject): StoredItem => ({
  id: typeof item.id === 'string' ? item.id : null,
  text: JSON.stringify(item),
})

function checkEarlier(previous: string, appId: string, responses: StoredResponses, maxBytes: number): void {
  const size = responses.sizeOfConversation(appId, previous)
  if (size === null) throw notStored()
  if (size > maxBytes) {
    throw new DialectError('previous_response_id', 'The conversation is too long. Begin a new one with its summary.')
  }
}

function itemsOfConversation(conversation: { input: JsonObject[]; reply: JsonObject }[] | null): JsonObject[] {
  if (conversation === null) throw notStored()
  if (conversation.some(({ reply }) => reply.status === 'failed')) {
    throw new DialectError(
      'previous_response_id',
      'The previous response failed, so it can be read and not continued. Continue from the response before it.',
      'previous_response_not_found',
    )
  }
  return conversation.flatMap(itemsOf)
}

const notStored = (): DialectError =>
  new DialectError(
    'previous_response_id',
    'No such response is stored for this app. It was never stored (store: false, or the app disconnected), or it or one before it was deleted. Send the whole conversation as input.',
    'previous_response_not_found',
  )

/** Input and output of one response, in order. */
const itemsOf = ({ input, reply: { output } }: { input: JsonObject[]; reply: JsonObject }): JsonObject[] =>
  Array.isArray(output) ? [...input, ...output] : input
