import type { Folder } from '../../../src-preload/contract/library.ts'
import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { number, type Row, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

export interface StoredFolder {
  id: string
  name: string
  createdAt: string
  /** What new chats in it begin with; null: the default of all chats. */
  model: string | null
  instructions: string | null
}

export interface FolderChanges {
  name: string
  model?: string | null | undefined
  instructions?: string | null | undefined
}

/** The read statements of `folderTable`. */
export function folderReader(handle: ReadHandle) {
  const all = handle.prepare(
    `SELECT f.id, f.name, f.model, f.instructions, (SELECT count(*) FROM conversations AS c WHERE c.folder_id = f.id AND c.removed_at IS NULL) AS n
       FROM folders AS f ORDER BY f.name COLLATE NOCASE, f.id`,
  )
  const rows = handle.prepare('SELECT * FROM folders ORDER BY id')
  const count = handle.prepare('SELECT count(*) AS n FROM folders')

  return {
    /** Folders by name, each with its number of conversations that are not removed. */
    list: (): Folder[] => all.all().map((row) => ({ ...read(row), conversations: number(row, 'n') })),
    rows: (): StoredFolder[] => rows.all().map((row) => ({ ...read(row), createdAt: text(row, 'created_at') })),
    count: (): number => number(count.get() ?? {}, 'n'),
  }
}

const read = (row: Row): Omit<Folder, 'conversations'> => ({
  id: text(row, 'id'),
  name: text(row, 'name'),
  model: textOrNull(row, 'model'),
  instructions: textOrNull(row, 'instructions'),
})

export function folderTable({ handle, transaction }: Database) {
  const sql = prepareAll(handle, {
    insert: `INSERT INTO folders (id, name, created_at, model, instructions)
     VALUES (:id, :name, :createdAt, :model, :instructions)`,
    model: 'UPDATE folders SET model = :value WHERE id = :id',
    instructions: 'UPDATE folders SET instructions = :value WHERE id = :id',
    rename: 'UPDATE folders SET name = :name WHERE id = :id',
    remove: 'DELETE FROM folders WHERE id = ?',
  })

  return {
    ...folderReader(handle),
    insert: (folder: StoredFolder): void => transaction(() => void sql.insert.run({ ...folder })),
    /** Absent members stay. False when the folder does not exist. */
    update: (id: string, changes: FolderChanges): boolean =>
      transaction(() => {
        if (changes.model !== undefined) sql.model.run({ id, value: changes.model })
        if (changes.instructions !== undefined) sql.instructions.run({ id, value: changes.instructions })
        return sql.rename.run({ id, name: changes.name }).changes > 0
      }),
    remove: (id: string): boolean => transaction(() => sql.remove.run(id).changes > 0),
  }
}
