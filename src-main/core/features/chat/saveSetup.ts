import type { ChatSetup } from '../../../../src-preload/contract/chat.ts'
import type { ChatFeature } from './chat.ts'

/** Stores instructions, parameters and tools for later requests. @throws StudioError `no_such_item` */
export function saveSetup(
  { store, runs }: ChatFeature,
  { conversationId, setup }: { conversationId: string; setup: ChatSetup },
): void {
  store.transaction(() => {
    store.conversations.get(conversationId)
    store.conversations.setSetup(conversationId, setup)
  })
  runs.view.changes.notify({ what: 'setup', conversationId })
}
