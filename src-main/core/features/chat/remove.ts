import type { ChatFeature } from './chat.ts'
import { stopAll } from './stop.ts'

/** Takes a conversation out of sight; nothing of it is deleted. What is going on in it is stopped first. @throws StudioError `no_such_item` */
export function remove(room: ChatFeature, { conversationId }: { conversationId: string }): void {
  const { store, runs } = room
  store.conversations.get(conversationId)
  stopAll(room, { conversationId })
  store.conversations.setRemoved(conversationId, new Date().toISOString())
  runs.view.changes.tell({ what: 'removed', conversationId })
}
