import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { StudioError } from '../errors.ts'
import { codeOf, diskProblem, sqliteCode } from '../shared/diskProblem.ts'
import { claimFolder } from './dataFolder.ts'
import { parseJson } from './rows.ts'

/** The owner of the folder, for the message that a second owner gets. It is only a note: the lock is the operating system's. */
const owner = z.object({ pid: z.number(), startedAt: z.string(), address: z.string().nullable() })

export interface FolderLock {
  /** False when the previous owner was killed: its note still existed. */
  readonly endedCleanlyBefore: boolean
  /** Stores the address of this owner for the message that a second owner gets. */
  announce: (address: string | null) => void
  release: () => void
  /** Releases the folder like a killed owner, so that the next one reads every page. For an owner that has not checked the files itself. */
  abandon: () => void
}

/**
 * Makes this process the only owner of a data folder, until `release` or its death. The lock is SQLite's exclusive lock on a file of its
 * own, which the operating system releases with the process, even on kill -9. So there are no stale locks. Claims the folder first
 * (dataFolder.ts), so nothing is ever written into a folder of another program.
 * @throws StudioError `folder_in_use`; as `claimFolder`; `disk_full`, `not_writable` when the folder can't be written
 */
export function lockFolder(dataDir: string): FolderLock {
  claimFolder(dataDir)
  const noteFile = join(dataDir, 'studio.owner.json')
  const handle = takeLock(dataDir, noteFile)
  const startedAt = new Date().toISOString()
  // The note's content does not matter. If the file exists, its owner was killed before deleting it.
  const endedCleanlyBefore = !existsSync(noteFile)
  const announce = (address: string | null): void =>
    writeFileSync(noteFile, JSON.stringify({ pid: process.pid, startedAt, address }), { mode: 0o600 })
  try {
    if (!endedCleanlyBefore) remove(noteFile)
    announce(null)
  } catch (thrown) {
    handle.close()
    throw unwritable(dataDir, thrown)
  }
  return {
    endedCleanlyBefore,
    announce,
    release() {
      rmSync(noteFile, { force: true })
      handle.close()
    },
    abandon: () => handle.close(),
  }
}

const lockFile = (dataDir: string): string => join(dataDir, 'studio.lock')

/** How long a start waits for another process's `folderUser`, which takes the lock for an instant, ms. */
const lockWaitMs = 100

/**
 * The process that owns a data folder now, as the problem `folder_in_use`; null when none does. Changes nothing in the folder.
 * @throws StudioError `not_writable`, `too_many_open_files` when the lock can't be examined
 */
export function folderUser(dataDir: string): StudioError | null {
  const path = lockFile(dataDir)
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return null
    const handle = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    try {
      handle.prepare('SELECT count(*) FROM sqlite_schema').get()
    } finally {
      handle.close()
    }
  } catch (thrown) {
    const code = sqliteCode(thrown)
    if (code === 5) return inUse(dataDir, thrown)
    // The next owner replaces a damaged lock file. No process holds it.
    if (code !== 11 && code !== 26) throw unwritable(dataDir, thrown)
  }
  return null
}

function takeLock(dataDir: string, noteFile: string): DatabaseSync {
  const path = lockFile(dataDir)
  for (let isSecond = false; ; isSecond = true) {
    let handle: DatabaseSync | null = null
    try {
      createLockFile(path)
      handle = new DatabaseSync(path, { timeout: lockWaitMs })
      handle.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
      return handle
    } catch (thrown) {
      handle?.close()
      const by = readNote(noteFile)
      const isTaken = sqliteCode(thrown) === 5
      if (isTaken || (by && isAlive(by.pid))) throw inUse(dataDir, thrown)
      // The lock file has no content, so a damaged one is replaced.
      if (isSecond || !isGone(path)) throw unwritable(dataDir, thrown)
    }
  }
}

/** SQLite would create the file for all users to read, and a reader's lock would prevent every start. */
function createLockFile(path: string): void {
  try {
    // An existing file must not be opened: closing its descriptor would drop the lock that this process may hold on it.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown
  }
}

function inUse(dataDir: string, thrown: unknown): StudioError {
  const by = readNote(join(dataDir, 'studio.owner.json'))
  return new StudioError('folder_in_use', whoHasIt(dataDir, by), {}, { cause: thrown })
}

function isGone(path: string): boolean {
  try {
    remove(path)
    return true
  } catch {
    return false
  }
}

/** Deletes a file, or an empty folder of that name. A folder with files is not ours to delete. */
function remove(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(path)
  else rmSync(path, { force: true })
}

function unwritable(dataDir: string, thrown: unknown): StudioError {
  const known = diskProblem(thrown, `The data folder ${dataDir}`, lockFile(dataDir))
  if (known) return known
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  const message = `The data folder ${dataDir} can't be written: ${why}. Nothing was changed.`
  return new StudioError('not_writable', message, {}, { cause: thrown })
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}

function readNote(file: string): z.infer<typeof owner> | null {
  try {
    return owner.safeParse(parseJson(readFileSync(file, 'utf8'))).data ?? null
  } catch {
    // The note does not exist or can't be read, so the message names no owner.
    return null
  }
}

function whoHasIt(dataDir: string, by: z.infer<typeof owner> | null): string {
  if (by && (by.pid === process.pid || isAlive(by.pid))) {
    const who = `Process ${by.pid}${by.address ? ` (${by.address})` : ''}, running since ${by.startedAt},`
    return `${who} already uses the data folder ${dataDir}. End it first, or choose another folder.`
  }
  // A start that has not written its note yet, a process that this one can't see, or a program of somebody else.
  return `Another process holds a lock on ${lockFile(dataDir)}. If no Inference Studio uses this folder, also not in a container, delete that file, which has no content, and start again.`
}
