import { chatParams } from '../../../src-preload/contract/chat.ts'
import type { Preset } from '../../../src-preload/contract/library.ts'
import type { Database } from './database.ts'
import { type NamedItems, namedItemReader, namedItemTable } from './namedItems.ts'
import type { ReadHandle } from './readOnly.ts'
import { json, text, textOrNull, texts } from './rows.ts'

const presets: NamedItems<Preset> = {
  table: 'presets',
  read: (row) => ({
    ...texts(row, 'id', 'name'),
    model: textOrNull(row, 'model'),
    instructions: textOrNull(row, 'instructions'),
    params: json(row, 'params', chatParams),
    updatedAt: text(row, 'updated_at'),
  }),
}

/** The read statements of `presetTable`. */
export const presetReader = (handle: ReadHandle) => namedItemReader(handle, presets)

/** Saved parameters for any chat. */
export const presetTable = (database: Database) =>
  namedItemTable(database, {
    ...presets,
    insert: `INSERT INTO presets (id, name, model, instructions, params, updated_at)
     VALUES (:id, :name, :model, :instructions, :params, :updatedAt)`,
    save: `UPDATE presets SET name = :name, model = :model, instructions = :instructions, params = :params, updated_at = :updatedAt
      WHERE id = :id`,
    write: (preset) => ({ ...preset, params: JSON.stringify(preset.params) }),
  })
