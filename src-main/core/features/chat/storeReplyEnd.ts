import { randomUUID } from 'node:crypto'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import type { NewToolRow } from '../../ports/toolCalls.ts'
import type { Store } from '../../store/store.ts'
import { titleOfReply } from './title.ts'
import { statusOfRun, timed } from './toolRounds.ts'

// Effects of the end of a reply, in the transaction that stores it.

/**
 * Inserts one row per tool call, each below the previous row. A path that ended in the reply now ends in the last row.
 */
export function storeCalls(store: Store, reply: Message, rows: readonly NewToolRow[]): Message[] {
  const { conversationId } = reply
  const createdAt = new Date().toISOString()
  let parentId = reply.id
  const ids = rows.map(({ run: given, text }) => {
    const id = randomUUID()
    const run = timed(given)
    const status = statusOfRun(run)
    const row = {
      id,
      conversationId,
      parentId,
      role: 'tool',
      text,
      status,
      createdAt,
      finishedAt: run.finishedAt,
    } as const
    store.messages.insert({ ...row, model: null, run })
    parentId = id
    return id
  })
  if (ids.length > 0 && store.conversations.find(conversationId)?.leafId === reply.id) {
    store.conversations.setLeaf(conversationId, parentId)
  }
  return store.messages.many(ids)
}

/** Names a conversation by its first reply if the question has no words, for example only an image. */
export function storeTitle(store: Store, { conversationId, parentId, text }: Message): void {
  if (text === '' || store.conversations.find(conversationId)?.title !== null) return
  const questions = store.messages.path(parentId).filter(({ role }) => role === 'user')
  if (questions.length === 1) store.conversations.setTitle(conversationId, titleOfReply(text))
}
