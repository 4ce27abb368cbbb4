import type { StoreReaders } from '../../store/openReadOnly.ts'
import { storedDocument } from './archivedDocuments.ts'
import { conversationFormat, formatVersion } from './format.ts'
import { type StoredTree, storedMessages } from './readStored.ts'
import { yieldRegularly } from './yieldToEventLoop.ts'

/** Counts of what `conversationFile` has yielded. */
export interface WrittenCounts {
  messages: number
  /** Ids of the images in its messages. */
  pictures: Set<string>
  /** Ids of the documents in its messages. */
  documents: Set<string>
}

/**
 * Yields the file of a conversation, one message at a time, and counts in `written`. With `original`, images and
 * documents follow in the same file. Missing ones are omitted.
 */
export async function* conversationFile(
  store: Pick<StoreReaders, 'archive' | 'replyJournal' | 'documents'>,
  { conversation, seqs }: StoredTree,
  written: WrittenCounts,
  original?: (id: string) => Promise<Buffer | null>,
): AsyncGenerator<Uint8Array, undefined> {
  const head = { format: conversationFormat, version: formatVersion }
  yield Buffer.from(
    `${JSON.stringify(head).slice(0, -1)},\n"conversation":${JSON.stringify(conversation)},\n"messages":[`,
  )
  for await (const message of storedMessages(store, seqs)) {
    yield Buffer.from(`${written.messages === 0 ? '' : ','}\n${JSON.stringify(message)}`)
    written.messages += 1
    for (const { mediaId } of message.attachments) written.pictures.add(mediaId)
    for (const { mediaId } of message.documents) written.documents.add(mediaId)
  }
  yield Buffer.from('\n]')
  if (original) {
    yield* media([...written.pictures, ...written.documents].sort(), original)
    yield* documents(store, [...written.documents].sort())
  }
  yield Buffer.from('}\n')
}

/** Bytes per piece of Base64, a multiple of three, so that only the last piece is padded. */
const pieceBytes = 192 * 1024

async function* media(
  ids: readonly string[],
  original: (id: string) => Promise<Buffer | null>,
): AsyncGenerator<Uint8Array, undefined> {
  const giveWay = yieldRegularly()
  yield Buffer.from(',\n"media":[')
  let first = true
  for (const id of ids) {
    const bytes = await original(id)
    if (!bytes) continue
    yield Buffer.from(`${first ? '' : ','}\n{"id":${JSON.stringify(id)},"data":"`)
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield Buffer.from(bytes.toString('base64', at, Math.min(bytes.length, at + pieceBytes)))
      await giveWay()
    }
    yield Buffer.from('"}')
    first = false
  }
  yield Buffer.from('\n]')
}

function* documents(store: Pick<StoreReaders, 'documents'>, ids: readonly string[]): Generator<Uint8Array, undefined> {
  const known = ids.flatMap((id) => storedDocument(store, id) ?? [])
  if (known.length > 0) yield Buffer.from(`,\n"documents":${JSON.stringify(known)}`)
}
