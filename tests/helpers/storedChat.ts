import { DatabaseSync } from 'node:sqlite'
import { databaseFile, openStore } from '../../src-main/core/store/store.ts'

export interface StoredChat {
  id: string
  /** In the order of the messages. */
  messageIds: string[]
}

let chats = 0

/**
 * Writes a chat into a data folder that no program has open, without sending its messages.
 * @param texts of a question, its reply, the next question and so on
 */
export function storeChat(dataDir: string, texts: readonly string[], title = 'A long one'): StoredChat {
  openStore(dataDir).close()
  const handle = new DatabaseSync(databaseFile(dataDir))
  chats += 1
  const group = String(chats).padStart(4, '0')
  const id = `00000001-0000-4000-8000-${group}00000000`
  const messageIds = texts.map((_, at) => `00000002-0000-4000-8000-${group}${String(at).padStart(8, '0')}`)
  const now = new Date().toISOString()
  handle.exec('BEGIN')
  handle
    .prepare(
      'INSERT INTO conversations (id, title, created_at, updated_at, leaf_id, path_length) VALUES (?, ?, ?, ?, ?, ?)',
    )
    .run(id, title, now, now, messageIds.at(-1) ?? null, texts.length)
  const insert = handle.prepare(
    "INSERT INTO messages (id, conversation_id, parent_id, role, text, status, model, created_at, finished_at) VALUES (?, ?, ?, ?, ?, 'complete', ?, ?, ?)",
  )
  for (const [at, text] of texts.entries()) {
    const isReply = at % 2 === 1
    const role = isReply ? 'assistant' : 'user'
    insert.run(
      messageIds[at] ?? '',
      id,
      messageIds[at - 1] ?? null,
      role,
      text,
      isReply ? 'writer-large' : null,
      now,
      now,
    )
  }
  handle.exec('COMMIT')
  handle.close()
  return { id, messageIds }
}
