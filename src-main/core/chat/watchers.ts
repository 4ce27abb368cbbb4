import type {
  Conversation,
  ConversationEvent,
  ConversationListEvent,
  Message,
} from '../../../src-preload/contract/chat.ts'
import { type FeedSource, Listeners } from '../feed.ts'
import type { StoredConversation } from '../store/conversations.ts'
import type { Store } from '../store/store.ts'
import { type Reply, textFields } from './reply.ts'

/** What happened in a conversation. Watchers are told that something changed; what it is now, they read themselves. */
export type ChatChange =
  | { what: 'text'; conversationId: string; messageId: string }
  | { what: 'message'; conversationId: string; messageId: string }
  | { what: 'conversation' | 'path' | 'removed' | 'restored'; conversationId: string }

/** The one view of conversations: stored rows, with replies that are being made laid over them. */
export class ChatView {
  readonly changes = new Listeners<[ChatChange]>()
  readonly #store: Store
  readonly #live: ReadonlyMap<string, Reply>

  constructor(store: Store, live: ReadonlyMap<string, Reply>) {
    this.#store = store
    this.#live = live
  }

  reply(messageId: string): Reply | undefined {
    return this.#live.get(messageId)
  }

  running(conversationId: string): Reply | undefined {
    return this.#live.values().find((reply) => reply.conversationId === conversationId)
  }

  conversation(id: string): Conversation | null {
    const stored = this.#store.conversations.find(id)
    return stored && !stored.removed ? this.#show(stored) : null
  }

  list(): Conversation[] {
    return this.#store.conversations.list().map((stored) => this.#show(stored))
  }

  message(id: string): Message | null {
    const stored = this.#store.messages.find(id)
    return stored && this.#overlay(stored)
  }

  path(conversationId: string): Message[] {
    const stored = this.#store.conversations.find(conversationId)
    return this.#store.messages.path(stored?.leafId ?? null).map((message) => this.#overlay(message))
  }

  #overlay(stored: Message): Message {
    const live = this.#live.get(stored.id)
    return live ? { ...live.message(), sibling: stored.sibling, siblings: stored.siblings } : stored
  }

  #show(stored: StoredConversation): Conversation {
    const { id, title, model, createdAt, updatedAt, messages, draft } = stored
    return { id, title, model, createdAt, updatedAt, messages, draft, running: this.running(id) !== undefined }
  }
}

/**
 * One watcher of one conversation. It remembers how much of each growing text it has told and which messages are to be told
 * anew, never the text itself: a watcher that stops reading costs a few numbers, and reads on where it stopped, in one piece.
 */
export class ConversationWatcher implements FeedSource<ConversationEvent> {
  readonly #view: ChatView
  readonly #id: string
  readonly #told = new Map<string, { text: number; reasoning: number; refusal: number }>()
  readonly #onPath = new Set<string>()
  readonly #stale = new Set<string>()
  #next: 'snapshot' | 'path' | 'removed' | null = 'snapshot'
  #conversationStale = false
  #ended = false

  constructor(view: ChatView, conversationId: string) {
    this.#view = view
    this.#id = conversationId
  }

  subscribe(wake: () => void): () => void {
    return this.#view.changes.add((change) => {
      if (change.conversationId !== this.#id) return
      this.#note(change)
      wake()
    })
  }

  take(): ConversationEvent | null | 'end' {
    if (this.#ended) return 'end'
    const conversation = this.#next === 'removed' ? null : this.#view.conversation(this.#id)
    if (!conversation) {
      this.#ended = true
      return { type: 'removed' }
    }
    if (this.#next) {
      const type = this.#next === 'snapshot' ? 'snapshot' : 'path'
      this.#next = null
      const messages = this.#tellPath()
      if (type === 'path') return { type, messages }
      this.#conversationStale = false
      return { type, conversation, messages }
    }
    if (this.#conversationStale) {
      this.#conversationStale = false
      return { type: 'conversation', conversation }
    }
    return this.#takeMessage() ?? this.#takeDelta()
  }

  #note(change: ChatChange): void {
    if (change.what === 'removed') this.#next = 'removed'
    else if (change.what === 'conversation') this.#conversationStale = true
    else if (change.what === 'path' && this.#next === null) this.#next = 'path'
    else if (change.what === 'message') this.#stale.add(change.messageId)
  }

  #tellPath(): Message[] {
    const messages = this.#view.path(this.#id)
    this.#told.clear()
    this.#onPath.clear()
    this.#stale.clear()
    for (const message of messages) this.#remember(message)
    return messages
  }

  #takeMessage(): ConversationEvent | null {
    for (const id of this.#stale) {
      this.#stale.delete(id)
      const message = this.#onPath.has(id) ? this.#view.message(id) : null
      if (!message) continue
      this.#remember(message)
      return { type: 'message', message }
    }
    return null
  }

  #takeDelta(): ConversationEvent | null {
    for (const [messageId, told] of this.#told) {
      const reply = this.#view.reply(messageId)
      if (!reply) continue
      for (const field of textFields) {
        const at = told[field]
        if (reply.length(field) <= at) continue
        const append = reply.since(field, at)
        told[field] = at + append.length
        return { type: 'delta', messageId, field, at, append }
      }
    }
    return null
  }

  /** Only a reply that is being made can grow; of the others nothing needs to be remembered. */
  #remember(message: Message): void {
    this.#onPath.add(message.id)
    const { text, reasoning, refusal } = message
    if (!this.#view.reply(message.id)) this.#told.delete(message.id)
    else this.#told.set(message.id, { text: text.length, reasoning: reasoning.length, refusal: refusal.length })
  }
}

/** One watcher of the list: which conversations are to be told anew. */
export class ListWatcher implements FeedSource<ConversationListEvent> {
  readonly #view: ChatView
  readonly #stale = new Set<string>()
  #snapshotDue = true

  constructor(view: ChatView) {
    this.#view = view
  }

  subscribe(wake: () => void): () => void {
    return this.#view.changes.add((change) => {
      if (change.what === 'text' || change.what === 'message') return
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
