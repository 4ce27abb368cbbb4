import type {
  ChatSetup,
  Conversation,
  ConversationListEvent,
  Message,
  QueuedMessage,
} from '../../../../src-preload/contract/chat.ts'
import { type FeedSource, Listeners } from '../../shared/events.ts'
import type { StoredConversation } from '../../store/conversations.ts'
import type { Store } from '../../store/store.ts'
import type { RunningReply } from './reply.ts'

/** A change of a conversation. Names only the changed item; subscribers read its current value themselves. */
export type ChatChange =
  | { what: 'text'; conversationId: string; messageId: string }
  | { what: 'message'; conversationId: string; messageId: string }
  | { what: 'conversation' | 'setup' | 'queue' | 'path' | 'removed' | 'restored'; conversationId: string }

/** Changes that the list of conversations does not show. */
const ofOneChat: ReadonlySet<ChatChange['what']> = new Set<ChatChange['what']>(['text', 'message', 'setup', 'queue'])

/** Conversations and messages as the window shows them: stored rows, overlaid with running replies. */
export class ChatView {
  readonly changes = new Listeners<[ChatChange]>()
  readonly #store: Store
  readonly #live: ReadonlyMap<string, RunningReply>

  constructor(store: Store, live: ReadonlyMap<string, RunningReply>) {
    this.#store = store
    this.#live = live
  }

  /** A reply that is running, or has ended but is not stored yet. */
  reply(messageId: string): RunningReply | undefined {
    return this.#live.get(messageId)
  }

  running(conversationId: string): boolean {
    return this.#live.values().some((reply) => reply.conversationId === conversationId && !reply.ended)
  }

  conversation(id: string): Conversation | null {
    const stored = this.#store.conversations.find(id)
    return stored && !stored.removed ? this.#show(stored) : null
  }

  list(): Conversation[] {
    return this.#store.conversations.list().map((stored) => this.#show(stored))
  }

  setup(id: string): ChatSetup {
    return this.#store.conversations.setup(id)
  }

  queue(id: string): QueuedMessage[] {
    return this.#store.queuedMessages.list(id).map(({ conversationId: _, without: __, ...queued }) => queued)
  }

  message(id: string): Message | null {
    const stored = this.#store.messages.find(id)
    return stored && this.#overlay(stored)
  }

  /** Oldest first. */
  messages(ids: readonly string[]): Message[] {
    return this.#store.messages.many(ids).map((message) => this.#overlay(message))
  }

  /** The ids of the active path, from its root. */
  path(conversationId: string): string[] {
    return this.#store.messages.pathIds(this.#store.conversations.find(conversationId)?.leafId ?? null)
  }

  /**
   * All replies that were requested together with the last reply of a path, if there are several and the person
   * continued none of them. Results of tool calls do not count as continuing.
   */
  beside(leafId: string | undefined): string[] {
    if (leafId === undefined) return []
    const { messages } = this.#store
    const last = messages.turnsAbove(leafId).find(({ role }) => role !== 'tool')
    const reply = last?.role === 'assistant' ? messages.find(last.id) : null
    if (!reply || reply.askId === null) return []
    const replies = messages.byAsk(reply.conversationId, reply.askId)
    const wasContinued = replies.some((id) =>
      messages.children(reply.conversationId, id).some(({ role }) => role !== 'tool'),
    )
    return wasContinued ? [] : replies
  }

  #overlay(stored: Message): Message {
    const live = this.#live.get(stored.id)
    return live ? { ...live.message(), sibling: stored.sibling, siblings: stored.siblings } : stored
  }

  #show({ leafId: _, removed: __, ...conversation }: StoredConversation): Conversation {
    return { ...conversation, running: this.running(conversation.id) }
  }
}

/** One subscriber of the conversation list. Stores only which conversations are stale. */
export class ListWatcher implements FeedSource<ConversationListEvent> {
  readonly #view: ChatView
  readonly #stale = new Set<string>()
  #snapshotDue = true

  constructor(view: ChatView) {
    this.#view = view
  }

  subscribe(wake: () => void): () => void {
    return this.#view.changes.add((change) => {
      if (ofOneChat.has(change.what)) return
      this.#stale.add(change.conversationId)
      wake()
    })
  }

  take(): ConversationListEvent | null {
    if (this.#snapshotDue) {
      this.#snapshotDue = false
      this.#stale.clear()
      return { type: 'snapshot', conversations: this.#view.list() }
    }
    for (const id of this.#stale) {
      this.#stale.delete(id)
      const conversation = this.#view.conversation(id)
      return conversation ? { type: 'upsert', conversation } : { type: 'removed', id }
    }
    return null
  }
}
