import { type ChatInputs, maxQueued } from '../../../../src-preload/contract/chat.ts'
import { filesToSend } from '../../../../src-preload/contract/projects.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { StoredQueuedMessage } from '../../store/queuedMessages.ts'
import type { ChatParts } from './replyRuns.ts'
import { sendNow } from './send.ts'
import { busyReason } from './startReplies.ts'

/**
 * Messages that the person wrote while a reply was running. When the reply ends well, the first one is sent. After any other end, and after
 * a restart, all of them are held: they wait until the person sends each of them.
 */
export class MessageQueue {
  readonly #feature: ChatParts
  /** Conversations whose next message is being sent. */
  readonly #sending = new Map<string, Promise<void>>()
  #closed = false

  constructor(feature: ChatParts) {
    this.#feature = feature
  }

  /**
   * Stores a message, and sends it when the conversation can. A repeated `requestId` changes nothing.
   * @throws StudioError `no_such_item`, `bad_input`, also if the `requestId` belongs to another text
   */
  add({ requestId: id, conversationId, ...written }: ChatInputs['queue']): void {
    const { store, neighbours } = this.#feature
    const known = store.messages.find(id) ?? store.queuedMessages.find(id)
    if (known) {
      if (known.text === written.text) return
      throw new StudioError('bad_input', 'This request id belongs to another message.')
    }
    store.transaction(() => {
      store.conversations.get(conversationId)
      if (store.queuedMessages.count(conversationId) >= maxQueued) {
        throw new StudioError('bad_input', `At most ${maxQueued} messages can be queued in one chat.`)
      }
      const { text, models, role = 'user', name = null, attachments = [], documents = [], without = [] } = written
      store.queuedMessages.insert({
        id,
        conversationId,
        text,
        models,
        role,
        name,
        attachments: attachments.map(({ mediaId, detail }) => ({ ...store.media.picture(mediaId), detail })),
        documents: neighbours.attachDocuments(documents),
        without,
        createdAt: new Date().toISOString(),
      })
      store.conversations.draftSent(conversationId, text)
    })
    this.#notify(conversationId)
    this.#advance(conversationId)
  }

