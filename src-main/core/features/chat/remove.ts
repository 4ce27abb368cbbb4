import type { ChatFeature } from './chat.ts'
import { stopAll } from './stop.ts'

/** Stops everything that runs in a conversation and hides it. Deletes nothing. @throws StudioError `no_such_item` */
export function remove(feature: ChatFeature, { conversationId }: { conversationId: string }): void {
  const { store, runs } = feature
  store.conversations.get(conversationId)
  stopAll(feature, { conversationId })
  store.conversations.setRemoved(conversationId, new Date().toISOString())
  runs.view.changes.notify({ what: 'removed', conversationId })
}
