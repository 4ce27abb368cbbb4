import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { databaseFile, openStore } from '../../src-main/core/store/store.ts'
import { openTools, Tools } from '../../src-main/core/tools/tools.ts'
import { freshFolder } from './helpers/core.ts'

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

describe('tool keys', () => {
  it('made and revoked by the command line are honoured by a running core at once, and shown', async () => {
    const folder = freshFolder()
    const store = openStore(folder)
    const tools = new Tools(store)
    const shown = tools.watch()
    expect((await shown.next()).value).toEqual([])
    const beside = openTools(folder)
    const { tool, key } = beside.add('an editor')
    expect(key).toMatch(/^isk_[a-z0-9]{8,}_[A-Za-z0-9_-]{43}$/)
    expect(tools.verify(key)).toEqual(tool)
    expect((await shown.next()).value).toEqual([tool])
    beside.revoke(tool.id)
    expect(tools.verify(key)).toBeNull()
    expect((await shown.next()).value).toMatchObject([{ id: tool.id, revokedAt: expect.any(String) }])
    await shown.return?.()
    beside.close()
    tools.close()
    store.close()
    expect(readFileSync(databaseFile(folder)).includes(key.slice(-43))).toBe(false)
  })

  it('refuses every other text', () => {
    const store = openStore(freshFolder())
    const tools = new Tools(store)
    const { tool, key } = tools.add('one')
    const wrongSecret = `isk_${tool.id}_${'A'.repeat(43)}`
    for (const text of ['', 'isk_', key.slice(0, -1), `${key}x`, ` ${key}`, wrongSecret, key.replace('isk_', 'sk_')]) {
      expect(tools.verify(text)).toBeNull()
    }
    expect(tools.verify(key)?.id).toBe(tool.id)
    store.close()
  })
})
