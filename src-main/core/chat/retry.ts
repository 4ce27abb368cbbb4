import { StudioError } from '../errors.ts'
import { refuseBusy, startAsk, storeReplies, tellSiblings } from './asks.ts'
import type { ChatRoom } from './chat.ts'

/**
 * Asks again for a reply. The new ones become siblings of the one given, which stays, and the active path ends in the first of them.
 * Only a person calls this: nothing is ever replayed on its own.
 * @throws StudioError `not_connected`, `no_such_item`, `busy`, `bad_input`
 */
export async function retry(
  room: ChatRoom,
  { replyId, models }: { replyId: string; models?: string[] | undefined },
): Promise<{ replyIds: string[] }> {
  const { store } = room
  store.messages.get(replyId)
  const upstream = await room.upstream()
  const { conversationId, ask, tellOthers } = store.transaction(() => {
    const former = store.messages.get(replyId)
    const { conversationId, parentId } = former
    const model = former.model ?? store.conversations.get(conversationId).model
    const chosen = models ?? (model === null ? [] : [model])
    if (former.role !== 'assistant' || parentId === null || chosen.length === 0) {
      throw new StudioError('bad_input', 'Only a reply can be asked for again.')
    }
    refuseBusy(room, conversationId)
    const tellOthers = tellSiblings(room, conversationId, parentId)
    return { conversationId, ask: storeReplies(room, { conversationId, parentId, models: chosen }), tellOthers }
  })
  startAsk(room, conversationId, ask, upstream)
  tellOthers()
  return { replyIds: ask.flat().map(({ id }) => id) }
}
