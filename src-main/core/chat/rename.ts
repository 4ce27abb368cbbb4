import type { ChatRoom } from './chat.ts'

/** An empty title takes the name away. @throws StudioError `no_such_item` */
export function rename(
  { store, runs }: ChatRoom,
  { conversationId, title }: { conversationId: string; title: string },
): void {
  store.transaction(() => {
    store.conversations.get(conversationId)
    store.conversations.setTitle(conversationId, title.trim() || null)
  })
  runs.view.changes.tell({ what: 'conversation', conversationId })
}
