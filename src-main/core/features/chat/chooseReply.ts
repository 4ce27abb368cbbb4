import { StudioError } from '../../errors.ts'
import type { ChatFeature } from './chat.ts'
import { notifyPath } from './startReplies.ts'

/**
 * Makes the path through a message the active one. With `sibling` (from 1), the path through that sibling of the
 * message. The path ends where the person last continued it. Replies on other branches keep running. The model for the
 * next turn becomes the model of the last reply on the path.
 * @throws StudioError `no_such_item`
 */
export function choose(
  feature: ChatFeature,
  { messageId, sibling }: { messageId: string; sibling?: number | undefined },
): void {
  const { store, queue } = feature
  const conversationId = store.transaction(() => {
    const { conversationId, parentId } = store.messages.get(messageId)
    const { leafId, updatedAt } = store.conversations.get(conversationId)
    const chosen =
      sibling === undefined ? messageId : store.messages.children(conversationId, parentId)[sibling - 1]?.id
    if (chosen === undefined) throw new StudioError('no_such_item', 'There is no such version of this message.')
    const leaf = store.messages.leafBelow(chosen)
    if (leaf === leafId) return null
    store.conversations.setLeaf(conversationId, leaf)
    store.conversations.use(conversationId, modelAbove(feature, leaf), updatedAt)
    return conversationId
  })
  if (conversationId === null) return
  notifyPath(feature, conversationId)
  // The messages were written for the other branch.
  queue.hold(conversationId)
}

function modelAbove({ store }: ChatFeature, leafId: string): string | null {
  let message = store.messages.find(leafId)
  while (message && message.model === null && message.parentId !== null) message = store.messages.find(message.parentId)
  return message?.model ?? null
}
