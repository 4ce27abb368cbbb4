import type { StoredResponses } from '../../../ports/storedResponses.ts'
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
  const size = responses.sizeOfConversation(appId, previous)
  if (size !== null && size > maxBytes) {
    throw new DialectError('previous_response_id', 'The conversation is too long. Begin a new one with its summary.')
  }
  const conversation = size === null ? null : responses.conversation(appId, previous)
  if (conversation?.some(({ reply }) => reply.status === 'failed')) {
    throw new DialectError(
      'previous_response_id',
      'The previous response failed, so it can be read and not continued. Continue from the response before it.',
      'previous_response_not_found',
    )
  }
  if (conversation !== null) return { previous: conversation.flatMap(itemsOf), item }
  throw new DialectError(
    'previous_response_id',
    'No such response is stored for this app. It was never stored (store: false, or the app disconnected), or it or one before it was deleted. Send the whole conversation as input.',
    'previous_response_not_found',
  )
}

/** Input and output of one response, in order. */
export const itemsOf = ({ input, reply: { output } }: { input: JsonObject[]; reply: JsonObject }): JsonObject[] =>
  Array.isArray(output) ? [...input, ...output] : input
