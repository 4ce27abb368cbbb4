import type { Folder } from '../../../src-preload/contract/library.ts'
import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { number, text } from './rows.ts'

export interface StoredFolder {
  id: string
  name: string
  createdAt: string
}

/** The read statements of `folderTable`. */
export function folderReader(handle: ReadHandle) {
  const all = handle.prepare(
    `SELECT f.id, f.name, (SELECT count(*) FROM conversations AS c WHERE c.folder_id = f.id AND c.removed_at IS NULL) AS n
       FROM folders AS f ORDER BY f.name COLLATE NOCASE, f.id`,
  )
  const rows = handle.prepare('SELECT id, name, created_at FROM folders ORDER BY id')
  const count = handle.prepare('SELECT count(*) AS n FROM folders')

  return {
    /** Folders by name, each with its number of conversations that are not removed. */
    list: (): Folder[] =>
      all.all().map((row) => ({ id: text(row, 'id'), name: text(row, 'name'), conversations: number(row, 'n') })),
    rows: (): StoredFolder[] =>
      rows.all().map((row) => ({ id: text(row, 'id'), name: text(row, 'name'), createdAt: text(row, 'created_at') })),
    count: (): number => number(count.get() ?? {}, 'n'),
  }
}

export function folderTable({ handle, transaction }: Database) {
  const insert = handle.prepare('INSERT INTO folders (id, name, created_at) VALUES (:id, :name, :createdAt)')
  const rename = handle.prepare('UPDATE folders SET name = :name WHERE id = :id')
  const remove = handle.prepare('DELETE FROM folders WHERE id = ?')

  return {
    ...folderReader(handle),
    insert: (folder: StoredFolder): void => transaction(() => void insert.run({ ...folder })),
    /** False when the folder does not exist. */
    rename: (id: string, name: string): boolean => transaction(() => rename.run({ id, name }).changes > 0),
    remove: (id: string): boolean => transaction(() => remove.run(id).changes > 0),
  }
}
