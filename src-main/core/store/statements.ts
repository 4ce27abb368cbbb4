/**
 * Prepares statements by name: `prepareAll(handle, { all: 'SELECT …' }).all`. Each is compiled once, when the table is opened.
 * @throws what SQLite throws for SQL that does not match the schema
 */
export function prepareAll<Name extends string, Statement>(
  handle: { prepare(sql: string): Statement },
  sql: Readonly<Record<Name, string>>,
): Record<Name, Statement> {
  const names = Object.keys(sql) as Name[]
  return Object.fromEntries(names.map((name) => [name, handle.prepare(sql[name])])) as Record<Name, Statement>
}
