import { StudioError } from '../../errors.ts'
import type { ChatFeature } from './chat.ts'

/** Brings a removed conversation back. @throws StudioError `no_such_item` */
export function restore({ store, runs }: ChatFeature, { conversationId }: { conversationId: string }): void {
  store.transaction(() => {
    if (!store.conversations.find(conversationId)) {
      throw new StudioError('no_such_item', 'That conversation does not exist any more.')
    }
    store.conversations.setRemoved(conversationId, null)
    // One that is being erased for good stays where it is.
    store.conversations.get(conversationId)
  })
  runs.view.changes.notify({ what: 'restored', conversationId })
}
