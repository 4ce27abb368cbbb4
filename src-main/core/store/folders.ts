import { type ChatParams, chatParams } from '../../../src-preload/contract/chat.ts'
import type { Folder } from '../../../src-preload/contract/library.ts'
import { wholeFiles } from '../../../src-preload/contract/projects.ts'
import type { Database } from './database.ts'
import { pinnedFileReader } from './pinnedFiles.ts'
import type { ReadHandle } from './readOnly.ts'
import { jsonOrNull, number, type Row, readOrNull, text, textOrNull, toJson } from './rows.ts'
import { prepareAll } from './statements.ts'

export interface StoredFolder {
  id: string
  name: string
  createdAt: string
  /** What new chats in it begin with; null: the default of all chats. */
  model: string | null
  instructions: string | null
  params: ChatParams | null
  /** Tokens of its pinned files together that are sent whole. */
  wholeTokens: number
}

export interface FolderChanges {
  name: string
  model?: string | null | undefined
  instructions?: string | null | undefined
  params?: ChatParams | null | undefined
  wholeTokens?: number | undefined
}

/** The read statements of `folderTable`. */
export function folderReader(handle: ReadHandle) {
  const all = handle.prepare(
    `SELECT f.*, (SELECT count(*) FROM conversations AS c WHERE c.folder_id = f.id AND c.removed_at IS NULL) AS n
       FROM folders AS f ORDER BY f.name COLLATE NOCASE, f.id`,
  )
  const rows = handle.prepare('SELECT * FROM folders ORDER BY id')
  const count = handle.prepare('SELECT count(*) AS n FROM folders')
  const one = handle.prepare('SELECT * FROM folders WHERE id = ?')
  const { files } = pinnedFileReader(handle)

  return {
    /** Folders by name, each with its number of conversations that are not removed. */
    list: (): Folder[] =>
      all.all().map((row) => {
        const folder = read(row)
        const pinned = files(folder.id)
        const whole = wholeFiles(pinned, folder.wholeTokens)
        return {
          ...folder,
          conversations: number(row, 'n'),
          files: pinned.map((file) => ({ ...file, isWhole: whole.has(file.mediaId) })),
        }
      }),
    find: (id: string): StoredFolder | null =>
      readOrNull(one.get(id), (row) => ({ ...read(row), createdAt: text(row, 'created_at') })),
    rows: (): StoredFolder[] => rows.all().map((row) => ({ ...read(row), createdAt: text(row, 'created_at') })),
    count: (): number => number(count.get() ?? {}, 'n'),
  }
}

const read = (row: Row): Omit<StoredFolder, 'createdAt'> => ({
  id: text(row, 'id'),
  name: text(row, 'name'),
  model: textOrNull(row, 'model'),
  instructions: textOrNull(row, 'instructions'),
  params: jsonOrNull(row, 'params', chatParams),
  wholeTokens: number(row, 'whole_tokens'),
})

export function folderTable({ handle, transaction }: Database) {
  const sql = prepareAll(handle, {
    insert: `INSERT INTO folders (id, name, created_at, model, instructions, params, whole_tokens)
     VALUES (:id, :name, :createdAt, :model, :instructions, :params, :wholeTokens)`,
    model: 'UPDATE folders SET model = :value WHERE id = :id',
    instructions: 'UPDATE folders SET instructions = :value WHERE id = :id',
    params: 'UPDATE folders SET params = :value WHERE id = :id',
    wholeTokens: 'UPDATE folders SET whole_tokens = :value WHERE id = :id',
    rename: 'UPDATE folders SET name = :name WHERE id = :id',
    remove: 'DELETE FROM folders WHERE id = ?',
  })

  return {
    ...folderReader(handle),
    insert: (folder: StoredFolder): void =>
      transaction(() => void sql.insert.run({ ...folder, params: toJson(folder.params) })),
    /** Absent members stay. False when the folder does not exist. */
    update: (id: string, changes: FolderChanges): boolean =>
      transaction(() => {
        if (changes.model !== undefined) sql.model.run({ id, value: changes.model })
        if (changes.instructions !== undefined) sql.instructions.run({ id, value: changes.instructions })
        if (changes.params !== undefined) sql.params.run({ id, value: toJson(changes.params) })
        if (changes.wholeTokens !== undefined) sql.wholeTokens.run({ id, value: changes.wholeTokens })
        return sql.rename.run({ id, name: changes.name }).changes > 0
      }),
    remove: (id: string): boolean => transaction(() => sql.remove.run(id).changes > 0),
  }
}
