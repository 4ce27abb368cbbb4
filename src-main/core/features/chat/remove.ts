import type { ChatFeature } from './chat.ts'

/** Stops everything that runs in a conversation and hides it. Deletes nothing. @throws StudioError `no_such_item` */
export function remove(feature: ChatFeature, { conversationId }: { conversationId: string }): void {
  const { store, runs, queue, neighbours } = feature
  store.conversations.get(conversationId)
  // Replies on every branch, and running tools.
  runs.stopConversation(conversationId)
  neighbours.stopCalls(conversationId)
  // Nothing of a deleted conversation is sent, and nothing by itself when it is restored.
  queue.hold(conversationId)
  store.conversations.setRemoved(conversationId, new Date().toISOString())
  runs.view.changes.notify({ what: 'removed', conversationId })
}
