import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { DatabaseKind } from './database.ts'
import { asStoreError, damagedFile, newer } from './databaseErrors.ts'
import { isDatabaseThere, leastDatabaseBytes } from './databaseFile.ts'
import { folderUser } from './lock.ts'

/** The part of a prepared statement that reads. */
export type ReadStatement = Pick<StatementSync, 'all' | 'get' | 'iterate' | 'setReturnArrays'>

/**
 * The part of a connection that reads: it has neither `exec` nor statements with `run`, so code that was given one cannot write by
 * mistake. A read-write connection has this type too.
 */
export interface ReadHandle {
  prepare(sql: string): ReadStatement
}

/** A connection for commands that only read a data folder. */
export interface ReadOnlyDatabase {
  readonly handle: ReadHandle
  /** `PRAGMA user_version`: how many migrations the file has had. */
  readonly version: number
  /** Writes a compact copy to a path that does not exist yet. */
  copyTo(path: string): void
  close(): void
  /**
   * Whether another process has written since. Open the file again to see its changes. Never true beside a running core, whose changes are
   * visible at once.
   */
  isOutdated(): boolean
  /** Whether the data that was read may be inconsistent, because another process changed the file during the read. */
  wasChanged(): boolean
}

/** SQLite's file system layer without locks: https://sqlite.org/vfs.html, 2.1. */
const lockless = process.platform === 'win32' ? 'win32-none' : 'unix-none'

/**
 * Opens an existing database for reading, and changes no file or name in its folder unless a core is running there. An ordinary read-only
 * connection would create or rewrite the files of the write-ahead log.
 * @param isInUse whether another process writes the file now, if the caller knows
 * @throws what SQLite throws; StudioError `store_damaged` for a file that is so short that SQLite would treat it as new; as `folderUser`
 */
export function openReadOnly(file: string, isInUse = isWritten(file)): ReadOnlyDatabase {
  if (statSync(file).size < leastDatabaseBytes) throw damagedFile(file)
  const log = `${file}-wal`
  if (isInUse) {
    const handle = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    return readOnly(handle, { isOutdated: () => false, wasChanged: () => false })
  }
  const states = (): string => `${stateOf(file)} ${stateOf(log)}`
  const before = { file: stateOf(file), log: stateOf(log) }
  const address = pathToFileURL(file)
  if (before.log !== '') {
    // A killed process left its log. It is read too, and the next start checkpoints it.
    address.search = `vfs=${lockless}`
    const handle = new DatabaseSync(address, { readOnly: true })
    try {
      // Without this, SQLite requires an index of the log that is shared between processes.
      handle.exec('PRAGMA locking_mode = EXCLUSIVE')
    } catch (thrown) {
      handle.close()
      throw thrown
    }
    const isOther = (): boolean => states() !== `${before.file} ${before.log}`
    return readOnly(handle, { isOutdated: isOther, wasChanged: isOther })
  }
  address.search = 'immutable=1'
  const handle = new DatabaseSync(address, { readOnly: true })
  const wasChanged = (): boolean => stateOf(file) !== before.file
  return readOnly(handle, { isOutdated: () => stateOf(log) !== '' || wasChanged(), wasChanged })
}

function readOnly(
  handle: DatabaseSync,
  changes: Pick<ReadOnlyDatabase, 'isOutdated' | 'wasChanged'>,
): ReadOnlyDatabase {
  try {
    return {
      handle,
      version: Number(handle.prepare('PRAGMA user_version').get()?.user_version),
      copyTo: (path) => void handle.prepare('VACUUM INTO ?').run(path),
      close: () => handle.close(),
      ...changes,
    }
  } catch (thrown) {
    handle.close()
    throw thrown
  }
}

interface KindOptions {
  /** Whether another process writes the file now, as for `openReadOnly`. */
  isInUse: true | undefined
  /** Called for a file of an older version, which only a core may migrate. Throws, or returns null. */
  whenOlder(): null
}

/**
 * Opens one of our databases for reading and builds readers on it. Null when the file does not exist.
 * @throws StudioError `store_newer`, `store_damaged`; what `whenOlder` throws
 */
export function readDatabase<T>(
  file: string,
  kind: DatabaseKind,
  { isInUse, whenOlder }: KindOptions,
  build: (database: ReadOnlyDatabase) => T,
): T | null {
  try {
    if (!isDatabaseThere(file)) return null
    const database = openReadOnly(file, isInUse)
    let result: T | null = null
    try {
      if (database.version > kind.migrations.length) throw newer(file, database.version, kind)
      result = database.version < kind.migrations.length ? whenOlder() : build(database)
      return result
    } finally {
      if (result === null) database.close()
    }
  } catch (thrown) {
    throw asStoreError(thrown, file)
  }
}

/**
 * Whether another process may be writing the file: a core, or a command such as `apps add`, which does not lock the folder. Linux lists all
 * locks of files, by inode. On other systems, a command that writes at this moment is noticed by its changes.
 */
function isWritten(file: string): boolean {
  if (folderUser(dirname(file)) !== null) return true
  try {
    return readFileSync('/proc/locks', 'latin1').includes(`:${statSync(file, { bigint: true }).ino} `)
  } catch {
    return false
  }
}

/** A text that changes with every write; empty when the file does not exist. */
function stateOf(path: string): string {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false })
  return facts ? `${facts.ino}.${facts.size}.${facts.mtimeNs}` : ''
}
