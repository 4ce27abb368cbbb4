import type { Database } from '../database.ts'

/** Tables with rows of accounts, in an order in which each can be read while the later ones are unchanged. `days`: rows of covered days stay out. */
const tables = [
  { name: 'days', days: true },
  { name: 'closed', days: true },
  { name: 'coverage', days: true },
  { name: 'undated', days: false },
  { name: 'versions', days: false },
  { name: 'fetches', days: false },
  { name: 'limits', days: false },
] as const

/**
 * Returns a function that adds the rows of one account to another and deletes the first; call it in a transaction. A day that both accounts
 * have keeps the row of the second one, because adding both would count it twice.
 */
export function accountMerger({ handle }: Pick<Database, 'handle'>) {
  const copies = tables.map(({ name, days }) => {
    const columns = handle
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(name)
      .map((column) => String(column.name))
    const values = columns.map((column) => (column === 'book' ? ':into' : `one.${column}`))
    const covered = 'SELECT 1 FROM coverage AS own WHERE own.book = :into AND own.what = one.what AND own.day = one.day'
    return handle.prepare(
      `INSERT OR IGNORE INTO ${name} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${name} AS one
       WHERE one.book = :from${days ? ` AND NOT EXISTS (${covered})` : ''}`,
    )
  })
  const places = handle.prepare('UPDATE places SET book = :into WHERE book = :from')
  const drop = handle.prepare('DELETE FROM books WHERE no = ?')
  return (from: number, into: number): void => {
    for (const copy of copies) copy.run({ from, into })
    places.run({ from, into })
    drop.run(from)
  }
}
