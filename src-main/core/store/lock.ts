import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { StudioError } from '../errors.ts'
import { sqliteCode } from './database.ts'
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
 * @throws StudioError `folder_in_use`, `store_damaged` where nothing can be written there
 */
export function lockFolder(dataDir: string): FolderLock {
  const noteFile = join(dataDir, 'studio.owner.json')
  const handle = takeLock(dataDir, noteFile)
  const startedAt = new Date().toISOString()
  // Whatever stands in it: somebody had no time to take it away.
  const endedCleanlyBefore = !existsSync(noteFile)
  if (!endedCleanlyBefore) rmSync(noteFile, { recursive: true, force: true })
  const announce = (address: string | null): void =>
    writeFileSync(noteFile, JSON.stringify({ pid: process.pid, startedAt, address }), { mode: 0o600 })
  try {
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

function takeLock(dataDir: string, noteFile: string): DatabaseSync {
  const path = join(dataDir, 'studio.lock')
  for (let isSecond = false; ; isSecond = true) {
    let handle: DatabaseSync | null = null
    try {
      handle = new DatabaseSync(path, { timeout: 0 })
      handle.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
      return handle
    } catch (thrown) {
      handle?.close()
      const by = readNote(noteFile)
      const isTaken = sqliteCode(thrown) === 5
      if (isTaken || (by && isAlive(by.pid))) {
        throw new StudioError('folder_in_use', whoHasIt(dataDir, by), {}, { cause: thrown })
      }
      // It holds nothing: a damaged one is made anew.
      if (isSecond || !isGone(path)) throw unwritable(dataDir, thrown)
    }
  }
}

function isGone(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true })
    return true
  } catch {
    return false
  }
}

function unwritable(dataDir: string, thrown: unknown): StudioError {
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  const words = `Nothing can be written in the data folder ${dataDir}: ${why}. Give this user the right to write there, or free some space; nothing was changed.`
  return new StudioError('store_damaged', words, {}, { cause: thrown })
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
