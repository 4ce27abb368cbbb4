import { chatParams } from '../../../src-preload/contract/chat.ts'
import type { Preset } from '../../../src-preload/contract/library.ts'
import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { json, number, type Row, readOrNull, text, textOrNull } from './rows.ts'

/** The read statements of `presetTable`. */
export function presetReader(handle: ReadHandle) {
  const all = handle.prepare('SELECT * FROM presets ORDER BY name COLLATE NOCASE, id')
  const one = handle.prepare('SELECT * FROM presets WHERE id = ?')
  const count = handle.prepare('SELECT count(*) AS n FROM presets')

  return {
    /** By name. */
    list: (): Preset[] => all.all().map(read),
    find(id: string): Preset | null {
      return readOrNull(one.get(id), read)
    },
    count: (): number => number(count.get() ?? {}, 'n'),
  }
}

export function presetTable({ handle, transaction }: Database) {
  const insert = handle.prepare(
    `INSERT INTO presets (id, name, model, instructions, params, updated_at)
     VALUES (:id, :name, :model, :instructions, :params, :updatedAt)`,
  )
  const save = handle.prepare(
    `UPDATE presets SET name = :name, model = :model, instructions = :instructions, params = :params, updated_at = :updatedAt
      WHERE id = :id`,
  )
  const remove = handle.prepare('DELETE FROM presets WHERE id = ?')
  const write = (preset: Preset) => ({ ...preset, params: JSON.stringify(preset.params) })

  return {
    ...presetReader(handle),
    insert: (preset: Preset): void => transaction(() => void insert.run(write(preset))),
    /** False when the preset does not exist. */
    save: (preset: Preset): boolean => transaction(() => save.run(write(preset)).changes > 0),
    remove: (id: string): boolean => transaction(() => remove.run(id).changes > 0),
  }
}

const read = (row: Row): Preset => ({
  id: text(row, 'id'),
  name: text(row, 'name'),
  model: textOrNull(row, 'model'),
  instructions: textOrNull(row, 'instructions'),
  params: json(row, 'params', chatParams),
  updatedAt: text(row, 'updated_at'),
})
