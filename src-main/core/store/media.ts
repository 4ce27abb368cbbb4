import * as z from 'zod'
import type { Attachment } from '../../../src-preload/contract/chat.ts'
import { StudioError } from '../errors.ts'
import type { Database } from './database.ts'
import { cleaning, type MadeKind, madeKind } from './mediaCleaning.ts'
import { bytes, number, numberOrNull, type Row, readOrNull, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

const kind = z.enum(['image', 'audio', 'document'])

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

/** All references to media files. Images and documents of messages are last, because they are looked up one by one. */
const named = `
  drafted = 1
  OR EXISTS (SELECT 1 FROM speeches WHERE media_id = media.id)
  OR EXISTS (SELECT 1 FROM recordings WHERE media_id = media.id)
  OR EXISTS (SELECT 1 FROM images WHERE media_id = media.id)
  OR EXISTS (SELECT 1 FROM images WHERE thumb_id = media.id)
  OR EXISTS (SELECT 1 FROM voice_samples WHERE media_id = media.id)
  OR EXISTS (SELECT 1 FROM folder_files WHERE media_id = media.id)
  OR id IN (SELECT ifnull(a.value ->> '$.mediaId', '') FROM queued_messages AS q, json_each(q.attachments) AS a)
  OR id IN (SELECT ifnull(d.value ->> '$.mediaId', '') FROM queued_messages AS q, json_each(q.documents) AS d)
  OR id IN (SELECT ifnull(a.value ->> '$.mediaId', '') FROM messages AS m, json_each(m.attachments) AS a WHERE m.attachments <> '[]')
  OR id IN (SELECT ifnull(d.value ->> '$.mediaId', '') FROM messages AS m, json_each(m.documents) AS d WHERE m.documents <> '[]')`

/** Metadata of the files of the media folder. A row exists only while its file exists. */
export function mediaTable(database: Database) {
  const { handle, transaction } = database
  const sql = prepareAll(handle, {
    insert: `INSERT INTO media (id, kind, mime, bytes, width, height, name, sha256, created_at)
     VALUES (:id, :kind, :mime, :bytes, :width, :height, :name, :sha256, :createdAt)`,
    one: 'SELECT * FROM media WHERE id = ?',
    byHash: 'SELECT * FROM media WHERE sha256 = ? AND mime = ? ORDER BY rowid LIMIT 1',
    ids: 'SELECT id FROM media',
    unnamed: `SELECT id, bytes FROM media WHERE id IN (SELECT value FROM json_each(?)) AND NOT (${named})`,
    orphans: `SELECT id FROM media WHERE created_at < ? AND NOT (${named})`,
    remove: 'DELETE FROM media WHERE id IN (SELECT value FROM json_each(?))',
    draft: 'UPDATE media SET drafted = 1 WHERE id = ?',
    endDraft: 'UPDATE media SET drafted = 0 WHERE id = ?',
    owner: `SELECT 'speech' AS kind FROM speeches WHERE id = :id UNION ALL SELECT 'recordings' FROM recordings WHERE id = :id
     UNION ALL SELECT 'recordings' FROM transcripts WHERE id = :id UNION ALL SELECT 'images' FROM drawings WHERE id = :id`,
    peaks: 'SELECT data, seconds FROM peaks WHERE media_id = ?',
    savePeaks: 'INSERT OR REPLACE INTO peaks (media_id, data, seconds) VALUES (?, ?, ?)',
  })
  const find = (id: string): MediaItem | null => readOrNull(sql.one.get(id), readItem)
  const unnamedOf = (all: readonly string[]): { id: string; bytes: number }[] =>
    sql.unnamed.all(JSON.stringify(all)).map((row) => ({ id: text(row, 'id'), bytes: number(row, 'bytes') }))

  return {
    /** Inserts a row in one transaction with `then`, which writes the reference to it. */
    insert: (item: MediaItem, then?: (item: MediaItem) => void): void =>
      transaction(() => {
        sql.insert.run({ ...item })
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
        const row = sql.byHash.get(sha256, mime)
        if (!row) return null
        const item = readItem(row)
        then?.(item)
        return item
      }),
    ids: (): Set<string> => new Set(sql.ids.all().map((row) => text(row, 'id'))),
    /** Returns the ids to which no message, queued message, draft, project, speech, recording, image or voice sample refers. */
    unnamed: unnamedOf,
    /** Deletes the rows of ids without a reference, and returns these ids. */
    removeUnnamed: (all: readonly string[]): string[] =>
      transaction(() => {
        const going = unnamedOf(all).map(({ id }) => id)
        if (going.length > 0) sql.remove.run(JSON.stringify(going))
        return going
      }),
    /** Ids of files without a reference from before `instant`. */
    orphans: (instant: string): string[] => sql.orphans.all(instant).map((row) => text(row, 'id')),
    /** Marks that a page has the file in a draft. */
    draft: (id: string): void => void sql.draft.run(id),
    /** Marks that no page has the file in a draft. */
    endDraft: (id: string): void => void sql.endDraft.run(id),
    /** The feature that a growing file of this id belongs to: a speech, a recording, a transcript or a drawing; null when there is none. */
    ownerKind(id: string): MadeKind | null {
      const row = sql.owner.get({ id })
      return row ? madeKind.parse(row.kind) : null
    },
    peaks(mediaId: string): { data: Uint8Array; seconds: number } | null {
      const row = sql.peaks.get(mediaId)
      return row ? { data: bytes(row, 'data'), seconds: number(row, 'seconds') } : null
    },
    /** Stores the waveform of a file. @throws StudioError `no_such_item` */
    savePeaks(mediaId: string, data: Uint8Array, seconds: number): void {
      transaction(() => {
        if (!sql.one.get(mediaId)) throw new StudioError('no_such_item', 'That file no longer exists.')
        sql.savePeaks.run(mediaId, data, seconds)
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
