import type { Prompt } from '../../../src-preload/contract/library.ts'
import type { Database } from './database.ts'
import { type NamedItems, namedItemReader, namedItemTable } from './namedItems.ts'
import type { ReadHandle } from './readOnly.ts'
import { text, texts } from './rows.ts'

const prompts: NamedItems<Prompt> = {
  table: 'prompts',
  read: (row) => ({
    ...texts(row, 'id', 'name', 'text'),
    updatedAt: text(row, 'updated_at'),
  }),
}

/** The read statements of `promptTable`. */
export const promptReader = (handle: ReadHandle) => namedItemReader(handle, prompts)

/** Saved texts that can be inserted into a message. */
export const promptTable = (database: Database) =>
  namedItemTable(database, {
    ...prompts,
    insert: 'INSERT INTO prompts (id, name, text, updated_at) VALUES (:id, :name, :text, :updatedAt)',
    save: 'UPDATE prompts SET name = :name, text = :text, updated_at = :updatedAt WHERE id = :id',
    write: (prompt) => ({ ...prompt }),
  })
