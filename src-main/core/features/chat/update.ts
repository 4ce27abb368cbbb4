import type { ChatFeature } from './chat.ts'

/** Fields to change; undefined fields stay. */
export interface UpdateInput {
  conversationId: string
  title?: string | undefined
  folderId?: string | null | undefined
  pinned?: boolean | undefined
  archived?: boolean | undefined
}

/** Changes the given fields. An empty title removes the title. @throws StudioError `no_such_item` */
export function update({ store, runs, titles }: ChatFeature, { conversationId, ...changes }: UpdateInput): void {
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
