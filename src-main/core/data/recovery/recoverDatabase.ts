import { randomUUID } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Damage, DataKind } from '../../../../src-preload/contract/data.ts'
import { applySchema } from '../../store/database.ts'
import { asCounts, type KnownDatabase, thingOf } from '../databases.ts'
import { type Cell, readTreePage, type TreePage, type Value } from './cells.ts'
import { openPages, type Pages } from './pages.ts'
import { type Looking, relate } from './restoreReferences.ts'
import { fits, readable, resemblance, type Table, tablesOf } from './schema.ts'
import { Claims, claimFree, type Walked, walkTree } from './walkTree.ts'

/** No page: a tree that starts there has a hole, so its pages are looked for among those that no tree claims. */
const unknownRoot = 0

/** Root pages of a table and of its indexes, from the damaged file's own schema. */
interface Roots {
  tables: ReadonlyMap<string, number>
  /** Root pages of complete indexes, which have one row for each row of their table. */
  indexes: ReadonlyMap<string, number[]>
  others: number[]
  isWhole: boolean
}

export type Recovered = Pick<Damage, 'recovered' | 'lost' | 'mended'>

/**
 * Copies every readable row of a damaged database, page by page, into a new one at `to`. SQLite itself gives up a table at its first bad
 * page; here each page and each row is read separately. Pages below a broken page are found by the form of their rows. The new database has
 * the schema version of the damaged one, so that later migrations apply, and its foreign keys are valid.
 */
export function recoverDatabase(from: string, to: string, { kind }: KnownDatabase, looking: Looking): Recovered {
  const pages = openPages(from)
  const handle = new DatabaseSync(to, { enableForeignKeyConstraints: false })
  try {
    const claims = new Claims(pages.count)
    const roots = rootsOf(pages, claims)
    const version = versionOf(pages, kind.migrations, roots)
    // The file gets its own page size and no log, because no process reads it before it is complete.
    handle.exec(`${kind.pragmas ?? ''}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN`)
    applySchema(handle, kind, 0, version)
    const tables = tablesOf(handle).filter(({ name }) => !name.startsWith('search_text_'))
    // Rows that a migration writes into a new file come from the old file, if it has them.
    for (const { name } of tables) handle.exec(`DELETE FROM "${name}"`)
    const rows = new Rows(handle, looking.counted ?? (() => undefined))
    const all = tables.map((table) => readTable(pages, claims, roots, table, rows))
    // After the tables: a wrong pointer of an index must not claim a page of a table without row ids, which has the same form.
    for (const result of all) result.known = knownRows(pages, claims, roots, result.table)
    claimRest(pages, claims, roots)
    adopt(pages, claims, all, rows)
    const holed = new Set(all.filter(({ walked }) => walked.holes + walked.broken > 0).map(({ table }) => table.name))
    const mended = relate(handle, looking, holed)
    handle.exec(`PRAGMA application_id = ${kind.applicationId}; PRAGMA user_version = ${version}; COMMIT`)
    return { ...sum(handle, all), mended }
  } finally {
    handle.close()
    pages.close()
  }
}

/** The result of recovering one table. */
interface Result {
  table: Table
  walked: Walked
  /** How many rows the table had, when a complete index shows it; else null. */
  known: number | null
}

function readTable(pages: Pages, claims: Claims, roots: Roots, table: Table, rows: Rows): Result {
  const root = roots.tables.get(table.name) ?? unknownRoot
  const walked = walkTree(
    pages,
    claims,
    root,
    !table.withoutRowid,
    (cell) => fits(table, cell) && rows.insert(table, cell),
  )
  return { table, walked, known: null }
}

/** How many rows a table had, as its undamaged complete indexes show; null without one. */
function knownRows(pages: Pages, claims: Claims, { indexes }: Roots, { name }: Table): number | null {
  let known: number | null = null
  for (const index of indexes.get(name) ?? []) {
    const entries = walkTree(pages, claims, index, false, () => true)
    if (entries.holes === 0 && entries.broken === 0) known = Math.max(known ?? 0, entries.rows)
  }
  return known
}

