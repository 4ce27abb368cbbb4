import { DatabaseSync } from 'node:sqlite'

/** Text of a snapshot file: everything that the migrations leave in a new database, without the steps in between. */
export function snapshotText(migrations: readonly string[]): string {
  const sql = schemaText(migrations)
  return `${JSON.stringify({ version: migrations.length, sql: sql.split('\n') }, null, 2)}\n`
}

/** The statements, in the order of `sqlite_schema`, in which SQLite also fires triggers. Rows come last, after the indexes. */
function schemaText(migrations: readonly string[]): string {
  const handle = new DatabaseSync(':memory:')
  try {
    for (const sql of migrations) handle.exec(sql)
    // SQLite creates its own tables, and those of a virtual table, by itself.
    const statements = handle
      .prepare(
        `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
          AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid`,
      )
      .all()
      .map(({ sql }) => `${String(sql)};\n`)
    return [...statements, ...rowsOf(handle), ...indexSettings(handle)].join('')
  } finally {
    handle.close()
  }
}

/** Rows that migrations insert into ordinary tables. */
function rowsOf(handle: DatabaseSync): string[] {
  const tables = handle
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
  return tables.flatMap(({ name }) => {
    const columns = handle
      .prepare('SELECT name FROM pragma_table_info(?) ORDER BY cid')
      .all(String(name))
      .map((column) => `"${String(column.name)}"`)
    const values = columns.map((column) => `quote(${column})`).join(" || ', ' || ")
    return handle
      .prepare(`SELECT ${values} AS row FROM "${String(name)}" ORDER BY 1`)
      .all()
      .map(({ row }) => `INSERT INTO "${String(name)}" (${columns.join(', ')}) VALUES (${String(row)});\n`)
  })
}

/** Settings of the full-text indexes (https://sqlite.org/fts5.html, 6), which a statement sets. `version` is SQLite's own. */
function indexSettings(handle: DatabaseSync): string[] {
  const tables = handle.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE '%USING fts5 (%' ORDER BY rowid").all()
  return tables.flatMap(({ name }) =>
    handle
      .prepare(`SELECT quote(k) AS k, quote(v) AS v FROM "${String(name)}_config" WHERE k <> 'version' ORDER BY k`)
      .all()
      .map(({ k, v }) => `INSERT INTO ${String(name)} (${String(name)}, rank) VALUES (${String(k)}, ${String(v)});\n`),
  )
}
