import type { ConversationEvent, Message } from '../../../../src-preload/contract/chat.ts'
import type { FeedSource } from '../../shared/events.ts'
import type { ChatChange, ChatView } from './listWatcher.ts'
import { textFields } from './reply.ts'

/**
 * How many messages come with the snapshot: more than a window shows, read in a few ms. And how many older ones in one event: some ms of
 * this thread, with a turn of the event loop after it.
 */
const usual = { first: 80, batch: 500 }

/**
 * One watcher of one conversation. It remembers the ids of the path it told, how much of each growing text it has told and which
 * messages are to be told anew, never a text itself: a watcher that stops reading costs a little, and reads on where it stopped, in
 * one piece.
 */
export class ConversationWatcher implements FeedSource<ConversationEvent> {
  readonly #view: ChatView
  readonly #id: string
  readonly #growing = new Map<string, { text: number; reasoning: number; refusal: number }>()
  readonly #stale = new Set<string>()
  /** The path as it was told, from its root; of it the first `#earlier` messages have not been told yet. */
  #path: string[] = []
  #earlier = 0
  #known = new Set<string>()
  #next: 'snapshot' | 'path' | 'removed' | null = 'snapshot'
  #conversationStale = false
  #setupStale = false
  #ended = false
  readonly #sizes: typeof usual

  constructor(view: ChatView, conversationId: string, sizes = usual) {
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
      this.#stale.clear()
      const setup = this.#view.setup(this.#id)
      const path = this.#view.path(this.#id)
      this.#earlier = Math.max(0, path.length - this.#sizes.first)
      return { type: 'snapshot', conversation, setup, ...this.#notifyPath(path, this.#earlier), earlier: this.#earlier }
    }
    if (this.#next === 'path') {
      this.#next = null
      const path = this.#view.path(this.#id)
      // One that is told beside the path is told on it again: the two are one message and have to say the same.
      const besides = new Set(this.#view.beside(path.at(-1)))
      const twice = path.findLastIndex((id) => besides.has(id))
      const same = samePrefix(this.#path, path)
      const keep = twice === -1 ? same : Math.min(same, twice)
      // What was still to come of the former path beyond what both share never comes.
      this.#earlier = Math.min(this.#earlier, keep)
      return { type: 'path', keep, ...this.#notifyPath(path, keep) }
    }
    if (this.#conversationStale) {
      this.#conversationStale = false
      return { type: 'conversation', conversation }
    }
    if (this.#setupStale) {
      this.#setupStale = false
      return { type: 'setup', setup: this.#view.setup(this.#id) }
    }
    return this.#takeMessage() ?? this.#takeDelta() ?? this.#takeEarlier()
  }

  #note(change: ChatChange): void {
    if (change.what === 'removed') this.#next = 'removed'
    // Back before it was told that it had gone: changes of its path were not noted, so all of it is told anew.
    else if (change.what === 'restored' && this.#next === 'removed') this.#next = 'snapshot'
    else if (change.what === 'conversation') this.#conversationStale = true
    else if (change.what === 'setup') this.#setupStale = true
    else if (change.what === 'path' && this.#next === null) this.#next = 'path'
    else if (change.what === 'message') this.#stale.add(change.messageId)
  }

  /** Reads the messages of the path from `from` on, and those beside its end. */
  #notifyPath(path: string[], from: number): { messages: Message[]; beside: Message[] } {
    const messages = this.#view.messages(path.slice(from))
    const beside = this.#view.messages(this.#view.beside(path.at(-1)))
    this.#path = path
    this.#known = new Set([...path.slice(this.#earlier), ...beside.map(({ id }) => id)])
    for (const id of this.#growing.keys()) if (!this.#known.has(id)) this.#growing.delete(id)
    for (const message of [...messages, ...beside]) this.#reported(message)
    return { messages, beside }
  }

  #takeMessage(): ConversationEvent | null {
    for (const id of this.#stale) {
      this.#stale.delete(id)
      const message = this.#known.has(id) ? this.#view.message(id) : null
      if (!message) continue
      this.#reported(message)
      return { type: 'message', message }
    }
    return null
  }

  #takeDelta(): ConversationEvent | null {
    for (const [messageId, reported] of this.#growing) {
      const reply = this.#view.reply(messageId)
      if (!reply) continue
      for (const field of textFields) {
        const at = reported[field]
        if (reply.length(field) <= at) continue
        const append = reply.since(field, at)
        reported[field] = at + append.length
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
      this.#reported(message)
    }
    return { type: 'earlier', messages, left }
  }

  /** Only a reply that is being made can grow; of the others nothing needs to be remembered. */
  #reported({ id, text, reasoning, refusal }: Message): void {
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