/** Claims the pages of the search index and of indexes, so that they are not mistaken for lost rows. */
function claimRest(pages: Pages, claims: Claims, { others }: Roots): void {
  for (const root of others) {
    const page = root >= 1 && root <= pages.count ? readTreePage(pages, root) : null
    if (page) walkTree(pages, claims, root, page.isTable, () => true)
  }
  claimFree(pages, claims)
}

/** Assigns leaf pages that no tree claims to tables with holes: each to the one table that all of its rows fit. */
function adopt(pages: Pages, claims: Claims, all: readonly Result[], rows: Rows): void {
  const open = all.filter(({ walked }) => walked.holes > 0)
  if (open.length === 0) return
  for (let no = 2; no <= pages.count; no += 1) {
    if (claims.has(no)) continue
    const page = readTreePage(pages, no)
    if (!page || page.cells.length === 0) continue
    const one = ownerOf(open, page)
    if (!one) continue
    for (const cell of page.cells) if (rows.insert(one.table, cell)) one.walked.rows += 1
  }
}

/** The only table that all rows of a page fit, or that they resemble most; null when two are equally likely. */
function ownerOf(open: readonly Result[], { isTable, cells }: TreePage): Result | null {
  const fitting = open
    .filter(({ table }) => isTable !== table.withoutRowid && cells.every((cell) => fits(table, cell)))
    .map((result) => ({ result, like: cells.reduce((all, cell) => all + resemblance(result.table, cell), 0) }))
    .sort((a, b) => b.like - a.like)
  const [first, second] = fitting
  // Pages of an index look like rows of a table, except for the content of their columns.
  return first && first.like > 0 && first.like !== second?.like ? first.result : null
}

function sum(handle: DatabaseSync, all: readonly Result[]): Omit<Recovered, 'mended'> {
  const recovered = new Map<DataKind, number>()
  const lost = new Map<DataKind, number | null>()
  for (const { table, walked, known } of all) {
    const thing = thingOf(table.name)
    const count = Number(handle.prepare(`SELECT count(*) AS n FROM "${table.name}"`).get()?.n)
    recovered.set(thing, (recovered.get(thing) ?? 0) + count)
    const missing = known === null ? (walked.holes > 0 ? null : walked.broken) : Math.max(0, known - walked.rows)
    if (missing === 0) continue
    const before = lost.get(thing)
    lost.set(thing, missing === null || before === null ? null : missing + (before ?? 0))
  }
  return { recovered: asCounts(recovered), lost: [...lost].map(([thing, count]) => ({ thing, count })) }
}

/** How rows of one table and one length are inserted. */
interface Way {
  statement: StatementSync
  /** Columns whose values must have a known form. */
  formed: number[]
  withRowid: boolean
}

/** Rows between two progress reports; they take about a tenth of a second. */
const countEvery = 2000

/** Inserts rows into the new database. A row that violates a constraint, or whose key exists already, is skipped. */
class Rows {
  readonly #handle: DatabaseSync
  readonly #ways = new Map<Table, Way[]>()
  readonly #counted: (rows: number) => void
  #count = 0

  constructor(handle: DatabaseSync, counted: (rows: number) => void) {
    this.#handle = handle
    this.#counted = counted
  }

  insert(table: Table, { rowid, values }: Cell): boolean {
    const way = this.#wayOf(table, values.length)
    const given = [...values]
    if (table.rowidColumn !== null) given[table.rowidColumn] = rowid
    // The search index is rebuilt.
    const marked = table.name === 'messages' ? table.columns.findIndex(({ name }) => name === 'indexed') : -1
    if (marked >= 0 && marked < given.length) given[marked] = 0
    for (const at of way.formed) {
      const column = table.columns[at]
      const readableValue = column && readable(column, given[at] ?? null, randomUUID)
      if (!readableValue) return false
      given[at] = readableValue.value
    }
    if (way.withRowid) given.push(rowid)
    try {
      if (way.statement.run(...given).changes !== 1) return false
      this.#count += 1
      if (this.#count % countEvery === 0) this.#counted(this.#count)
      return true
    } catch (thrown) {
      // A constraint (19), or a value of another type (20).
      if (thrown instanceof Error && 'errcode' in thrown && [19, 20].includes(Number(thrown.errcode) & 0xff))
        return false
      throw thrown
    }
  }

  #wayOf(table: Table, length: number): Way {
    const ways = this.#ways.get(table) ?? []
    this.#ways.set(table, ways)
    const made = ways[length] ?? this.#makeWay(table, length)
    ways[length] = made
    return made
  }

