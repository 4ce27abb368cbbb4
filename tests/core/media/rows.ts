import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Bytes that tell their own place. */
export function patternOf(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >> 8)) & 255
  return bytes
}

/** A second connection to the database of a data folder, as another room's code would write. */
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
