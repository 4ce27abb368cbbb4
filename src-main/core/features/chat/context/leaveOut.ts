import { StudioError } from '../../../errors.ts'
import type { ChatFeature } from '../chat.ts'

/**
 * Leaves a message out of requests, or includes it again. It stays in the history. With `andEarlier`, all messages above it too. Returns how
 * many messages changed. The results of a reply's tool calls go with the reply.
 * @throws StudioError `no_such_item`, `bad_input` for a tool result
 */
export function leaveOut(
  { store, runs }: ChatFeature,
  { messageId, leftOut, andEarlier }: { messageId: string; leftOut: boolean; andEarlier: boolean },
): { messages: number } {
  const { conversationId, changed } = store.transaction(() => {
    const { conversationId, role } = store.messages.get(messageId)
    // Refuses a deleted conversation.
    store.conversations.get(conversationId)
    if (role === 'tool' && !andEarlier) {
      throw new StudioError('bad_input', 'The result of a tool call is left out with the reply that made the call.')
    }
    const ids = andEarlier ? store.messages.pathIds(messageId) : [messageId]
    return { conversationId, changed: store.messages.leaveOut(ids, leftOut) }
  })
  for (const id of changed) runs.view.changes.notify({ what: 'message', conversationId, messageId: id })
  return { messages: changed.length }
}
