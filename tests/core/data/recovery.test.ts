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
import { databases } from '../../../src-main/core/data/databases.ts'
import { recoverDatabase } from '../../../src-main/core/data/recovery/recoverDatabase.ts'
import { recoverFolder } from '../../../src-main/core/data/recovery/recovery.ts'
import { createReports } from '../../../src-main/core/data/recovery/reports.ts'
import { checkFile } from '../../../src-main/core/store/database.ts'
import { openStore } from '../../../src-main/core/store/store.ts'
import type { DatabaseName } from '../../../src-preload/contract/data.ts'
import { firstCases, tries } from '../../helpers/effort.ts'
import { freshFolder } from '../helpers/core.ts'
import { contentsOf, filledFolder, soundness } from './fill.ts'

const page = 4096
const typeOf = () => ({ kind: 'image' as const, mime: 'image/png', width: 1, height: 1 })
const mend = (dataDir: string): void => recoverFolder({ dataDir, how: 'everything', typeOf, log: () => undefined })
const noMedia = { mediaFacts: () => null }
const byName = (name: DatabaseName) => {
  const found = databases.find((one) => one.name === name)
  if (!found) throw new Error('There is no such database.')
  return found
}
/** Columns that recovery fills in: links between messages, the index's mark, and who refers to a media file. */
const mended = ['parent_id', 'leaf_id', 'path_length', 'indexed', 'media_id', 'thumb_id', 'folder_id']

/** The rows of each table without these columns. Sync marks without their time and value, which follow the recovered chat. */
function comparable(path: string): ReturnType<typeof contentsOf> {
  const all = contentsOf(path, mended)
  const marks = all.get('sync_marks')
  const keyOf = (row: string): string => {
    const { what, item, field } = JSON.parse(row) as Record<string, unknown>
    return JSON.stringify([what, item, field])
  }
  return marks ? all.set('sync_marks', marks.map(keyOf)) : all
}

const filling = { conversations: 16, messages: 30, requests: 1500, days: 500 }
const sample = filledFolder(filling)
/**
 * Placeholders, which are marked as such, and a text whose last overflow page was zeroed: it has the right length, so the loss is
 * undetectable.
 */
const isNew = /[Rr]ecovered|stranger|"base_url":""|"width":1,|(?:\\u0000){8}/
/** A copy, so that each damage is done to the same folder. */
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

