import type { PinnedFile } from '../../../src-preload/contract/projects.ts'
import type { Database } from './database.ts'
import { readDocument } from './documents.ts'
import type { ReadHandle } from './readOnly.ts'
import { number, text } from './rows.ts'
import { prepareAll } from './statements.ts'

/** A pinned file without `isWhole`, which depends on the other files of its folder. */
export type PinnedFileRow = Omit<PinnedFile, 'isWhole'>

/** A pinned file as archives and syncs need it. */
export interface PinnedFileEntry {
  mediaId: string
  name: string
  addedAt: string
  /** Of the original, in hex: the same on every computer, unlike `mediaId`. */
  sha256: string
}

/** The read statements of `pinnedFileTable`. */
export function pinnedFileReader(handle: ReadHandle) {
  const sql = prepareAll(handle, {
    files: `SELECT d.*, m.bytes, f.name, coalesce(p.is_done, 0) AS is_done FROM folder_files AS f
       JOIN documents AS d USING (media_id) JOIN media AS m ON m.id = f.media_id LEFT JOIN passage_files AS p USING (media_id)
      WHERE f.folder_id = ? ORDER BY f.name COLLATE NOCASE, f.media_id`,
    entries: `SELECT f.media_id, f.name, f.added_at, m.sha256 FROM folder_files AS f JOIN media AS m ON m.id = f.media_id
      WHERE f.folder_id = ? ORDER BY f.media_id`,
  })
  return {
    /** The files of a folder by name. */
    files: (folderId: string): PinnedFileRow[] =>
      sql.files.all(folderId).map((row) => ({
        ...readDocument(row),
        name: text(row, 'name'),
        isIndexed: number(row, 'is_done') === 1,
      })),
    /** The files of a folder by id. */
    entries: (folderId: string): PinnedFileEntry[] =>
      sql.entries.all(folderId).map((row) => ({
        mediaId: text(row, 'media_id'),
        name: text(row, 'name'),
        addedAt: text(row, 'added_at'),
        sha256: text(row, 'sha256'),
      })),
  }
}

/** The pinned files of folders. The file itself is a document. */
export function pinnedFileTable({ handle, transaction }: Database) {
  const sql = prepareAll(handle, {
    insert: `INSERT INTO folder_files (folder_id, media_id, name, added_at) VALUES (:folderId, :mediaId, :name, :addedAt)
      ON CONFLICT DO UPDATE SET name = excluded.name`,
    remove: 'DELETE FROM folder_files WHERE folder_id = ? AND media_id = ?',
  })
  return {
    ...pinnedFileReader(handle),
    /** Adds a file, or renames one that is there already. */
    insert: (file: { folderId: string; mediaId: string; name: string; addedAt: string }): void =>
      transaction(() => void sql.insert.run(file)),
    /** False when the folder does not have the file. */
    remove: (folderId: string, mediaId: string): boolean =>
      transaction(() => sql.remove.run(folderId, mediaId).changes > 0),
  }
}
