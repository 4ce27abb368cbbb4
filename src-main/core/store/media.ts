import * as z from 'zod'
import type { Attachment } from '../../../src-preload/contract/chat.ts'
import { StudioError } from '../errors.ts'
import type { Database } from './database.ts'
import { cleaning, type MadeKind, madeKind } from './mediaCleaning.ts'
import { bytes, number, numberOrNull, type Row, text, textOrNull } from './rows.ts'

const kind = z.enum(['image', 'audio'])

/** One file of the media folder. Its name is its `id`. */
export interface MediaItem {
  id: string
  kind: z.infer<typeof kind>
  mime: string
  bytes: number
  /** Pixels; null when it is not a picture. */
  width: number | null
  height: number | null
  name: string | null
  sha256: string
  createdAt: string
}

/** All references to media files. Pictures of messages are last, because they are looked up one by one. */
const named = `
  drafted = 1
  OR EXISTS (SELECT 1 FROM speeches WHERE media_id = media.id)
  OR EXISTS (SELECT 1 FROM recordings WHERE media_id = media.id)
  OR EXISTS (SELECT 1 FROM images WHERE media_id = media.id)
  OR EXISTS (SELECT 1 FROM images WHERE thumb_id = media.id)
  OR EXISTS (SELECT 1 FROM voice_samples WHERE media_id = media.id)
  OR id IN (SELECT ifnull(a.value ->> '$.mediaId', '') FROM messages AS m, json_each(m.attachments) AS a WHERE m.attachments <> '[]')`

/** Metadata of the files of the media folder. A row exists only while its file exists. */
export function mediaTable(database: Database) {
  const { handle, transaction } = database
  const insert = handle.prepare(
    `INSERT INTO media (id, kind, mime, bytes, width, height, name, sha256, created_at)
     VALUES (:id, :kind, :mime, :bytes, :width, :height, :name, :sha256, :createdAt)`,
  )
  const one = handle.prepare('SELECT * FROM media WHERE id = ?')
  const byHash = handle.prepare('SELECT * FROM media WHERE sha256 = ? AND mime = ? ORDER BY rowid LIMIT 1')
  const ids = handle.prepare('SELECT id FROM media')
  const unnamed = handle.prepare(
    `SELECT id, bytes FROM media WHERE id IN (SELECT value FROM json_each(?)) AND NOT (${named})`,
  )
  const orphans = handle.prepare(`SELECT id FROM media WHERE created_at < ? AND NOT (${named})`)
  const remove = handle.prepare('DELETE FROM media WHERE id IN (SELECT value FROM json_each(?))')
  const draft = handle.prepare('UPDATE media SET drafted = 1 WHERE id = ?')
  const owner = handle.prepare(
    `SELECT 'speech' AS kind FROM speeches WHERE id = :id UNION ALL SELECT 'recordings' FROM recordings WHERE id = :id
     UNION ALL SELECT 'recordings' FROM transcripts WHERE id = :id UNION ALL SELECT 'images' FROM drawings WHERE id = :id`,
  )
  const peaks = handle.prepare('SELECT data, seconds FROM peaks WHERE media_id = ?')
  const savePeaks = handle.prepare('INSERT OR REPLACE INTO peaks (media_id, data, seconds) VALUES (?, ?, ?)')
  const find = (id: string): MediaItem | null => {
    const row = one.get(id)
    return row ? readItem(row) : null
  }
  const unnamedOf = (all: readonly string[]): { id: string; bytes: number }[] =>
    unnamed.all(JSON.stringify(all)).map((row) => ({ id: text(row, 'id'), bytes: number(row, 'bytes') }))

  return {
    /** Inserts a row in one transaction with `then`, which writes the reference to it. */
    insert: (item: MediaItem, then?: (item: MediaItem) => void): void =>
      transaction(() => {
        insert.run({ ...item })
        then?.(item)
      }),
    find,
    /** A picture as an attachment of a message. @throws StudioError `no_such_item` */
    picture(id: string): Omit<Attachment, 'detail'> {
      const item = find(id)
      if (item?.kind !== 'image') throw new StudioError('no_such_item', 'That picture no longer exists.')
      return asPicture(item)
    },
    /** The file with this content and type. `then` runs in the same transaction as the lookup. */
    findByHash: (sha256: string, mime: string, then?: (item: MediaItem) => void): MediaItem | null =>
      transaction(() => {
        const row = byHash.get(sha256, mime)
        if (!row) return null
        const item = readItem(row)
        then?.(item)
        return item
      }),
    ids: (): Set<string> => new Set(ids.all().map((row) => text(row, 'id'))),
    /** Returns the ids to which no message, draft, speech, recording, image or voice sample refers. */
    unnamed: unnamedOf,
    /** Deletes the rows of ids without a reference, and returns these ids. */
    removeUnnamed: (all: readonly string[]): string[] =>
      transaction(() => {
        const going = unnamedOf(all).map(({ id }) => id)
        if (going.length > 0) remove.run(JSON.stringify(going))
        return going
      }),
    /** Ids of files without a reference from before `instant`. */
    orphans: (instant: string): string[] => orphans.all(instant).map((row) => text(row, 'id')),
    /** Marks that a page has the file in a draft. */
    draft: (id: string): void => void draft.run(id),
    /** The feature that a growing file of this id belongs to: a speech, a recording, a transcript or a drawing; null when there is none. */
    ownerKind(id: string): MadeKind | null {
      const row = owner.get({ id })
      return row ? madeKind.parse(row.kind) : null
    },
    peaks(mediaId: string): { data: Uint8Array; seconds: number } | null {
      const row = peaks.get(mediaId)
      return row ? { data: bytes(row, 'data'), seconds: number(row, 'seconds') } : null
    },
    /** Stores the waveform of a file. @throws StudioError `no_such_item` */
    savePeaks(mediaId: string, data: Uint8Array, seconds: number): void {
      transaction(() => {
        if (!one.get(mediaId)) throw new StudioError('no_such_item', 'That file no longer exists.')
        savePeaks.run(mediaId, data, seconds)
      })
    },
    ...cleaning(database, unnamedOf),
  }
}

export function asPicture({ id, mime, bytes: size, width, height, name }: MediaItem): Omit<Attachment, 'detail'> {
  return { mediaId: id, name, mime, width: width ?? 0, height: height ?? 0, bytes: size }
}

function readItem(row: Row): MediaItem {
  return {
    id: text(row, 'id'),
    kind: kind.parse(row.kind),
    mime: text(row, 'mime'),
    bytes: number(row, 'bytes'),
    width: numberOrNull(row, 'width'),
    height: numberOrNull(row, 'height'),
    name: textOrNull(row, 'name'),
    sha256: text(row, 'sha256'),
    createdAt: text(row, 'created_at'),
  }
}
