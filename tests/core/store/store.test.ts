import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { databaseFile, openStore } from '../../../src-main/core/store/store.ts'
import { freshFolder } from '../helpers/core.ts'

describe('the store', () => {
  it('is readable by its owner alone', () => {
    const folder = freshFolder()
    openStore(folder).close()
    expect(statSync(databaseFile(folder)).mode & 0o777).toBe(0o600)
  })

  it('refuses a database of a newer version and leaves every byte of it', () => {
    const folder = freshFolder()
    openStore(folder).close()
    const newer = new DatabaseSync(databaseFile(folder))
    newer.exec('PRAGMA user_version = 999')
    newer.close()
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

  it('refuses another program’s database', () => {
    const folder = freshFolder()
    const other = new DatabaseSync(databaseFile(folder))
    other.exec('CREATE TABLE theirs (a)')
    other.close()
    expect(() => openStore(folder)).toThrow(expect.objectContaining({ kind: 'store_damaged' }))
  })
})
