import { randomUUID } from 'node:crypto'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import { StudioError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import type { ChatFeature } from './chat.ts'
import { notifyPath, notifySiblings } from './startReplies.ts'
import { titleOf, titleOfReply } from './title.ts'

/**
 * Deletes a message with everything below it, on every branch, because replies without their question make no sense. Other versions of the
 * message stay. The deleted messages move to a removed conversation, from which `restore` can recover them for 30 days.
 * @throws StudioError `no_such_item`, `busy` while one of the messages is being generated
 */
export function removeMessage(feature: ChatFeature, { messageId }: { messageId: string }): { removedId: string } {
  const { store, runs } = feature
  const removedId = randomUUID()
  const { conversationId, notifyOthers } = store.transaction(() => {
    const message = store.messages.get(messageId)
    const { conversationId, parentId } = message
    const { leafId } = store.conversations.get(conversationId)
    const ids = store.messages.idsFrom(messageId)
    refuseRunning(feature, ids)
    const now = new Date().toISOString()
    const below = store.messages.leafBelow(messageId)
    store.conversations.insert({ id: removedId, title: titleOfMessage(store, message), model: null, now })
    store.messages.moveTo(removedId, ids)
    store.messages.setParent(messageId, null)
    store.conversations.setLeaf(removedId, below)
    store.conversations.setPart(removedId, { of: conversationId, parentId })
    store.conversations.setRemoved(removedId, now)
    if (leafId !== null && ids.includes(leafId)) {
      store.conversations.setLeaf(conversationId, leafWithout(store, conversationId, parentId))
    }
    return { conversationId, notifyOthers: notifySiblings(feature, conversationId, parentId) }
  })
  notifyPath(feature, conversationId)
  notifyOthers()
  runs.view.changes.notify({ what: 'removed', conversationId: removedId })
  return { removedId }
}

/** How many messages are below a message, on all branches. @throws StudioError `no_such_item` */
export function messagesBelow({ store }: ChatFeature, { messageId }: { messageId: string }): { messages: number } {
  store.messages.get(messageId)
  return { messages: store.messages.idsFrom(messageId).length - 1 }
}

/**
 * Moves deleted messages back to their conversation and makes their branch the active one. Call within a transaction. Returns their place.
 * Returns null if the place no longer exists, or if `removedId` was removed as a whole conversation; it then stays a separate conversation.
 */
export function putBack(
  { store }: ChatFeature,
  removedId: string,
): { conversationId: string; parentId: string | null } | null {
  const part = store.conversations.part(removedId)
  if (!part) return null
  const { of: conversationId, parentId } = part
  const home = store.conversations.find(conversationId)
  const [first] = store.messages.children(removedId, null)
  const hasPlace = parentId === null || store.messages.find(parentId)?.conversationId === conversationId
  if (!home || home.removed || !first || !hasPlace) {
    store.conversations.setPart(removedId, null)
    return null
  }
  store.messages.moveTo(conversationId, store.messages.idsFrom(first.id))
  store.messages.setParent(first.id, parentId)
  store.conversations.setLeaf(conversationId, store.messages.leafBelow(first.id))
  store.conversations.forget(removedId)
  return { conversationId, parentId }
}

function refuseRunning({ store, runs }: ChatFeature, ids: readonly string[]): void {
  const running = store.messages.many(ids).some(({ id, run }) => runs.view.reply(id) || run?.state === 'running')
  if (running) throw new StudioError('busy', 'A reply or tool is still running here. Stop it or wait until it ends.')
}

/** The new end of the path after a branch below `parentId` was deleted: the end of the remaining branch, or else `parentId` itself. */
function leafWithout(store: Store, conversationId: string, parentId: string | null): string | null {
  if (parentId !== null) return store.messages.leafBelow(parentId)
  const other = store.messages.children(conversationId, null).at(-1)
  return other ? store.messages.leafBelow(other.id) : null
}

function titleOfMessage(store: Store, { role, text, conversationId }: Message): string | null {
  return (role === 'assistant' ? titleOfReply(text) : titleOf(text)) ?? store.conversations.get(conversationId).title
}
