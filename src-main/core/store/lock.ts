import { existsSync, lstatSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { StudioError } from '../errors.ts'
import { diskProblem, sqliteCode } from '../shared/diskProblem.ts'
import { claimFolder } from './dataFolder.ts'
import { parseJson } from './rows.ts'

/** Who owns the folder, for the words that a second owner gets. It is no lock: the lock is the operating system's. */
const owner = z.object({ pid: z.number(), startedAt: z.string(), address: z.string().nullable() })

export interface FolderLock {
  /** False when the owner before us was killed: its note was still there. */
  readonly endedCleanlyBefore: boolean
  /** Tells where this owner can be reached, for whoever comes second. */
  announce: (address: string | null) => void
  release: () => void
  /** Frees the folder as a killed owner would: the next one reads every page. For whoever had not come to do that. */
  abandon: () => void
}

/**
 * Makes this process the one owner of a data folder, until `release` or its death: an exclusive lock of SQLite on a file
 * of its own, which the operating system frees with the process, also on kill -9. So no stale lock can be left behind.
 * Makes the folder ours first (dataFolder.ts), so nothing is ever written into a folder of somebody else.
 * @throws StudioError `folder_in_use`; as `claimFolder`; `disk_full`, `not_writable` where nothing can be written there
 */
export function lockFolder(dataDir: string): FolderLock {
  claimFolder(dataDir)
  const noteFile = join(dataDir, 'studio.owner.json')
  const handle = takeLock(dataDir, noteFile)
  const startedAt = new Date().toISOString()
  // Whatever stands in it: somebody had no time to take it away.
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

/** How long a start waits for a `folderUser` of another process, which holds the lock for an instant, ms. */
const lockWaitMs = 100

/**
 * Which process owns a data folder now, as the problem `folder_in_use`; null where none does. Changes nothing in the folder.
 * @throws StudioError `not_writable`, `too_many_open_files` where the lock can't be looked at
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
    // A damaged lock is made anew by the next owner; nobody holds it.
    if (code !== 11 && code !== 26) throw unwritable(dataDir, thrown)
  }
  return null
}

function takeLock(dataDir: string, noteFile: string): DatabaseSync {
  const path = lockFile(dataDir)
  for (let isSecond = false; ; isSecond = true) {
    let handle: DatabaseSync | null = null
    try {
      handle = new DatabaseSync(path, { timeout: lockWaitMs })
      handle.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
      return handle
    } catch (thrown) {
      handle?.close()
      const by = readNote(noteFile)
      const isTaken = sqliteCode(thrown) === 5
      if (isTaken || (by && isAlive(by.pid))) throw inUse(dataDir, thrown)
      // It holds nothing: a damaged one is made anew.
      if (isSecond || !isGone(path)) throw unwritable(dataDir, thrown)
    }
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

/** A file, or an empty folder under its name: what somebody put into a folder is not ours to delete. */
function remove(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(path)
  else rmSync(path, { force: true })
}

function unwritable(dataDir: string, thrown: unknown): StudioError {
  const known = diskProblem(thrown, `The data folder ${dataDir}`, lockFile(dataDir))
  if (known) return known
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  const words = `The data folder ${dataDir} can't be written: ${why}. Nothing was changed.`
  return new StudioError('not_writable', words, {}, { cause: thrown })
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
    // Not there, or not readable for us: then nobody is named.
    return null
  }
}

function whoHasIt(dataDir: string, by: z.infer<typeof owner> | null): string {
  const who = by
    ? `Process ${by.pid}${by.address ? ` (${by.address})` : ''}, running since ${by.startedAt},`
    : 'Another process'
  return `${who} already uses the data folder ${dataDir}. End it first, or give another folder.`
}
