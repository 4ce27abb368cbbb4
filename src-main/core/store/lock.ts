import { readFileSync, rmSync, writeFileSync } from 'node:fs'
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
}

/**
 * Makes this process the one owner of a data folder, until `release` or its death: an exclusive lock of SQLite on a file
 * of its own, which the operating system frees with the process, also on kill -9. So no stale lock can be left behind.
 * @throws StudioError `folder_in_use`
 */
export function lockFolder(dataDir: string): FolderLock {
  const noteFile = join(dataDir, 'studio.owner.json')
  const handle = new DatabaseSync(join(dataDir, 'studio.lock'), { timeout: 0 })
  try {
    handle.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (thrown) {
    handle.close()
    if (sqliteCode(thrown) !== 5) throw thrown
    throw new StudioError('folder_in_use', whoHasIt(dataDir, readNote(noteFile)), {}, { cause: thrown })
  }
  const startedAt = new Date().toISOString()
  const endedCleanlyBefore = readNote(noteFile) === null
  const announce = (address: string | null): void =>
    writeFileSync(noteFile, JSON.stringify({ pid: process.pid, startedAt, address }), { mode: 0o600 })
  announce(null)
  return {
    endedCleanlyBefore,
    announce,
    release() {
      rmSync(noteFile, { force: true })
      handle.close()
    },
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
