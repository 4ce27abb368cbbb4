import type { ChatRoom } from './chat.ts'

/** Takes a conversation out of sight; nothing of it is deleted. A reply that is being made is stopped first. @throws StudioError `no_such_item` */
export function remove({ store, runs }: ChatRoom, { conversationId }: { conversationId: string }): void {
  runs.stopConversation(conversationId)
  store.transaction(() => {
    store.conversations.get(conversationId)
    store.conversations.setRemoved(conversationId, new Date().toISOString())
  })
  runs.view.changes.tell({ what: 'removed', conversationId })
}
