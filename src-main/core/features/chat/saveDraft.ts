import type { ChatFeature } from './chat.ts'

/**
 * Stores the text in the input field. Uses no fsync, because it runs at every pause in typing.
 * @throws StudioError `no_such_item`
 */
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
