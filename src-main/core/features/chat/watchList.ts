import type { ConversationListEvent } from '../../../../src-preload/contract/chat.ts'
import { type Feed, feed } from '../../shared/events.ts'
import type { ChatFeature } from './chat.ts'
import { ListWatcher } from './listWatcher.ts'

/** Streams all visible conversations, then changes, until the signal aborts. */
export function watchList({ runs }: ChatFeature, signal?: AbortSignal): Feed<ConversationListEvent> {
  return feed(new ListWatcher(runs.view), signal)
}
