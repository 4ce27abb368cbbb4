import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Bytes that depend on their position. */
export function patternOf(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >> 8)) & 255
  return bytes
}

/** A second connection to the database of a data folder, as another feature's code. */
export function withDatabase<T>(dataDir: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(dataDir, 'studio.sqlite'), { timeout: 5000 })
  try {
    return work(database)
  } finally {
    database.close()
  }
}

interface RecordingRow {
  id: string
  state?: string
  mediaId?: string | null
  createdAt?: string
  removedAt?: string | null
  bytes?: number
}

export function recordingRow(database: DatabaseSync, row: RecordingRow): void {
  const { id, state = 'kept', mediaId = null, createdAt = new Date().toISOString(), removedAt = null, bytes = 0 } = row
  database
    .prepare(
      `INSERT INTO recordings (id, created_at, name, search, source, state, mime, bytes, media_id, removed_at)
       VALUES (?, ?, 'one', ' one ', 'microphone', ?, 'audio/webm', ?, ?, ?)`,
    )
    .run(id, createdAt, state, bytes, mediaId, removedAt)
}

interface ImageRow {
  id: string
  drawingId: string
  mediaId: string
  createdAt: string
  favourite?: boolean
  removedAt?: string | null
}

/** An image row, with its image request if it does not exist yet. */
export function imageRow(database: DatabaseSync, row: ImageRow): void {
  const { id, drawingId, mediaId, createdAt, favourite = false, removedAt = null } = row
  const wish = JSON.stringify({ prompt: 'one', n: 1, model: null, size: null, responseFormat: null })
  database
    .prepare(
      `INSERT OR IGNORE INTO drawings (id, created_at, state, wish, search, slots) VALUES (?, ?, 'done', ?, ' one ', '[]')`,
    )
    .run(drawingId, createdAt, wish)
  database
    .prepare(
      `INSERT INTO images (id, drawing_id, created_at, slot, media_id, favourite, removed_at)
       VALUES (?, ?, ?, (SELECT count(*) FROM images WHERE drawing_id = ?2), ?, ?, ?)`,
    )
    .run(id, drawingId, createdAt, mediaId, favourite ? 1 : 0, removedAt)
}

/** A conversation with one message that shows an image. */
export function messageRow(database: DatabaseSync, mediaId: string, removedAt: string | null = null): string {
  const [conversationId, at] = [crypto.randomUUID(), new Date().toISOString()]
  const attachments = JSON.stringify([{ mediaId, detail: null, name: null, mime: '', width: 1, height: 1, bytes: 1 }])
  database
    .prepare('INSERT INTO conversations (id, created_at, updated_at, removed_at) VALUES (?, ?, ?, ?)')
    .run(conversationId, at, at, removedAt)
  database
    .prepare(
      `INSERT INTO messages (id, conversation_id, role, text, status, created_at, attachments) VALUES (?, ?, 'user', '', 'complete', ?, ?)`,
    )
    .run(crypto.randomUUID(), conversationId, at, attachments)
  return conversationId
}
