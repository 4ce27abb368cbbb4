import { randomUUID } from 'node:crypto'
import { StudioError } from '../errors.ts'
import type { ChatRoom } from './chat.ts'
import { titleOf } from './title.ts'

export interface SendInput {
  requestId: string
  conversationId: string | null
  text: string
  model: string
}

export interface Sent {
  conversationId: string
  turnId: string
  replyId: string
}

/**
 * Stores the person's turn and the reply to come in one transaction, then asks the service. The same `requestId` again
 * answers what the first call answered and sends nothing.
 * @throws StudioError `not_connected`, `no_such_item`, `busy`
 */
export async function send(room: ChatRoom, input: SendInput): Promise<Sent> {
  const before = sentBefore(room, input.requestId)
  if (before) return before
  const upstream = await room.upstream()
  // Two calls with one id may both have waited for the connection: from here on nothing waits.
  return sentBefore(room, input.requestId) ?? sendNow(room, input, upstream)
}

function sendNow(room: ChatRoom, input: SendInput, upstream: Awaited<ReturnType<ChatRoom['upstream']>>): Sent {
  const { store, runs } = room
  const { requestId: turnId, text, model } = input
  const conversationId = input.conversationId ?? randomUUID()
  if (runs.view.running(conversationId)) {
    throw new StudioError('busy', 'A reply is still being made in this conversation. Stop it or wait for it.')
  }
  const replyId = randomUUID()
  const now = new Date().toISOString()
  const reply = store.transaction(() => {
    const title = titleOf(text)
    if (input.conversationId === null) store.conversations.insert({ id: conversationId, title, model, now })
    const conversation = store.conversations.get(conversationId)
    if (conversation.title === null && conversation.leafId === null) store.conversations.setTitle(conversationId, title)
    const common = { conversationId, createdAt: now }
    const parentId = conversation.leafId
    store.messages.insert({ ...common, id: turnId, parentId, role: 'user', text, status: 'complete', model: null })
    store.messages.insert({
      ...common,
      id: replyId,
      parentId: turnId,
      role: 'assistant',
      text: '',
      status: 'pending',
      model,
    })
    store.conversations.setLeaf(conversationId, replyId, model, now)
    // What was being typed is what was sent.
    store.conversations.setDraft(conversationId, '')
    return store.messages.get(replyId)
  })
  runs.start(reply, upstream)
  runs.view.changes.tell({ what: 'path', conversationId })
  runs.view.changes.tell({ what: 'conversation', conversationId })
  return { conversationId, turnId, replyId }
}

function sentBefore({ store }: ChatRoom, turnId: string): Sent | null {
  const turn = store.messages.find(turnId)
  const replyId = turn && store.messages.firstChild(turnId)
  return turn && replyId ? { conversationId: turn.conversationId, turnId, replyId } : null
}
