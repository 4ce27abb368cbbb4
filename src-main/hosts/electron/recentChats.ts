import { createRouterClient } from '@orpc/server'
import type { Conversation, ConversationListEvent } from '../../../src-preload/contract/chat.ts'
import type { Core } from '../../core/core.ts'
import { maxRecent, type RecentChat } from './menu.ts'
import { drawWhenDifferent } from './redraw.ts'
import { languageChanges, words } from './words.ts'

/** The menu changes at most this often, ms. */
const everyMs = 500

/** Collects the chats of the menu "Recent chats" from the events of the chat list. */
export class RecentChats {
  readonly #all = new Map<string, Conversation>()

  take(event: ConversationListEvent): void {
    if (event.type === 'snapshot') {
      this.#all.clear()
      for (const conversation of event.conversations) this.#all.set(conversation.id, conversation)
    } else if (event.type === 'upsert') this.#all.set(event.conversation.id, event.conversation)
    else this.#all.delete(event.id)
  }

  /** Newest first, without archived ones. */
  read(): RecentChat[] {
    return [...this.#all.values()]
      .filter(({ archived }) => !archived)
      .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
      .slice(0, maxRecent)
      .map(({ id, title }) => ({ id, title }))
  }
}

/** Calls `show` with the recent chats now and after each change of their order or titles, or of the language, until `signal` aborts. */
export async function followRecentChats(
  core: Pick<Core, 'router'>,
  show: (recent: readonly RecentChat[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const chats = new RecentChats()
  const read = () => ({ recent: chats.read(), language: words.locale })
  const changed = drawWhenDifferent(read, ({ recent }) => show(recent), { everyMs, signal })
  signal.addEventListener('abort', languageChanges.add(changed))
  for await (const event of await createRouterClient(core.router).chat.watchList(undefined, { signal })) {
    if (signal.aborted) return
    chats.take(event)
    changed()
  }
}
