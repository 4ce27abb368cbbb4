import type { ArchivedConversation, ArchivedMessage } from '../../store/archive.ts'
import type { StoreReaders } from '../../store/openReadOnly.ts'
import { atRest, contentHash, hashMessage } from './format.ts'
import { pace } from './yieldToEventLoop.ts'

export interface StoredTree {
  conversation: ArchivedConversation
  /** Places of its messages; taken together with the conversation, so that its leaf is one of them. */
  seqs: number[]
}

export function storedTree(store: Pick<StoreReaders, 'archive'>, id: string): StoredTree | null {
  const found = store.archive.conversation(id)
  if (!found) return null
  const { removed: _, ...conversation } = found
  return { conversation, seqs: store.archive.seqs(id) }
}

/** The messages at some places, one by one, as they go into a file: a reply that is being made with what has come of it by now. */
export async function* storedMessages(
  store: Pick<StoreReaders, 'archive' | 'pieces'>,
  seqs: readonly number[],
): AsyncGenerator<ArchivedMessage, undefined> {
  const giveWay = pace()
  for (const seq of seqs) {
    const message = store.archive.message(seq)
    if (message) {
      const isMade = message.status === 'pending' || message.status === 'streaming'
      yield atRest(isMade && !message.run ? { ...message, ...store.pieces.gather(message.id) } : message)
    }
    await giveWay()
  }
}

/** The same hash as that of a file which holds the same. */
export async function storedHash(store: Pick<StoreReaders, 'archive' | 'pieces'>, id: string): Promise<string | null> {
  const tree = storedTree(store, id)
  if (!tree) return null
  const hash = contentHash(tree.conversation)
  for await (const message of storedMessages(store, tree.seqs)) hashMessage(hash, message)
  return hash.digest('hex')
}
