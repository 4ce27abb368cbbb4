import type { Prompt } from '../../../src-preload/contract/library.ts'
import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { number, type Row, readOrNull, text } from './rows.ts'

/** The read statements of `promptTable`. */
export function promptReader(handle: ReadHandle) {
  const all = handle.prepare('SELECT * FROM prompts ORDER BY name COLLATE NOCASE, id')
  const one = handle.prepare('SELECT * FROM prompts WHERE id = ?')
  const count = handle.prepare('SELECT count(*) AS n FROM prompts')

  return {
    /** By name. */
    list: (): Prompt[] => all.all().map(read),
    find(id: string): Prompt | null {
      return readOrNull(one.get(id), read)
    },
    count: (): number => number(count.get() ?? {}, 'n'),
  }
}

export function promptTable({ handle, transaction }: Database) {
  const insert = handle.prepare(
    'INSERT INTO prompts (id, name, text, updated_at) VALUES (:id, :name, :text, :updatedAt)',
  )
  const save = handle.prepare('UPDATE prompts SET name = :name, text = :text, updated_at = :updatedAt WHERE id = :id')
  const remove = handle.prepare('DELETE FROM prompts WHERE id = ?')

  return {
    ...promptReader(handle),
    insert: (prompt: Prompt): void => transaction(() => void insert.run({ ...prompt })),
    /** False when the prompt does not exist. */
    save: (prompt: Prompt): boolean => transaction(() => save.run({ ...prompt }).changes > 0),
    remove: (id: string): boolean => transaction(() => remove.run(id).changes > 0),
  }
}

const read = (row: Row): Prompt => ({
  id: text(row, 'id'),
  name: text(row, 'name'),
  text: text(row, 'text'),
  updatedAt: text(row, 'updated_at'),
})
