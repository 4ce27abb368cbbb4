import type { ChatInputs, ChatSetup } from '../../../../src-preload/contract/chat.ts'
import type { ChatFeature } from './chat.ts'

/** Changes the given fields. Undefined fields stay. An empty title removes the title. @throws StudioError `no_such_item` */
export function update(
  { store, runs, titles }: ChatFeature,
  { conversationId, ...changes }: ChatInputs['update'],
): void {
  const { title, folderId, pinned, archived } = changes
  store.transaction(() => {
    const { conversations } = store
    const before = conversations.get(conversationId)
    if (title !== undefined) conversations.setName(conversationId, title.trim() || null)
    if (folderId !== undefined) conversations.setFolder(conversationId, folderId)
    if (pinned !== undefined) conversations.setPinned(conversationId, pinned)
    if (archived !== undefined && archived !== before.archived) {
      conversations.setArchived(conversationId, archived ? new Date().toISOString() : null)
    }
  })
  if (title !== undefined) titles.named(conversationId)
  runs.view.changes.notify({ what: 'conversation', conversationId })
}

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
