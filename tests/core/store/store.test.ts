import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { inReadTransaction, openDatabase, studioDatabase } from '../../../src-main/core/store/database.ts'
import { databaseFile, openStore } from '../../../src-main/core/store/store.ts'
import { freshFolder } from '../helpers/core.ts'
import { setUserVersion } from '../helpers/userVersion.ts'

/** Copies a database in the middle of a transaction, with its rollback journal, as after a kill. */
function leaveJournal(from: string, to: string, change: string): void {
  const handle = new DatabaseSync(from)
  handle.exec('PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; CREATE TABLE filler (bytes BLOB); BEGIN IMMEDIATE')
  handle.exec(`${change}; INSERT INTO filler SELECT randomblob(4000) FROM json_each('[${'1,'.repeat(200)}1]')`)
  for (const end of ['', '-journal']) copyFileSync(`${from}${end}`, `${to}${end}`)
  handle.close()
}

describe('the store', () => {
  it('is readable by its owner only', () => {
    const folder = freshFolder()
    openStore(folder).close()
    expect(statSync(databaseFile(folder)).mode & 0o777).toBe(0o600)
  })

  it('refuses a database of a newer version and keeps every byte of it', () => {
    const folder = freshFolder()
    openStore(folder).close()
    setUserVersion(databaseFile(folder), 999)
    const before = readFileSync(databaseFile(folder))
    expect(() => openStore(folder)).toThrow(expect.objectContaining({ kind: 'store_newer' }))
    expect(readFileSync(databaseFile(folder)).equals(before)).toBe(true)
  })

  it.each([['a file that is no database', Buffer.from('not a database, but somebody’s notes'.repeat(200))]])(
    'refuses %s and never replaces it',
    (_, bytes) => {
      const folder = freshFolder()
      writeFileSync(databaseFile(folder), bytes)
      expect(() => openStore(folder)).toThrow(expect.objectContaining({ kind: 'store_damaged' }))
      expect(readFileSync(databaseFile(folder)).equals(bytes)).toBe(true)
    },
  )

  it('rolls back the transaction of a process that was killed before the write-ahead log was switched on', () => {
    const [folder, killed] = [freshFolder(), freshFolder()]
    openStore(folder).close()
    leaveJournal(databaseFile(folder), databaseFile(killed), 'DELETE FROM media')
    const store = openStore(killed)
    store.close()
    expect(existsSync(`${databaseFile(killed)}-journal`)).toBe(false)
  })

  it('does not touch the journal of another program’s database', () => {
    const [folder, killed] = [freshFolder(), freshFolder()]
    const other = new DatabaseSync(databaseFile(folder))
    other.exec('CREATE TABLE media (id TEXT); PRAGMA application_id = 7')
    other.close()
    leaveJournal(databaseFile(folder), databaseFile(killed), 'SELECT 1')
    const before = readFileSync(`${databaseFile(killed)}-journal`)
    expect(() => openStore(killed)).toThrow(expect.objectContaining({ kind: 'store_damaged' }))
    expect(readFileSync(`${databaseFile(killed)}-journal`).equals(before)).toBe(true)
  })

  it('refuses another program’s database', () => {
    const folder = freshFolder()
    const other = new DatabaseSync(databaseFile(folder))
    other.exec('CREATE TABLE theirs (a)')
    other.close()
    expect(() => openStore(folder)).toThrow(expect.objectContaining({ kind: 'store_damaged' }))
  })

  it('prepares its statements although another process changes the schema while it opens', () => {
    const file = databaseFile(freshFolder())
    const opening = openDatabase(file, studioDatabase)
    opening.handle.prepare('SELECT * FROM messages')
    // What `PRAGMA optimize` does when a process that was faster closes the file: it adds the table of statistics.
    const other = new DatabaseSync(file)
    other.exec("INSERT INTO settings (key, value) VALUES ('a', '1'); ANALYZE")
    other.close()
    // The trigger of this table connects the virtual table of the search.
    const statement = inReadTransaction(opening.handle, () =>
      opening.handle.prepare('DELETE FROM messages WHERE seq = ?'),
    )
    expect(statement.run(1).changes).toBe(0)
    opening.close()
  })

  it('can be closed twice, and closing rolls back an unfinished transaction', () => {
    const file = databaseFile(freshFolder())
    const database = openDatabase(file, studioDatabase)
    database.handle.exec("BEGIN; INSERT INTO settings (key, value) VALUES ('a', '1')")
    database.close()
    database.close()
    const again = openDatabase(file, studioDatabase)
    expect(again.handle.prepare('SELECT count(*) AS n FROM settings').get()).toEqual({ n: 0 })
    again.close()
  })
})
