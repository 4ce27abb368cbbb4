import { randomUUID } from 'node:crypto'
import { StudioError } from '../errors.ts'
import type { ChatRoom } from './chat.ts'

/**
 * Asks again for a reply. The new one becomes a sibling of the one given, which stays, and the active path ends in it.
 * Only a person calls this: nothing is ever replayed on its own.
 * @throws StudioError `not_connected`, `no_such_item`, `busy`, `bad_input`
 */
export async function retry(
  room: ChatRoom,
  { replyId, model }: { replyId: string; model?: string | undefined },
): Promise<{ replyId: string }> {
  const { store, runs } = room
  store.messages.get(replyId)
  const upstream = await room.upstream()
  const again = store.transaction(() => {
    const former = store.messages.get(replyId)
    const { conversationId, parentId } = former
    const conversation = store.conversations.get(conversationId)
    const chosen = model ?? former.model ?? conversation.model
    if (former.role !== 'assistant' || parentId === null || chosen === null) {
      throw new StudioError('bad_input', 'Only a reply can be asked for again.')
    }
    if (runs.view.running(conversationId)) {
      throw new StudioError('busy', 'A reply is still being made in this conversation. Stop it or wait for it.')
    }
    const id = randomUUID()
    const now = new Date().toISOString()
    const row = { id, conversationId, parentId, role: 'assistant', text: '', status: 'pending' } as const
    store.messages.insert({ ...row, model: chosen, createdAt: now })
    store.conversations.setLeaf(conversationId, id, chosen, now)
    return store.messages.get(id)
  })
  runs.start(again, upstream)
  runs.view.changes.tell({ what: 'path', conversationId: again.conversationId })
  runs.view.changes.tell({ what: 'conversation', conversationId: again.conversationId })
  return { replyId: again.id }
}