  #makeWay(table: Table, length: number): Way {
    const columns = table.columns.slice(0, length)
    const withRowid = !table.withoutRowid && table.rowidColumn === null
    const names = [...columns.map(({ name }) => `"${name}"`), ...(withRowid ? ['rowid'] : [])]
    const sql = `INSERT OR IGNORE INTO "${table.name}" (${names.join()}) VALUES (${names.map(() => '?').join()})`
    const formed = columns.flatMap(({ form }, at) => (form === null ? [] : [at]))
    return { statement: this.#handle.prepare(sql), formed, withRowid }
  }
}

/** Reads the damaged file's schema, as far as possible: it is a table of its own that starts on the first page. */
function rootsOf(pages: Pages, claims: Claims): Roots {
  const tables = new Map<string, number>()
  const indexes = new Map<string, number[]>()
  const others: number[] = []
  /** How many rows name a page as their root. */
  const named = new Map<number, number>()
  const walked = walkTree(pages, claims, 1, true, ({ values }) => {
    const [type, name, owner, root, sql] = values
    if (typeof name !== 'string' || typeof owner !== 'string' || typeof root !== 'number') return false
    if (root === 0) return true
    named.set(root, (named.get(root) ?? 0) + 1)
    const table = tableNameOf(values)
    if (table !== null) {
      if (table.startsWith('sqlite_') || table.startsWith('search_text')) others.push(root)
      else tables.set(table, root)
    } else if (type === 'index' && (sql === null || (typeof sql === 'string' && !/\bWHERE\b/i.test(sql)))) {
      // An index without WHERE has all rows. The indexes of UNIQUE constraints have no SQL text.
      indexes.set(owner, [...(indexes.get(owner) ?? []), root])
    } else others.push(root)
    return true
  })
  // One of two with the same root is wrong. The pages of both are found by the form of their rows.
  for (const [name, root] of tables) if (named.get(root) !== 1) tables.set(name, unknownRoot)
  return { tables, indexes, others, isWhole: walked.holes === 0 && walked.broken === 0 && tables.size > 0 }
}

/**
 * The name of the table that a row of the schema describes; null for an index. The row has the name three times and the type twice, so that
 * one damaged copy does not matter.
 */
function tableNameOf([type, name, owner, , sql]: readonly Value[]): string | null {
  const created = typeof sql === 'string' ? /^CREATE TABLE "?(\w+)/.exec(sql)?.[1] : undefined
  if (created === undefined && type !== 'table') return null
  return String(owner === created ? owner : name)
}

/**
 * The schema version: that of the header if the tables match it, else the newest whose tables all exist. An unreadable name may be that of any
 * missing table: an older version would not have the columns of the rows, and would lose all of them.
 */
function versionOf(pages: Pages, migrations: readonly string[], { tables, isWhole }: Roots): number {
  const inHeader = pages.page(1).readUInt32BE(60)
  if (!isWhole) return inHeader >= 1 && inHeader <= migrations.length ? inHeader : migrations.length
  const handle = new DatabaseSync(':memory:')
  try {
    const versions = migrations.map((sql) => {
      handle.exec(sql)
      return tablesOf(handle).flatMap(({ name }) => (name.startsWith('search_text_') ? [] : [name]))
    })
    const known = new Set(versions.flat())
    const unknown = [...tables.keys()].filter((name) => !known.has(name)).length
    const isPossible = (wanted: readonly string[]): boolean =>
      wanted.filter((name) => !tables.has(name)).length <= unknown
    const named = versions[inHeader - 1]
    if (named && isPossible(named) && [...tables.keys()].every((name) => named.includes(name) || !known.has(name)))
      return inHeader
    return versions.findLastIndex(isPossible) + 1 || migrations.length
  } finally {
    handle.close()
  }
}
