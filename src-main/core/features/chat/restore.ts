import { StudioError } from '../../errors.ts'
import type { ChatFeature } from './chat.ts'
import { putBack } from './removeMessage.ts'
import { notifyPath, notifySiblings, refuseBusy } from './startReplies.ts'

/**
 * Shows a removed conversation again, or moves deleted messages back into their conversation. Returns the id of the conversation that now
 * has the messages.
 * @throws StudioError `no_such_item`, `busy` while the conversation of deleted messages generates a reply
 */
export function restore(
  feature: ChatFeature,
  { conversationId }: { conversationId: string },
): { conversationId: string } {
  const { store, runs } = feature
  const { home, notifyOthers } = store.transaction(() => {
    if (!store.conversations.find(conversationId)) {
      throw new StudioError('no_such_item', 'That conversation does not exist any more.')
    }
    store.conversations.setRemoved(conversationId, null)
    // Throws for a conversation that is being deleted permanently.
    store.conversations.get(conversationId)
    const part = store.conversations.part(conversationId)
    if (part && store.conversations.find(part.of)?.removed === false) refuseBusy(feature, part.of)
    const place = putBack(feature, conversationId)
    return {
      home: place?.conversationId ?? null,
      notifyOthers: place ? notifySiblings(feature, place.conversationId, place.parentId) : null,
    }
  })
  if (home === null) runs.view.changes.notify({ what: 'restored', conversationId })
  else {
    runs.view.changes.notify({ what: 'removed', conversationId })
    notifyPath(feature, home)
    notifyOthers?.()
  }
  return { conversationId: home ?? conversationId }
}
