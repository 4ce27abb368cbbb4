import type { ConversationEvent, ConversationListEvent } from '../../../../src-preload/contract/chat.ts'
import { type Feed, feed } from '../../shared/events.ts'
import type { ChatFeature } from './chat.ts'
import { ConversationWatcher } from './conversationWatcher.ts'
import { ListWatcher } from './listWatcher.ts'

/**
 * Streams a snapshot of a conversation, then its changes, until the signal aborts. @throws StudioError `no_such_item`
 */
export function watch(
  { store, runs }: ChatFeature,
  { conversationId }: { conversationId: string },
  signal?: AbortSignal,
): Feed<ConversationEvent> {
  store.conversations.get(conversationId)
  return feed(new ConversationWatcher(runs.view, conversationId), signal)
}

/** Streams all visible conversations, then changes, until the signal aborts. */
export function watchList({ runs }: ChatFeature, signal?: AbortSignal): Feed<ConversationListEvent> {
  return feed(new ListWatcher(runs.view), signal)
}
