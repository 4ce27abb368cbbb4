import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { damagedFile } from './database.ts'
import { leastDatabaseBytes } from './databaseFile.ts'
import { folderUser } from './lock.ts'

/** A connection for commands that only read a data folder. */
export interface ReadOnlyDatabase {
  readonly handle: DatabaseSync
  /** Whether another process has written since: open the file again to see that. Never true beside a running core, whose changes are seen at once. */
  isOutdated(): boolean
  /** Whether what was read may be inconsistent, because another process changed the file meanwhile. */
  wasChanged(): boolean
}

/** SQLite's file system layer without locks: https://sqlite.org/vfs.html, 2.1. */
const lockless = process.platform === 'win32' ? 'win32-none' : 'unix-none'

/**
 * Opens a database for reading and leaves every byte and name in its folder as it is, unless a core is running there. An ordinary read-only
 * connection would make or rewrite the write-ahead log's files. The file is there.
 * @param isInUse whether another process writes the file now, where the caller knows
 * @throws what SQLite throws; StudioError `store_damaged` for a file that is too short, which SQLite would take for a new one; as `folderUser`
 */
export function openReadOnly(file: string, isInUse = isWritten(file)): ReadOnlyDatabase {
  if (statSync(file).size < leastDatabaseBytes) throw damagedFile(file)
  const log = `${file}-wal`
  if (isInUse) {
    const handle = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    return { handle, isOutdated: () => false, wasChanged: () => false }
  }
  const states = (): string => `${stateOf(file)} ${stateOf(log)}`
  const before = { file: stateOf(file), log: stateOf(log) }
  const address = pathToFileURL(file)
  if (before.log !== '') {
    // A killed process left its log: it is read too, and folded in by the next start.
    address.search = `vfs=${lockless}`
    const handle = new DatabaseSync(address, { readOnly: true })
    try {
      // Without this, SQLite wants an index of the log that is shared between processes.
      handle.exec('PRAGMA locking_mode = EXCLUSIVE')
    } catch (thrown) {
      handle.close()
      throw thrown
    }
    const isOther = (): boolean => states() !== `${before.file} ${before.log}`
    return { handle, isOutdated: isOther, wasChanged: isOther }
  }
  address.search = 'immutable=1'
  const handle = new DatabaseSync(address, { readOnly: true })
  const wasChanged = (): boolean => stateOf(file) !== before.file
  return { handle, isOutdated: () => stateOf(log) !== '' || wasChanged(), wasChanged }
}

/**
 * Whether another process may be writing the file: a core, or a command such as `apps add`, which holds no lock of the folder. Linux lists
 * all locks of files, by inode; elsewhere a command that writes at this moment is noticed by what it changes.
 */
function isWritten(file: string): boolean {
  if (folderUser(dirname(file)) !== null) return true
  try {
    return readFileSync('/proc/locks', 'latin1').includes(`:${statSync(file, { bigint: true }).ino} `)
  } catch {
    return false
  }
}

/** Changes with every write; empty where there is no file. */
function stateOf(path: string): string {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false })
  return facts ? `${facts.ino}.${facts.size}.${facts.mtimeNs}` : ''
}
