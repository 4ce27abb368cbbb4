import { StudioError } from '../../errors.ts'
import type { ChatFeature } from './chat.ts'
import { putBack } from './removeMessage.ts'
import { notifyPath, notifySiblings, refuseBusy } from './startReplies.ts'

/**
 * Shows a deleted conversation again, or moves deleted messages back into their conversation. `removedId` is the deleted conversation, or the
 * hidden one that `removeMessage` put the messages into. Returns the id of the conversation that now
 * has the messages.
 * @throws StudioError `no_such_item`, `busy` while the conversation of deleted messages generates a reply
 */
export function restore(feature: ChatFeature, { removedId }: { removedId: string }): { conversationId: string } {
  const { store, runs, queue } = feature
  const { home, notifyOthers } = store.transaction(() => {
    if (!store.conversations.find(removedId)) {
      throw new StudioError('no_such_item', 'That conversation does not exist any more.')
    }
    store.conversations.setRemoved(removedId, null)
    // Throws for a conversation that is being deleted permanently.
    store.conversations.get(removedId)
    const part = store.conversations.part(removedId)
    if (part && store.conversations.find(part.of)?.removed === false) refuseBusy(feature, part.of)
    const place = putBack(feature, removedId)
    return {
      home: place?.conversationId ?? null,
      notifyOthers: place ? notifySiblings(feature, place.conversationId, place.parentId) : null,
    }
  })
  if (home === null) runs.view.changes.notify({ what: 'restored', conversationId: removedId })
  else {
    runs.view.changes.notify({ what: 'removed', conversationId: removedId })
    notifyPath(feature, home)
    queue.hold(home)
    notifyOthers?.()
  }
  return { conversationId: home ?? removedId }
}
