import type { ConversationEvent, Message } from '../../../../src-preload/contract/chat.ts'
import type { FeedSource } from '../../shared/events.ts'
import type { ChatChange, ChatView } from './listWatcher.ts'
import { textFields } from './reply.ts'

/**
 * Messages in the snapshot (more than a window shows, read in a few ms) and older messages per later event. Each batch
 * blocks this thread for some ms; the event loop runs between batches.
 */
const defaultSizes = { first: 80, batch: 500 }

/**
 * One subscriber of one conversation. Stores the ids of the path it has sent, the lengths of growing texts and the ids
 * of stale messages, but no text. A subscriber that stops reading therefore costs little memory. When it resumes, it
 * receives everything it missed as one event per message.
 */
export class ConversationWatcher implements FeedSource<ConversationEvent> {
  readonly #view: ChatView
  readonly #id: string
  readonly #growing = new Map<string, { text: number; reasoning: number; refusal: number }>()
  readonly #stale = new Set<string>()
  /** Last path sent, root first. The first `#earlier` messages of it are not sent yet. */
  #path: string[] = []
  #earlier = 0
  #known = new Set<string>()
  #next: 'snapshot' | 'path' | 'removed' | null = 'snapshot'
  #conversationStale = false
  #setupStale = false
  #queueStale = false
  #ended = false
  readonly #sizes: typeof defaultSizes

  constructor(view: ChatView, conversationId: string, sizes = defaultSizes) {
    this.#view = view
    this.#sizes = sizes
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
    if (this.#next === 'snapshot') {
      this.#next = null
      this.#conversationStale = false
      this.#setupStale = false
      this.#queueStale = false
      this.#stale.clear()
      const setup = this.#view.setup(this.#id)
      const queue = this.#view.queue(this.#id)
      const path = this.#view.path(this.#id)
      this.#earlier = Math.max(0, path.length - this.#sizes.first)
      return {
        type: 'snapshot',
        conversation,
        setup,
        ...this.#takePathFrom(path, this.#earlier),
        earlier: this.#earlier,
        ...(queue.length > 0 && { queue }),
      }
    }
    if (this.#next === 'path') {
      this.#next = null
      const path = this.#view.path(this.#id)
      // A message in `beside` that is also on the path is sent in both, so that both copies agree.
      const besides = new Set(this.#view.beside(path.at(-1)))
      const twice = path.findLastIndex((id) => besides.has(id))
      const same = samePrefix(this.#path, path)
      const unchanged = twice === -1 ? same : Math.min(same, twice)
      // Earlier messages that are only on the former path are no longer due.
      this.#earlier = Math.min(this.#earlier, unchanged)
      return { type: 'path', unchanged, ...this.#takePathFrom(path, unchanged) }
    }
    if (this.#conversationStale) {
      this.#conversationStale = false
      return { type: 'conversation', conversation }
    }
    if (this.#setupStale) {
      this.#setupStale = false
      return { type: 'setup', setup: this.#view.setup(this.#id) }
    }
    if (this.#queueStale) {
      this.#queueStale = false
      return { type: 'queue', queue: this.#view.queue(this.#id) }
    }
    return this.#takeMessage() ?? this.#takeDelta() ?? this.#takeEarlier()
  }

  #note(change: ChatChange): void {
    if (change.what === 'removed') this.#next = 'removed'
    // The conversation was removed and restored before the subscriber read either change. Path changes in between were
    // not recorded, so everything is sent again.
    else if (change.what === 'restored' && this.#next === 'removed') this.#next = 'snapshot'
    else if (change.what === 'conversation') this.#conversationStale = true
    else if (change.what === 'setup') this.#setupStale = true
    else if (change.what === 'queue') this.#queueStale = true
    else if (change.what === 'path' && this.#next === null) this.#next = 'path'
    else if (change.what === 'message') this.#stale.add(change.messageId)
  }

  /**
   * The messages of `path` from index `from` on, and the other replies to the same message as its last one (`beside`). From now on, changes
   * of these messages are sent.
   */
  #takePathFrom(path: string[], from: number): { messages: Message[]; beside: Message[] } {
    const messages = this.#view.messages(path.slice(from))
    const beside = this.#view.messages(this.#view.beside(path.at(-1)))
    this.#path = path
    this.#known = new Set([...path.slice(this.#earlier), ...beside.map(({ id }) => id)])
    for (const id of this.#growing.keys()) if (!this.#known.has(id)) this.#growing.delete(id)
    for (const message of [...messages, ...beside]) this.#noteSent(message)
    return { messages, beside }
  }

  #takeMessage(): ConversationEvent | null {
    for (const id of this.#stale) {
      this.#stale.delete(id)
      const message = this.#known.has(id) ? this.#view.message(id) : null
      if (!message) continue
      this.#noteSent(message)
      return { type: 'message', message }
    }
    return null
  }

  #takeDelta(): ConversationEvent | null {
    for (const [messageId, sent] of this.#growing) {
      const reply = this.#view.reply(messageId)
      if (!reply) continue
      for (const field of textFields) {
        const at = sent[field]
        if (reply.length(field) <= at) continue
        const append = reply.since(field, at)
        sent[field] = at + append.length
        return { type: 'delta', messageId, field, at, append }
      }
    }
    return null
  }

  #takeEarlier(): ConversationEvent | null {
    if (this.#earlier === 0) return null
    const left = Math.max(0, this.#earlier - this.#sizes.batch)
    const ids = this.#path.slice(left, this.#earlier)
    this.#earlier = left
    const messages = this.#view.messages(ids)
    for (const message of messages) {
      this.#known.add(message.id)
      this.#noteSent(message)
    }
    return { type: 'earlier', messages, left }
  }

  /** Records that a message was sent. Stores lengths only for running replies, because no other message grows. */
  #noteSent({ id, text, reasoning, refusal }: Message): void {
    this.#stale.delete(id)
    if (!this.#view.reply(id)) this.#growing.delete(id)
    else this.#growing.set(id, { text: text.length, reasoning: reasoning.length, refusal: refusal.length })
  }
}

function samePrefix(former: readonly string[], path: readonly string[]): number {
  let same = 0
  while (same < path.length && former[same] === path[same]) same += 1
  return same
}