/** The purpose of each page, as SQLite reports it. */
function pagesOf(path: string) {
  const handle = new DatabaseSync(path, { readOnly: true })
  const isTable = new Set(
    handle
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search_text_%'")
      .all()
      .map(({ name }) => String(name)),
  )
  // Without row ids, inner pages have rows too.
  const isTree = new Set(
    handle
      .prepare('SELECT name FROM pragma_table_list WHERE wr = 1')
      .all()
      .map(({ name }) => String(name)),
  )
  const rows = handle.prepare('SELECT name, pageno, pagetype, ncell FROM dbstat').all()
  handle.close()
  /** Parts of a speech are useless without their text. Each speech here has one part, which is deleted with it. */
  const alone = (name: string): number => (name === 'speeches' ? 2 : 1)
  return rows.map(({ name, pageno, pagetype, ncell }) => ({
    no: Number(pageno),
    /** Number of rows that are on the page or below it. */
    rows: !isTable.has(String(name))
      ? 0
      : pagetype === 'overflow'
        ? alone(String(name))
        : pagetype === 'leaf' || isTree.has(String(name))
          ? Number(ncell) * alone(String(name))
          : 0,
    table: String(name),
  }))
}

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
  it.each(
    firstCases(
      1,
      databases.map(({ name }) => [name] as const),
    ),
  )('%s with zeroed pages loses only the rows of those pages, and gets no row that was not there', (name) => {
    const { pathIn } = byName(name)
    const pages = pagesOf(pathIn(sample))
    const before = comparable(pathIn(sample))
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(pages.length - 1), { minLength: 1, maxLength: 6 }), (picked) => {
        const dataDir = copyOf()
        const hit = picked.flatMap((at) => pages[at] ?? [])
        for (const { no } of hit) overwrite(pathIn(dataDir), (no - 1) * page, new Uint8Array(page))
        mend(dataDir)
        const after = comparable(pathIn(dataDir))
        const most = hit.reduce((sum, { rows }) => sum + rows, 0)
        let lost = 0
        for (const [table, rows] of before) {
          const left = new Set(after.get(table))
          lost += rows.filter((row) => !left.has(row)).length
        }
        expect(lost).toBeLessThanOrEqual(most)
        // Except placeholders, which are marked as such.
        const foreign = [...after].flatMap(([table, rows]) => {
          // Lost sums of days are computed again from the remaining requests.
          // Recovery marks what it changes.
          if (table === 'use_days' || table === 'sync_marks') return []
          const known = new Set(before.get(table))
          return rows.filter((row) => !known.has(row) && !isNew.test(row))
        })
        expect(foreign.map((row) => row.slice(0, 200))).toEqual([])
        expect(soundness(pathIn(dataDir))).toEqual({ integrity: 'ok', foreign: 0 })
      }),
      { numRuns: tries(6, 100) },
    )
  })

  it.each(
    firstCases(
      1,
      databases.map(({ name }) => [name] as const),
    ),
  )('%s with flipped bytes, or truncated, opens again, and loses no more than the damaged rows', (name) => {
    const { pathIn } = byName(name)
    const pages = pagesOf(pathIn(sample))
    const { size } = statSync(pathIn(sample))
    const before = comparable(pathIn(sample))
    const flips = fc.array(fc.tuple(fc.nat(size - 1), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 20,
    })
    const cut = fc.option(fc.integer({ min: Math.ceil(size / 2), max: size - 1 }), { nil: size, freq: 2 })
    fc.assert(
      fc.property(flips, cut, (flipped, end) => {
        const dataDir = copyOf()
        const bytes = readFileSync(pathIn(dataDir))
        // The header's version and application id distinguish a newer or foreign file from damage. Those are refused (below).
        const meant = flipped.filter(([at]) => at < 60 || at >= 72)
        for (const [at, by] of meant) bytes[at] = (bytes[at] ?? 0) ^ by
        writeFileSync(pathIn(dataDir), bytes)
        truncateSync(pathIn(dataDir), end)
        mend(dataDir)
        expect(soundness(pathIn(dataDir))).toEqual({ integrity: 'ok', foreign: 0 })
        const touched = new Set(meant.map(([at]) => Math.floor(at / page) + 1))
        const most = pages.reduce((sum, { no, rows }) => sum + (touched.has(no) || no * page > end ? rows : 0), 0)
        const after = comparable(pathIn(dataDir))
        const lost = [...before].reduce((sum, [table, rows]) => {
          const left = new Set(after.get(table))
          return sum + rows.filter((row) => !left.has(row)).length
        }, 0)
        expect(lost).toBeLessThanOrEqual(most)
      }),
      { numRuns: tries(6, 100) },
    )
  })

  it.each([
    ['studio', 'speeches', "name = 'speecher'"],
    ['studio', 'messages', "tbl_name = 'messagez'"],
    ['ledger', 'use_days', "type = 'tacle'"],
    ['bodies', 'bodies', "name = 'bodier', tbl_name = 'bodier'"],
    ['account', 'days', "rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'fetches')"],
    ['account', 'days', "rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'undated')"],
    ['studio', 'messages', "rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'conversations')"],
    ['account', 'days', "sql = replace(sql, ' cost_millionths', ' Aost_millionths')"],
    ['studio', 'messages', "sql = replace(sql, 'indexed', 'indexeb')"],
    ['studio', 'search_text', "sql = replace(sql, 'body,', 'body-')"],
    ['studio', 'search_text', "sql = replace(sql, 'tokenize', 'tokenizd')"],
    ['studio', 'search_text', "sql = replace(sql, 'fts5', 'fts4')"],
    ['studio', 'search_text', "sql = replace(sql, 'fts5', 'fts7')"],
  ] as const)('%s whose schema describes the table %s wrongly (%s) loses no row', (name, table, wrong) => {
    const dataDir = copyOf()
    const { pathIn } = byName(name)
    const writer = new DatabaseSync(pathIn(dataDir))
    writer.enableDefensive?.(false)
    writer.exec(
      `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET ${wrong} WHERE type = 'table' AND name = '${table}'`,
    )
    writer.close()
    mend(dataDir)
    expect(comparable(pathIn(dataDir))).toEqual(comparable(pathIn(sample)))
    expect(soundness(pathIn(dataDir))).toEqual({ integrity: 'ok', foreign: 0 })
  })

  it('loses no row when an index has a pointer to a table whose pages have the form of an index', () => {
    const dataDir = copyOf()
    const { pathIn } = byName('studio')
    const pages = pagesOf(pathIn(dataDir))
    const index = pages.find(({ table }) => table === 'messages_by_parent')
    const marks = pages.find(({ table }) => table === 'sync_marks')
    const pointer = new Uint8Array(4)
    new DataView(pointer.buffer).setUint32(0, marks?.no ?? 0)
    // The last child of an inner page.
    overwrite(pathIn(dataDir), ((index?.no ?? 0) - 1) * page + 8, pointer)
    mend(dataDir)
    expect(comparable(pathIn(dataDir))).toEqual(comparable(pathIn(sample)))
  })

  it.each(['pages', 'everything'] as const)(
    'with a bit that breaks a constraint (%s checked) is found, even when its log was not checkpointed, and only loses that row',
    (how) => {
      const dataDir = copyOf()
      const path = byName('studio').pathIn(dataDir)
      const writer = new DatabaseSync(path)
      writer.exec(
        'PRAGMA wal_autocheckpoint = 0; UPDATE settings SET value = value; PRAGMA ignore_check_constraints = ON',
      )
      writer.exec("UPDATE messages SET status = 'complede' WHERE seq = 7")
      const killed = freshFolder()
      cpSync(dataDir, killed, { recursive: true })
      writer.close()
      const { pathIn } = byName('studio')
      const bytes = () => [pathIn(killed), `${pathIn(killed)}-wal`].map((file) => readFileSync(file).toString('base64'))
      const before = bytes()
      expect(checkFile(pathIn(killed), byName('studio').kind, how)).toEqual({
        is: 'damaged',
        why: 'CHECK constraint failed in messages',
      })
      // Checking does not checkpoint the log.
      expect(bytes()).toEqual(before)
      mend(killed)
      expect(soundness(pathIn(killed))).toEqual({ integrity: 'ok', foreign: 0 })
      const handle = new DatabaseSync(pathIn(killed), { readOnly: true })
      expect(handle.prepare('SELECT count(*) AS n, sum(seq = 7) AS bad FROM messages').get()).toEqual({
        n: 16 * 30 - 1,
        bad: 0,
      })
      handle.close()
    },
  )

  it('with a schema whose tables no longer fit together is found and recovered without a loss', () => {
    const dataDir = copyOf()
    const { pathIn, kind } = byName('studio')
    const writer = new DatabaseSync(pathIn(dataDir))
    writer.enableDefensive?.(false)
    writer.exec(`PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'REFERENCES messages (id)', 'REFERENCES messages (ix)') WHERE name = 'summaries'`)
    writer.close()
    expect(checkFile(pathIn(dataDir), kind, 'everything')).toEqual({
      is: 'damaged',
      why: 'foreign key mismatch - "summaries" referencing "messages"',
    })
    const before = comparable(pathIn(dataDir)).get('messages')
    mend(dataDir)
    expect(soundness(pathIn(dataDir))).toEqual({ integrity: 'ok', foreign: 0 })
    expect(comparable(pathIn(dataDir)).get('messages')).toEqual(before)
  })

  it('reports the data that was set aside, recovered and lost, and leaves the damaged file unchanged', () => {
    const dataDir = copyOf()
    const { pathIn } = byName('studio')
    const leaf = pagesOf(pathIn(dataDir)).find(({ table, rows }) => table === 'messages' && rows > 2)
    overwrite(pathIn(dataDir), ((leaf?.no ?? 0) - 1) * page, new Uint8Array(page))
    const damaged = readFileSync(pathIn(dataDir))
    mend(dataDir)
    const reports = createReports(dataDir)
    const [damage, ...more] = reports.damage()
    expect(more).toEqual([])
    expect(damage).toMatchObject({
      database: 'studio',
      acknowledged: false,
      lost: [{ thing: 'messages', count: leaf?.rows }],
    })
    const messages = damage?.recovered.find(({ thing }) => thing === 'messages')
    expect(messages?.count).toBe(16 * 30 - (leaf?.rows ?? 0))
    expect(readFileSync(join(damage?.keptAt ?? '', 'studio.sqlite')).equals(damaged)).toBe(true)
    expect(reports.aside()).toMatchObject([{ kind: 'damaged', path: damage?.keptAt }])
    reports.acknowledge(damage?.id ?? '')
    expect(createReports(dataDir).damage()).toMatchObject([{ acknowledged: true }])
    // One report is enough.
    mend(dataDir)
    expect(createReports(dataDir).damage()).toHaveLength(1)
    for (const name of ['damaged/../media', 'damaged', '../x', 'media'])
      expect(() => reports.erase(name)).toThrow(/no longer exists/)
    reports.erase(reports.aside()[0]?.name ?? '')
    expect(existsSync(damage?.keptAt ?? '')).toBe(false)
  })

  it('without the rows of its conversations and media has every message in a conversation and every file in its place', () => {
    const dataDir = copyOf()
    const { pathIn } = byName('studio')
    const files = readdirSync(join(dataDir, 'media')).sort()
    for (const { no, table, rows } of pagesOf(pathIn(dataDir))) {
      if ((table === 'conversations' || table === 'media') && rows > 0)
        overwrite(pathIn(dataDir), (no - 1) * page, new Uint8Array(page))
    }
    mend(dataDir)
    expect(soundness(pathIn(dataDir))).toEqual({ integrity: 'ok', foreign: 0 })
    const store = openStore(dataDir)
    const all = store.conversations.list()
    expect(all.map(({ title }) => title)).toEqual(Array(16).fill('Recovered conversation'))
    for (const { leafId } of all) expect(store.messages.path(leafId)).toHaveLength(30)
    // The next start would delete files that no row names as leftovers.
    expect([...store.media.ids()].sort()).toEqual(files)
    expect(store.search.isBehind()).toBe(true)
    store.close()
    expect(readdirSync(join(dataDir, 'media')).sort()).toEqual(files)
  })

  it('that is empty, or gone while media files exist, is created again, and no file of the person is deleted', () => {
    for (const how of ['empty', 'gone']) {
      const dataDir = copyOf()
      const path = byName('studio').pathIn(dataDir)
      const files = readdirSync(join(dataDir, 'media')).sort()
      if (how === 'gone') rmSync(path)
      else truncateSync(path, 0)
      mend(dataDir)
      const [damage] = createReports(dataDir).damage()
      expect(damage).toMatchObject({ database: 'studio', mediaSetAside: files.length })
      expect(readdirSync(join(damage?.keptAt ?? '', 'media')).sort()).toEqual(files)
      openStore(dataDir).close()
    }
  })

  it('whose log was lost has the rows that were checkpointed before', () => {
    const dataDir = copyOf()
    const { pathIn } = byName('ledger')
    const handle = new DatabaseSync(pathIn(dataDir))
    handle.exec("PRAGMA wal_autocheckpoint = 0; INSERT INTO facts (name, value) VALUES ('late', 7)")
    const killed = freshFolder()
    cpSync(dataDir, killed, { recursive: true })
    handle.close()
    rmSync(`${pathIn(killed)}-wal`)
    mend(killed)
    expect(contentsOf(pathIn(killed))).toEqual(contentsOf(pathIn(sample)))
    expect(createReports(killed).damage()).toEqual([])
  })

  it.each([
    [
      'another program’s database',
      'store_damaged',
      (path: string) => {
        rmSync(path)
        const other = new DatabaseSync(path)
        other.exec("CREATE TABLE theirs (a TEXT); INSERT INTO theirs VALUES ('x')")
        other.close()
      },
    ],
    [
      'a file that is no database',
      'store_damaged',
      (path: string) => writeFileSync(path, 'somebody’s notes '.repeat(2000)),
    ],
    [
      'a newer version’s',
      'store_newer',
      (path: string) => {
        const newer = new DatabaseSync(path)
        newer.exec('PRAGMA user_version = 999')
        newer.close()
      },
    ],
  ])('%s is refused and keeps every byte', (_, kind, change) => {
    const dataDir = copyOf()
    const path = byName('account').pathIn(dataDir)
    change(path)
    const bytes = readFileSync(path)
    expect(() => mend(dataDir)).toThrow(expect.objectContaining({ kind }))
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })
})
