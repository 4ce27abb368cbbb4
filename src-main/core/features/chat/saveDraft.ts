import type { ChatFeature } from './chat.ts'

/** Keeps what the person is typing. Without an fsync: it comes with every pause in typing. @throws StudioError `no_such_item` */
export function saveDraft(
  { store, runs }: ChatFeature,
  { conversationId, draft }: { conversationId: string; draft: string },
): void {
  store.journal(() => {
    store.conversations.get(conversationId)
    store.conversations.setDraft(conversationId, draft)
  })
  runs.view.changes.notify({ what: 'conversation', conversationId })
}
