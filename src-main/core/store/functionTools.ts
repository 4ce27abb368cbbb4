import type { FunctionTool } from '../../../src-preload/contract/tools.ts'
import type { Database } from './database.ts'
import { number, type Row, readOrNull, text, texts } from './rows.ts'
import { prepareAll } from './statements.ts'

/** Tools that a person defined. Names are unique. */
export function functionToolTable({ handle }: Database) {
  const sql = prepareAll(handle, {
    all: 'SELECT * FROM function_tools ORDER BY name',
    one: 'SELECT * FROM function_tools WHERE id = ?',
    named: 'SELECT * FROM function_tools WHERE name = ?',
    remove: 'DELETE FROM function_tools WHERE id = ?',
    upsert: `INSERT INTO function_tools (id, name, description, schema, strict, updated_at)
     VALUES (:id, :name, :description, :schema, :strict, :updatedAt)
     ON CONFLICT (id) DO UPDATE SET name = :name, description = :description, schema = :schema, strict = :strict,
       updated_at = :updatedAt`,
  })

  return {
    list: (): FunctionTool[] => sql.all.all().map(read),
    find: (id: string): FunctionTool | null => readOrNull(sql.one.get(id), read),
    named: (name: string): FunctionTool | null => readOrNull(sql.named.get(name), read),
    save({ id, name, description, schema, strict, updatedAt }: FunctionTool): void {
      sql.upsert.run({ id, name, description, schema, strict: Number(strict), updatedAt })
    },
    /** Whether the tool existed. */
    remove: (id: string): boolean => sql.remove.run(id).changes > 0,
  }
}

function read(row: Row): FunctionTool {
  return {
    ...texts(row, 'id', 'name', 'description', 'schema'),
    strict: number(row, 'strict') === 1,
    updatedAt: text(row, 'updated_at'),
  }
}
