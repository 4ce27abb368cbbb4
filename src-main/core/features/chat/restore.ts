import { StudioError } from '../../errors.ts'
import type { ChatFeature } from './chat.ts'

/** Shows a removed conversation again. @throws StudioError `no_such_item` */
export function restore({ store, runs }: ChatFeature, { conversationId }: { conversationId: string }): void {
  store.transaction(() => {
    if (!store.conversations.find(conversationId)) {
      throw new StudioError('no_such_item', 'That conversation does not exist any more.')
    }
    store.conversations.setRemoved(conversationId, null)
    // Throws for a conversation that is being deleted permanently.
    store.conversations.get(conversationId)
  })
  runs.view.changes.notify({ what: 'restored', conversationId })
}
