import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { snapshotText } from '../../../resources/scripts/schemaText.ts'
import { databases } from '../../../src-main/core/data/databases.ts'
import { type DatabaseKind, openDatabase } from '../../../src-main/core/store/database.ts'
import { freshFolder } from '../helpers/core.ts'

/** Everything in a database file except where SQLite put it: settings of the file, schema, columns, and the rows of every table. */
function everythingIn(path: string) {
  const handle = new DatabaseSync(path, { readOnly: true })
  const rows = (sql: string, ...values: string[]) => handle.prepare(sql).all(...values)
  try {
    const settings = ['application_id', 'user_version', 'auto_vacuum', 'encoding', 'page_size', 'journal_mode']
    const tables = rows("SELECT * FROM pragma_table_list WHERE schema = 'main' ORDER BY name")
    const indexes = rows("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name")
    return {
      settings: settings.map((name) => handle.prepare(`PRAGMA ${name}`).get()),
      // In this order SQLite fires triggers and chooses between equal indexes.
      schema: rows('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid'),
      tables,
      columns: tables.map(({ name }) => rows('SELECT * FROM pragma_table_xinfo(?)', String(name))),
      references: tables.map(({ name }) => rows('SELECT * FROM pragma_foreign_key_list(?)', String(name))),
      indexed: indexes.map(({ name }) => rows('SELECT * FROM pragma_index_xinfo(?)', String(name))),
      content: tables
        .filter(({ name }) => !String(name).startsWith('sqlite_schema'))
        .map(({ name }) => [name, rows(`SELECT * FROM "${String(name)}"`)]),
    }
  } finally {
    handle.close()
  }
}

function opened(kind: DatabaseKind) {
  const path = join(freshFolder(), 'one.sqlite')
  openDatabase(path, kind).close()
  return everythingIn(path)
}

const withoutSnapshot = ({ snapshot: _, ...kind }: DatabaseKind): DatabaseKind => kind

describe.each(databases)('the snapshot of $name', ({ name, kind }) => {
  it('is the one that `npm run schema` writes for these migrations', () => {
    const file = join(import.meta.dirname, `../../../src-main/core/store/migrations/snapshots/${name}.json`)
    expect(kind.snapshot?.version).toBe(kind.migrations.length)
    expect(readFileSync(file, 'utf8')).toBe(snapshotText(kind.migrations))
  })

  it('creates the same database as the migrations: settings, tables, columns, indexes, triggers, views and rows', () => {
    const created = opened(kind)
    expect(created).toEqual(opened(withoutSnapshot(kind)))
    expect(created.schema.length).toBeGreaterThan(3)
  })

  it('is followed by newer migrations', () => {
    const newest = { ...kind, migrations: [...kind.migrations, 'CREATE TABLE newer (one TEXT) STRICT;'] }
    const created = opened(newest)
    expect(created).toEqual(opened(withoutSnapshot(newest)))
    expect(created.schema).toContainEqual(expect.objectContaining({ name: 'newer' }))
  })

  it('is not used for an older version', () => {
    const older = { ...kind, migrations: kind.migrations.slice(0, -1) }
    expect(opened(older)).toEqual(opened(withoutSnapshot(older)))
  })
})
