import type { ConversationListEvent } from '../../../src-preload/contract/chat.ts'
import { type Feed, feed } from '../feed.ts'
import type { ChatRoom } from './chat.ts'
import { ListWatcher } from './watchers.ts'

/** All conversations in sight, then what changes, until the signal. */
export function watchList({ runs }: ChatRoom, signal?: AbortSignal): Feed<ConversationListEvent> {
  return feed(new ListWatcher(runs.view), signal)
}
