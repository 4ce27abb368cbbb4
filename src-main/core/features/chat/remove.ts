import type { ChatFeature } from './chat.ts'
import { stopAll } from './stop.ts'

/** Takes a conversation out of sight; nothing of it is deleted. What is going on in it is stopped first. @throws StudioError `no_such_item` */
export function remove(feature: ChatFeature, { conversationId }: { conversationId: string }): void {
  const { store, runs } = feature
  store.conversations.get(conversationId)
  stopAll(feature, { conversationId })
  store.conversations.setRemoved(conversationId, new Date().toISOString())
  runs.view.changes.notify({ what: 'removed', conversationId })
}
