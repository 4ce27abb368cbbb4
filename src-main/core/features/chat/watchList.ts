import type { ConversationListEvent } from '../../../../src-preload/contract/chat.ts'
import { type Feed, feed } from '../../shared/events.ts'
import type { ChatFeature } from './chat.ts'
import { ListWatcher } from './listWatcher.ts'

/** All conversations in sight, then what changes, until the signal. */
export function watchList({ runs }: ChatFeature, signal?: AbortSignal): Feed<ConversationListEvent> {
  return feed(new ListWatcher(runs.view), signal)
}
