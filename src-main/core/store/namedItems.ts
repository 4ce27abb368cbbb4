import type { SQLInputValue } from 'node:sqlite'
import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { number, type Row, readOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

/** A table of items that a person saves under names. */
export interface NamedItems<Item> {
  table: 'prompts' | 'presets'
  read: (row: Row) => Item
}

/** The read statements of `namedItemTable`. */
export function namedItemReader<Item>(handle: ReadHandle, { table, read }: NamedItems<Item>) {
  const sql = prepareAll(handle, {
    all: `SELECT * FROM ${table} ORDER BY name COLLATE NOCASE, id`,
    one: `SELECT * FROM ${table} WHERE id = ?`,
    count: `SELECT count(*) AS n FROM ${table}`,
  })

  return {
    /** By name. */
    list: (): Item[] => sql.all.all().map(read),
    find: (id: string): Item | null => readOrNull(sql.one.get(id), read),
    count: (): number => number(sql.count.get() ?? {}, 'n'),
  }
}

/** @param write the values of the parameters of `insert` and `save` */
export function namedItemTable<Item>(
  { handle, transaction }: Database,
  items: NamedItems<Item> & { insert: string; save: string; write: (item: Item) => Record<string, SQLInputValue> },
) {
  const { table, insert, save, write } = items
  const sql = prepareAll(handle, { insert, save, remove: `DELETE FROM ${table} WHERE id = ?` })

  return {
    ...namedItemReader(handle, items),
    insert: (item: Item): void => transaction(() => void sql.insert.run(write(item))),
    /** False when the item does not exist. */
    save: (item: Item): boolean => transaction(() => sql.save.run(write(item)).changes > 0),
    remove: (id: string): boolean => transaction(() => sql.remove.run(id).changes > 0),
  }
}
