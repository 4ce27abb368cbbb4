import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { databases } from '../../../src-main/core/data/databases.ts'
import { openDatabase } from '../../../src-main/core/store/database.ts'
import { firstCases } from '../../helpers/effort.ts'
import { contentsOf, filledFolder, soundness } from './fill.ts'

const every = databases.flatMap(({ name, kind }) => kind.migrations.map((_, at) => [name, at + 1] as const))
const byName = (name: string) => {
  const found = databases.find((one) => one.name === name)
  if (!found) throw new Error('There is no such database.')
  return found
}
const schemaOf = (path: string) => {
  const handle = new DatabaseSync(path, { readOnly: true })
  const rows = handle.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()
  handle.close()
  return rows.filter(({ name }) => !String(name).startsWith('sqlite_stat'))
}

describe('a database of an earlier version', () => {
  it.each(firstCases(4, every))(
    '%s of schema %i is migrated to this version with every row that it had',
    (name, version) => {
      const { kind, pathIn } = byName(name)
      const dataDir = filledFolder({}, { [name]: version })
      const before = contentsOf(pathIn(dataDir))
      openDatabase(pathIn(dataDir), kind).close()
      expect(schemaOf(pathIn(dataDir))).toEqual(schemaOf(pathIn(filledFolder())))
      expect(soundness(pathIn(dataDir))).toEqual({ integrity: 'ok', foreign: 0 })
      const after = contentsOf(pathIn(dataDir))
      for (const [table, rows] of before) {
        const now = (after.get(table) ?? []).map((row) => JSON.parse(row))
        // The columns of the old schema have their old values.
        for (const row of rows) expect(now).toContainEqual(expect.objectContaining(JSON.parse(row)))
      }
    },
  )

  it.each(databases.map(({ name }) => [name] as const))(
    '%s of a newer version is refused and keeps every byte',
    (name) => {
      const { kind, pathIn } = byName(name)
      const path = pathIn(filledFolder())
      const handle = new DatabaseSync(path)
      handle.exec(`PRAGMA user_version = ${kind.migrations.length + 1}; PRAGMA wal_checkpoint(TRUNCATE)`)
      handle.close()
      const before = readFileSync(path)
      expect(() => openDatabase(path, kind)).toThrow(expect.objectContaining({ kind: 'store_newer' }))
      expect(readFileSync(path).equals(before)).toBe(true)
    },
  )
})

/** Hashes of released migrations. Changing one would create two kinds of files of one version. */
const released: Record<string, string[]> = {
  studio: ['bfcc4d70f5c4b42a', '31b0ddce74bd97b1', '56b836c10adf538b', '640e740067445ae0', 'd95606f4a969a2a4'],
  ledger: ['5e49131ac29ec62e', '7ad91b4721121c5b'],
  bodies: ['2b7c9ae3403383f7'],
  account: ['00b6ceb92cee5712'],
}

it('no migration that was released has changed', () => {
  for (const { name, kind } of databases) {
    const sums = kind.migrations.map((sql) => createHash('sha256').update(sql).digest('hex').slice(0, 16))
    expect(sums.slice(0, released[name]?.length)).toEqual(released[name])
  }
})