  /** Sends a held message. @throws StudioError `no_such_item` */
  release({ id }: { id: string }): void {
    const { store } = this.#feature
    const { conversationId } = store.transaction(() => {
      const queued = store.queuedMessages.get(id)
      store.conversations.get(queued.conversationId)
      store.queuedMessages.release(id)
      return queued
    })
    this.#notify(conversationId)
    if (!this.#isBusy(conversationId)) this.#send(conversationId, id)
  }

  /** Removes a message. `draft` replaces the draft of its conversation. @throws StudioError `no_such_item` for the conversation */
  remove({ id, draft }: ChatInputs['removeQueued']): { removed: boolean } {
    const { store } = this.#feature
    const removed = store.transaction(() => {
      const queued = store.queuedMessages.find(id)
      if (!queued) return null
      store.conversations.get(queued.conversationId)
      store.queuedMessages.remove(id)
      if (draft !== undefined) {
        store.conversations.setDraft(queued.conversationId, draft)
        for (const { mediaId } of [...queued.attachments, ...queued.documents]) store.media.draft(mediaId)
      }
      return queued
    })
    if (removed) this.#notify(removed.conversationId)
    return { removed: removed !== null }
  }

  /** Call when the end of a reply is stored. Never throws. */
  replied({ conversationId }: { conversationId: string }): void {
    const { pending } = this.#feature.store
    // Not within the write of that end, whose failure would repeat it.
    queueMicrotask(() =>
      pending.write(`queue ${conversationId}`, 'The queue of a chat', () => this.#advance(conversationId)),
    )
  }

  /** Sends the next message, or holds the queue, or does nothing while another end will follow. */
  #advance(conversationId: string): void {
    const { store, runs } = this.#feature
    if (this.#closed || store.queuedMessages.count(conversationId) === 0) return
    const conversation = store.conversations.find(conversationId)
    if (!conversation || conversation.removed) {
      this.hold(conversationId)
      return
    }
    if (this.#isBusy(conversationId)) return
    const leaf = conversation.leafId === null ? null : store.messages.find(conversation.leafId)
    // The reply to settled calls ends later, and a call that waits for the person keeps the queue waiting too.
    if (leaf?.role === 'tool') return
    const beside = leaf ? runs.view.beside(leaf.id) : []
    const ends = leaf === null ? [] : beside.length > 0 ? runs.view.messages(beside) : [leaf]
    if (ends.some(({ id }) => runs.view.reply(id))) return
    const endedWell = ends.length > 0 && ends.every((one) => one.role === 'assistant' && one.status === 'complete')
    if (endedWell) this.#send(conversationId)
    else this.hold(conversationId)
  }

  /** Lets the queue of a conversation wait for the person. */
  hold(conversationId: string): void {
    if (this.#feature.store.queuedMessages.hold(conversationId)) this.#notify(conversationId)
  }

  /** Sends nothing from now on. Resolves when no message is being sent. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#sending.values())
  }

  /**
   * Sends the first message that is not held, or the one with the id `first`. One at a time, because each message changes the end of the
   * path: while another is being sent, it waits for that, and does nothing if a reply is running then.
   */
  #send(conversationId: string, first?: string): void {
    if (this.#closed) return
    const before = this.#sending.get(conversationId)
    const sending: Promise<void> = this.#sendAfter(before, conversationId, first).finally(() => {
      if (this.#sending.get(conversationId) === sending) this.#sending.delete(conversationId)
    })
    this.#sending.set(conversationId, sending)
  }

  async #sendAfter(before: Promise<void> | undefined, conversationId: string, first?: string): Promise<void> {
    if (before) {
      await before
      if (this.#isBusy(conversationId)) return
    }
    await this.#sendNext(conversationId, first)
  }

  #isBusy(conversationId: string): boolean {
    const { conversations } = this.#feature.store
    return conversations.find(conversationId) === null || busyReason(this.#feature, conversationId) !== null
  }

  async #sendNext(conversationId: string, first?: string): Promise<void> {
    const { store } = this.#feature
    for (;;) {
      const ready = store.queuedMessages.list(conversationId).filter(({ held }) => !held)
      const next = ready.find(({ id }) => id === first) ?? ready[0]
      if (!next) return
      try {
        // A message without a request is followed by the next one at once, and so is one that was taken back meanwhile.
        if ((await this.#sendOne(next)) && next.role === 'user') return
      } catch (thrown) {
        this.#refused(next, asStudioError(thrown))
        return
      }
      if (this.#closed) return
    }
  }

  /** Returns false for a message that was removed or held meanwhile. */
  async #sendOne(queued: StoredQueuedMessage): Promise<boolean> {
    const { store, neighbours, upstream } = this.#feature
    const { id, conversationId, text, without, attachments, documents, models, role, name } = queued
    const asks = role === 'user'
    const client = asks ? await upstream() : null
    const added = asks
      ? await neighbours.projectContext({ conversationId, text, without })
      : { documents: [], passages: [] }
    // No await follows. The message may have been removed or held in the meantime.
    if (this.#closed || store.queuedMessages.find(id)?.held !== false) return false
    sendNow(
      this.#feature,
      {
        requestId: id,
        conversationId,
        text,
        attachments,
        models,
        role,
        name,
        ...filesToSend(added, documents),
      },
      client,
    )
    return true
  }

  /** Keeps a message that could not be sent, with the reason. A reply that was started in the meantime is no reason: its end sends. */
  #refused({ id, conversationId }: StoredQueuedMessage, failure: StudioError): void {
    if (failure.kind === 'busy' || this.#closed) return
    const { store } = this.#feature
    store.pending.write(`refused ${id}`, 'The reason why a message was not sent', () => {
      store.transaction(() => {
        store.queuedMessages.hold(conversationId)
        store.queuedMessages.setProblem(id, failure.toProblem())
      })
      this.#notify(conversationId)
    })
  }

  #notify(conversationId: string): void {
    this.#feature.runs.view.changes.notify({ what: 'queue', conversationId })
  }
}
