import type { ArchivedConversation, ArchivedMessage } from '../../store/archive.ts'
import type { StoreReaders } from '../../store/openReadOnly.ts'
import { contentHash, hashMessage, settledMessage } from './format.ts'
import { yieldRegularly } from './yieldToEventLoop.ts'

/** A stored conversation and the positions of its messages. */
export interface StoredTree {
  conversation: ArchivedConversation
  /** Row numbers of the messages, read together with the conversation, so that they include the message at `leafId`. */
  seqs: number[]
}

export function storedTree(store: Pick<StoreReaders, 'archive'>, id: string): StoredTree | null {
  const found = store.archive.conversation(id)
  if (!found) return null
  const { removed: _, ...conversation } = found
  return { conversation, seqs: store.archive.seqs(id) }
}

/** Reads messages one by one in the form of the export. A running reply is returned with its current text. */
export async function* storedMessages(
  store: Pick<StoreReaders, 'archive' | 'replyJournal'>,
  seqs: readonly number[],
): AsyncGenerator<ArchivedMessage, undefined> {
  const giveWay = yieldRegularly()
  for (const seq of seqs) {
    const message = store.archive.message(seq)
    if (message) {
      const isMade = message.status === 'pending' || message.status === 'streaming'
      yield settledMessage(isMade && !message.run ? { ...message, ...store.replyJournal.gather(message.id) } : message)
    }
    await giveWay()
  }
}

/** Hash of a stored conversation, equal to the hash of a file with the same content. */
export async function storedHash(
  store: Pick<StoreReaders, 'archive' | 'replyJournal'>,
  id: string,
): Promise<string | null> {
  const tree = storedTree(store, id)
  if (!tree) return null
  const hash = contentHash(tree.conversation)
  for await (const message of storedMessages(store, tree.seqs)) hashMessage(hash, message)
  return hash.digest('hex')
}
