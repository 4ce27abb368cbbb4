import { chmodSync, closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { asStudioError, StudioError } from '../errors.ts'
import { sqliteCode } from '../shared/diskProblem.ts'
import { Listeners } from '../shared/events.ts'
import { unexpected } from '../shared/unexpected.ts'
import { asStoreError, isDamage, mayPass, newer } from './databaseErrors.ts'
import { isDatabaseThere, leastDatabaseBytes } from './databaseFile.ts'
import { migrations } from './migrations/index.ts'
import studioSnapshot from './migrations/snapshots/studio.json' with { type: 'json' }
import { text } from './rows.ts'

/** The properties that differ between our database files. */
export interface DatabaseKind {
  /** Distinguishes our file from another program's database of the same name. */
  applicationId: number
  /** SQL of the migrations, in order. `user_version` is the number of migrations applied to the file. */
  migrations: readonly string[]
  /**
   * The schema that the first `version` migrations leave in a new file, as lines of SQL. Applying it takes a fraction of their time.
   * `npm run schema` writes it, and a test compares both.
   */
  snapshot?: { version: number; sql: readonly string[] }
  /** Durability of a plain transaction: FULL survives a power cut, NORMAL only the death of the process. */
  synchronous: 'FULL' | 'NORMAL'
  /** Executed first on each connection. `auto_vacuum` only takes effect on a new file. */
  pragmas?: string
}

/**
 * Chats, media and settings. The id is "IStu". Deleted and shortened content is overwritten. Otherwise the journal of a reply would remain
 * in free pages after its conversation was deleted permanently (core/features/library/README.md).
 */
export const studioDatabase: DatabaseKind = {
  applicationId: 0x49537475,
  migrations,
  snapshot: studioSnapshot,
  synchronous: 'FULL',
  pragmas: 'PRAGMA secure_delete = ON',
}

export interface Database {
  readonly handle: DatabaseSync
  /**
   * Runs `work` as one transaction, all or nothing. When it returns, its changes are on the disk (one fsync). A nested call joins the outer
   * transaction.
   */
  readonly transaction: <T>(work: () => T) => T
  /**
   * Runs `work` as a transaction without the fsync, for frequent writes such as the tail of a streaming reply. Its changes survive the
   * death of this process. A power cut may lose them, but never those of `transaction`.
   */
  readonly journal: <T>(work: () => T) => T
  /** A number that changes when another connection has written, such as the command line beside a running core. Costs about a microsecond. */
  readonly dataVersion: () => number
  /** Number of transactions that this connection has committed. */
  readonly commits: () => number
  /** Whether a transaction could begin now: false while another process holds the write lock. Never waits longer than `transaction`. */
  readonly isWritable: () => boolean
  /** Closes the connection. Never throws: when the log cannot be checkpointed, that is reported, and a later close or start does it. */
  readonly close: () => void
}

export interface OpenOptions {
  /** Whether to read every page first, for files whose owner was killed. */
  checkWhole?: boolean
  /**
   * How long a write waits for another process's lock, ms. It blocks this thread, so a running core waits `coreBusyMs`. While the lock
   * lasts, only the first write waits; later ones fail at once and their callers retry them.
   */
  busyMs?: number
}

/** For a program that does one thing and ends, such as a command beside a running core, ms. */
export const patientBusyMs = 5000
/** For the thread that relays all streams, ms: too short to notice, but longer than our own threads and commands hold a lock. */
export const coreBusyMs = 50

/**
 * Notified when a database refuses a transaction that may succeed later, in any thread's own databases. `tryWrite` writes a page without
 * changing anything. It throws while the database still refuses.
 */
export const refusedWrites = new Listeners<[file: string, failure: StudioError, tryWrite: () => void]>()

/**
 * While a folder of this name exists in a data folder, its files are being replaced (core/data/restore/swap.ts), and no process may open a
 * database.
 */
export const swapFolder = 'swapping'

/**
 * Opens the database file, creates it when it does not exist, and migrates it to this version's schema.
 * @throws StudioError `store_newer` and `store_damaged` (the file is not changed), `database_locked` (for longer than `busyMs`)
 */
export function openDatabase(file: string, kind: DatabaseKind, options: OpenOptions = {}): Database {
  const { checkWhole = false, busyMs = patientBusyMs } = options
  try {
    refuseWhileSwapping(file)
    if (!makeFile(file, kind)) refuseForeign(file, kind, checkWhole)
    const handle = new DatabaseSync(file, { timeout: busyMs, enableForeignKeyConstraints: true })
    try {
      if (kind.pragmas) handle.exec(kind.pragmas)
      handle.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${kind.synchronous}; PRAGMA journal_size_limit = 16777216`,
      )
      migrate(handle, kind)
    } catch (thrown) {
      handle.close()
      throw thrown
    }
    return wrap(file, handle, kind, busyMs)
  } catch (thrown) {
    throw asStoreError(thrown, file)
  }
}

/**
 * Runs `prepare`, which prepares statements, in a read transaction. Without one, another process may change the schema at the same time, as the
 * first `PRAGMA optimize` on a database does. Connecting a virtual table then reloads the schema while SQLite compiles a statement. SQLite
 * fails with "no such table" for a table that exists.
 */
export function inReadTransaction<T>(handle: DatabaseSync, prepare: () => T): T {
  handle.exec('BEGIN')
  try {
    // BEGIN itself reads nothing. This loads the schema that is valid for the transaction.
    handle.prepare('SELECT count(*) FROM sqlite_schema').get()
    return prepare()
  } finally {
    handle.exec('COMMIT')
  }
}

function refuseWhileSwapping(file: string): void {
  const folder = join(dirname(file), swapFolder)
  if (!existsSync(folder)) return
  const message = `A restore in ${dirname(file)} was interrupted. Start Inference Studio with that folder to complete it.`
  throw new StudioError('folder_in_use', message)
}

/**
 * Creates the file, readable by its owner only, when it does not exist. It gets its name only when all of its tables exist, so an empty
 * file is always a damaged one. An existing file is never opened through `fs`: closing that descriptor would drop every lock that SQLite
 * holds on it in this process (https://sqlite.org/howtocorrupt.html, 2.2).
 */
function makeFile(file: string, kind: DatabaseKind): boolean {
  if (isDatabaseThere(file)) {
    chmodSync(file, 0o600)
    return false
  }
  const fresh = `${file}.new-${process.pid}`
  rmSync(fresh, { force: true })
  closeSync(openSync(fresh, 'wx', 0o600))
  const handle = new DatabaseSync(fresh, { enableForeignKeyConstraints: true })
  try {
    if (kind.pragmas) handle.exec(kind.pragmas)
    migrate(handle, kind)
  } finally {
    handle.close()
  }
  return takeName(fresh, file)
}

/** Returns false when another process was first. */
function takeName(fresh: string, file: string): boolean {
  try {
    linkSync(fresh, file)
    rmSync(fresh)
    return true
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') {
      rmSync(fresh)
      return false
    }
    // The file system has no hard links. A file that another process created in the same moment is overwritten.
    renameSync(fresh, file)
    return true
  }
}

export type CheckDepth = 'head' | 'pages' | 'everything'

/** Result of `checkFile`. `why` is SQLite's message. */
export type FileCheck = { is: 'good' } | { is: 'newer'; version: number } | { is: 'foreign' | 'damaged'; why: string }

/**
 * Checks a file over a read-only connection, so that a file which is not ours is not changed. Only a journal of ours is rolled back first.
 * `pages` reads every page. `everything` also checks that indexes match their tables and that foreign keys are valid, which takes several
 * times as long. Damage that shows later is thrown by the statement that meets it.
 * @param busyMs how long to wait for another process's lock, ms
 * @throws StudioError `database_locked`
 */
export function checkFile(file: string, kind: DatabaseKind, how: CheckDepth, busyMs = patientBusyMs): FileCheck {
  const { applicationId, migrations } = kind
  const tooSmall = whyTooSmall(file)
  if (tooSmall !== null) return { is: 'damaged', why: tooSmall }
  try {
    rollBackJournal(file, kind)
    const handle = new DatabaseSync(file, { readOnly: true, timeout: busyMs })
    try {
      const version = pragma(handle, 'user_version')
      const application = pragma(handle, 'application_id')
      const tables = Number(handle.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n)
      if (application !== applicationId && (tables > 0 || version > 0)) {
        return { is: 'foreign', why: 'It belongs to another program.' }
      }
      if (version > migrations.length) return { is: 'newer', version }
      if (how === 'head') return { is: 'good' }
      const fault =
        faultIn(file, how === 'pages' ? 'quick_check' : 'integrity_check') ??
        schemaFault(handle, kind, version) ??
        (how === 'everything' ? looseRows(handle) : null)
      return fault === null ? { is: 'good' } : { is: 'damaged', why: fault }
    } finally {
      handle.close()
    }
  } catch (thrown) {
    if (hasJournal(thrown))
      return { is: 'foreign', why: 'Another program’s process was killed while it wrote to the file.' }
    const code = sqliteCode(thrown)
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    // The statements of this check are always the same, so that SQLITE_ERROR (1) is about the schema in the file, such as the options of a search
    // index. A missing FTS5 says nothing about the file.
    const isSchema = code === 1 && why !== 'no such module: fts5'
    if (!isSchema && code !== 11 && code !== 26) throw asStoreError(thrown, file)
    return { is: 'damaged', why }
  }
}

function looseRows(handle: DatabaseSync): string | null {
  const loose = handle.prepare('PRAGMA foreign_key_check').get()
  return loose ? `Rows of ${String(loose.table)} refer to rows that do not exist.` : null
}

/**
 * What the tables of a file lack of those that its schema version has; null when nothing. One flipped byte in a column's name leaves a schema
 * that SQLite finds good, but every statement that names the column fails.
 */
function schemaFault(handle: DatabaseSync, kind: DatabaseKind, version: number): string | null {
  const model = new DatabaseSync(':memory:')
  try {
    applySchema(model, kind, 0, version)
    const found = new Set(columnsOf(handle))
    const missing = columnsOf(model).find((column) => !found.has(column))
    return missing === undefined ? null : `The column ${missing} is missing.`
  } finally {
    model.close()
  }
}

/** `table.column` of each table. */
const columnsOf = (handle: DatabaseSync): string[] =>
  handle
    .prepare(
      `SELECT tables.name || '.' || columns.name AS name
       FROM pragma_table_list tables JOIN pragma_table_info(tables.name) columns
       WHERE tables.schema = 'main' AND tables.type IN ('table', 'virtual')`,
    )
    .all()
    .map((row) => text(row, 'name'))

/** Why a file can't be a database, judged by its size; null when it can. */
function whyTooSmall(file: string): string | null {
  if (!isDatabaseThere(file)) return 'The file is gone.'
  const { size } = statSync(file)
  if (size === 0) return 'The file is empty.'
  return size < leastDatabaseBytes ? `The file has ${size} bytes, too few for a database.` : null
}

/**
 * SQLITE_READONLY_ROLLBACK (https://sqlite.org/rescode.html#readonly_rollback): the file has a journal to roll back, and the connection may
 * not do that.
 */
const hasJournal = (thrown: unknown): boolean =>
  thrown instanceof Error && 'errcode' in thrown && thrown.errcode === (8 | (3 << 8))

/**
 * The first fault that SQLite finds, in its words. Uses a connection that could write: a read-only one ignores CHECK constraints and misses
 * rows that violate them. It writes nothing itself, but the last connection that closes checkpoints the log. So for a database with a log,
 * the caller must have another connection open.
 */
export function faultIn(file: string, check: 'quick_check' | 'integrity_check'): string | null {
  const handle = new DatabaseSync(file, { timeout: 5000 })
  try {
    handle.exec('PRAGMA query_only = ON')
    const found = handle.prepare(`PRAGMA ${check}(1)`).get()?.[check]
    return found === 'ok' ? null : String(found).replace(/^\*{3} in database main \*{3}\s*/, '')
  } finally {
    handle.close()
  }
}

/**
 * Undoes the transaction that a killed process left in a rollback journal, as SQLite does at the first connection that may write. Our
 * databases have such a journal only before the write-ahead log is switched on. Another program's journal stays: the database names its
 * owner even when the journal is not applied.
 */
function rollBackJournal(file: string, { applicationId }: DatabaseKind): void {
  if (!existsSync(`${file}-journal`)) return
  const asItIs = pathToFileURL(file)
  asItIs.searchParams.set('immutable', '1')
  const reader = new DatabaseSync(asItIs, { readOnly: true })
  try {
    if (pragma(reader, 'application_id') !== applicationId) return
  } finally {
    reader.close()
  }
  const handle = new DatabaseSync(file, { timeout: patientBusyMs })
  try {
    pragma(handle, 'user_version')
  } finally {
    handle.close()
  }
}

function refuseForeign(file: string, kind: DatabaseKind, checkWhole: boolean): void {
  const found = checkFile(file, kind, checkWhole ? 'pages' : 'head')
  if (found.is === 'newer') throw newer(file, found.version, kind)
  if (found.is === 'foreign') {
    throw new StudioError('store_damaged', `${file} is another program's database. It was not changed.`)
  }
  if (found.is === 'damaged') {
    throw new StudioError(
      'store_damaged',
      `${file} is damaged: ${found.why} It was not changed. The next start of Inference Studio recovers what can be read.`,
    )
  }
}

function migrate(handle: DatabaseSync, kind: DatabaseKind): void {
  const { applicationId, migrations } = kind
  if (pragma(handle, 'user_version') === migrations.length) return
  // Immediate: a second process that opens the file now waits, then finds the migrations applied.
  handle.exec('BEGIN IMMEDIATE')
  try {
    const from = pragma(handle, 'user_version')
    applySchema(handle, kind, from, migrations.length)
    handle.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`)
  } catch (thrown) {
    if (handle.isTransaction) handle.exec('ROLLBACK')
    throw thrown
  }
}

/**
 * Changes the schema from version `from` to version `to`. A new file (`from` is 0) gets the snapshot and the migrations after it. The caller
 * begins the transaction and sets `user_version`.
 */
export function applySchema(
  handle: DatabaseSync,
  { migrations, snapshot }: Pick<DatabaseKind, 'migrations' | 'snapshot'>,
  from: number,
  to: number,
): void {
  const start = from === 0 && snapshot !== undefined && snapshot.version <= to ? snapshot : { version: from, sql: [] }
  handle.exec(start.sql.join('\n'))
  for (const sql of migrations.slice(start.version, to)) handle.exec(sql)
}

function pragma(handle: DatabaseSync, name: 'user_version' | 'application_id' | 'data_version'): number {
  return Number(handle.prepare(`PRAGMA ${name}`).get()?.[name])
}

function wrap(file: string, handle: DatabaseSync, { synchronous, migrations }: DatabaseKind, busyMs: number): Database {
  const begin = handle.prepare('BEGIN IMMEDIATE')
  const commit = handle.prepare('COMMIT')
  const version = handle.prepare('PRAGMA data_version')
  const waitUpTo = (ms: number): void => handle.exec(`PRAGMA busy_timeout = ${ms}`)
  let commits = 0
  /** Whether the last attempt waited for the write lock of another process and did not get it. */
  let isLocked = false
  if (busyMs !== patientBusyMs) waitUpTo(busyMs)

  function take(): void {
    try {
      begin.run()
    } catch (thrown) {
      const code = sqliteCode(thrown)
      if ((code === 5 || code === 6) && !isLocked && busyMs !== patientBusyMs) {
        isLocked = true
        // If each write waited again, this thread would be blocked for as long as the lock lasts.
        waitUpTo(0)
      }
      throw thrown
    }
    if (!isLocked) return
    isLocked = false
    waitUpTo(busyMs)
  }

  function write<T>(work: () => T): T {
    take()
    try {
      const result = work()
      commit.run()
      commits += 1
      return result
    } catch (thrown) {
      if (handle.isTransaction) handle.exec('ROLLBACK')
      throw thrown
    }
  }

  // Sets the number to the same value. SQLite writes the page nevertheless.
  const tryWrite = (): void => write(() => handle.exec(`PRAGMA user_version = ${migrations.length}`))

  function transaction<T>(work: () => T): T {
    if (handle.isTransaction) return work()
    try {
      return write(work)
    } catch (thrown) {
      if (sqliteCode(thrown) !== null && mayPass(thrown))
        refusedWrites.notify(file, asStudioError(asStoreError(thrown, file)), tryWrite)
      throw thrown
    }
  }

  return {
    handle,
    transaction,
    journal(work) {
      if (handle.isTransaction || synchronous === 'NORMAL') return transaction(work)
      handle.exec('PRAGMA synchronous = NORMAL')
      try {
        return transaction(work)
      } finally {
        handle.exec('PRAGMA synchronous = FULL')
      }
    },
    dataVersion: () => Number(version.get()?.data_version),
    commits: () => commits,
    isWritable() {
      if (handle.isTransaction) return true
      try {
        take()
        handle.exec('ROLLBACK')
        return true
      } catch {
        return false
      }
    },
    close() {
      if (!handle.isOpen) return
      try {
        if (handle.isTransaction) handle.exec('ROLLBACK')
        handle.exec('PRAGMA optimize')
        // The last connection checkpoints and deletes -wal and -shm by itself. Beside another connection this still shortens the log.
        handle.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      } catch (thrown) {
        // Committed rows are safe in the log. A lock passes, and the next start recovers a damaged file.
        const code = sqliteCode(thrown)
        if (code !== 5 && code !== 6 && !isDamage(thrown))
          unexpected(`${file} could not be tidied up when it was closed`, asStoreError(thrown, file))
      } finally {
        handle.close()
      }
    },
  }
}
