import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { databases } from '../../../src-main/core/keep/databases.ts'
import { mendFolder } from '../../../src-main/core/keep/mend/mend.ts'
import { recoverDatabase } from '../../../src-main/core/keep/mend/recover.ts'
import { createReports } from '../../../src-main/core/keep/reports.ts'
import { openStore } from '../../../src-main/core/store/store.ts'
import type { DatabaseName } from '../../../src-preload/contract/data.ts'
import { freshFolder } from '../helpers/core.ts'
import { contentsOf, filledFolder, soundness } from './fill.ts'

const page = 4096
const typeOf = () => ({ kind: 'image' as const, mime: 'image/png', width: 1, height: 1 })
const mend = (dataDir: string): void => mendFolder({ dataDir, whole: true, typeOf, log: () => undefined })
const noMedia = { mediaFacts: () => null }
const byName = (name: DatabaseName) => {
  const found = databases.find((one) => one.name === name)
  if (!found) throw new Error('There is no such database.')
  return found
}
/** What mending gives anew: how messages hang together, the index's mark, who named a media file. */
const mended = ['parent_id', 'leaf_id', 'path_length', 'indexed', 'media_id', 'thumb_id', 'folder_id']

const filling = { conversations: 40, messages: 30, requests: 4000, days: 900 }
const sample = filledFolder(filling)
/** Placeholders, which say so; and a text whose last page of its own was zeroed: it has the right length, and nobody can tell. */
const isNew = /[Rr]ecovered|stranger|"base_url":""|(?:\\u0000){8}/
/** A copy, so that each damage meets the same whole folder. */
function copyOf(from = sample): string {
  const dataDir = freshFolder()
  cpSync(from, dataDir, { recursive: true })
  return dataDir
}

function overwrite(path: string, at: number, bytes: Uint8Array): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

/** What each page is for, as SQLite itself tells. */
function pagesOf(path: string) {
  const handle = new DatabaseSync(path, { readOnly: true })
  const isTable = new Set(
    handle
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search_text_%'")
      .all()
      .map(({ name }) => String(name)),
  )
  // Without row ids the inner pages hold rows too.
  const isTree = new Set(
    handle
      .prepare('SELECT name FROM pragma_table_list WHERE wr = 1')
      .all()
      .map(({ name }) => String(name)),
  )
  const rows = handle.prepare('SELECT name, pageno, pagetype, ncell FROM dbstat').all()
  handle.close()
  return rows.map(({ name, pageno, pagetype, ncell }) => ({
    no: Number(pageno),
    /** At most so many rows stand on it or go through it. */
    rows: !isTable.has(String(name))
      ? 0
      : pagetype === 'overflow'
        ? 1
        : pagetype === 'leaf' || isTree.has(String(name))
          ? Number(ncell)
          : 0,
    table: String(name),
  }))
}

const total = (contents: Map<string, string[]>): number =>
  [...contents.values()].reduce((sum, rows) => sum + rows.length, 0)

describe('a whole database', () => {
  it.each(databases.map(({ name }) => [name] as const))(
    '%s is read page by page exactly as SQLite reads it',
    (name) => {
      const database = byName(name)
      const to = join(freshFolder(), database.file)
      const found = recoverDatabase(database.pathIn(sample), to, database, noMedia)
      expect(contentsOf(to)).toEqual(contentsOf(database.pathIn(sample)))
      expect(found).toMatchObject({ lost: [], mended: [] })
      expect(soundness(to)).toEqual({ integrity: 'ok', foreign: 0 })
    },
  )

  it('is read together with the transactions that only its log has', () => {
    const dataDir = copyOf()
    const { pathIn, file } = byName('ledger')
    const handle = new DatabaseSync(pathIn(dataDir))
    handle.exec(
      "PRAGMA wal_autocheckpoint = 0; DELETE FROM requests WHERE id < 50; INSERT INTO facts (name, value) VALUES ('late', 7)",
    )
    const expected = contentsOf(pathIn(dataDir))
    const to = join(freshFolder(), file)
    recoverDatabase(pathIn(dataDir), to, byName('ledger'), noMedia)
    handle.close()
    expect(contentsOf(to)).toEqual(expected)
  })
})

describe('a damaged database', () => {
  it.each(databases.map(({ name }) => [name] as const))(
    '%s with zeroed pages loses no row but those that lay on them, and gets none that was not there',
    (name) => {
      const { pathIn } = byName(name)
      const pages = pagesOf(pathIn(sample))
      const before = contentsOf(pathIn(sample), mended)
      fc.assert(
        fc.property(fc.uniqueArray(fc.nat(pages.length - 1), { minLength: 1, maxLength: 6 }), (picked) => {
          const dataDir = copyOf()
          const hit = picked.flatMap((at) => pages[at] ?? [])
          for (const { no } of hit) overwrite(pathIn(dataDir), (no - 1) * page, new Uint8Array(page))
          mend(dataDir)
          const after = contentsOf(pathIn(dataDir), mended)
          const most = hit.reduce((sum, { rows }) => sum + rows, 0)
          let lost = 0
          for (const [table, rows] of before) {
            const left = new Set(after.get(table))
            lost += rows.filter((row) => !left.has(row)).length
          }
          expect(lost).toBeLessThanOrEqual(most)
          // Placeholders apart, which say so.
          const foreign = [...after].flatMap(([table, rows]) => {
            const known = new Set(before.get(table))
            return rows.filter((row) => !known.has(row) && !isNew.test(row))
          })
          expect(foreign.map((row) => row.slice(0, 200))).toEqual([])
          expect(soundness(pathIn(dataDir))).toEqual({ integrity: 'ok', foreign: 0 })
        }),
        { numRuns: Number(process.env.RUNS ?? 12) },
      )
    },
    120_000,
  )
})
