import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StudioError } from '../../errors.ts'
import { closeAll } from '../../shared/closeAll.ts'
import { unexpected } from '../../shared/unexpected.ts'
import { type CheckDepth, coreBusyMs, openDatabase, patientBusyMs } from '../../store/database.ts'
import { isDamage, isLocked } from '../../store/databaseErrors.ts'
import { isDatabaseThere } from '../../store/databaseFile.ts'
import { isMostlyFree, requestErasing } from '../../store/requestLog/retention.ts'
import { databases, type KnownDatabase } from '../databases.ts'
import { bytesOnDisk } from '../disk.ts'
import { eraseOrdered } from '../eraseEverything.ts'
import { forgetNote, noteDamage, wasNoted } from '../recovery/damageNote.ts'
import { faultOf, type RecoveryOptions, recoverFolder } from '../recovery/recovery.ts'
import { everything, settleSwaps } from '../restore/swap.ts'

/** Work on the files of a folder that must be done before they can be used. */
export interface PendingWork {
  /** Why a scheduled restore failed; null when none failed. */
  problem: StudioError | null
  how: CheckDepth
  /** Whether the work would noticeably block this thread. */
  isLong: boolean
}

/** Folders up to this size, in bytes, are checked and recovered faster than a worker thread starts. */
const shortBytes = 4_000_000

/**
 * The first step of opening, for the owner of the folder. Completes an ordered deletion and a scheduled restore, and determines the
 * remaining work. After an owner that was killed (`endedCleanly` is false), every page must be read.
 * @throws StudioError `store_damaged` when a scheduled restore cannot be completed, `database_locked`
 */
export function findPendingWork({ dataDir, endedCleanly }: { dataDir: string; endedCleanly: boolean }): PendingWork {
  eraseOrdered(dataDir)
  const problem = settleSwaps(dataDir)
  // First, because opening a named pipe would block forever.
  for (const { pathIn } of databases) isDatabaseThere(pathIn(dataDir))
  const how = wasNoted(dataDir) ? 'everything' : endedCleanly ? 'head' : 'pages'
  const isMore = how !== 'head' || databases.some((database) => needsWork(dataDir, database))
  const isLong = isMore && everything.reduce((sum, name) => sum + bytesOnDisk(join(dataDir, name)), 0) > shortBytes
  return { problem, how, isLong }
}

function needsWork(dataDir: string, database: KnownDatabase): boolean {
  try {
    if (faultOf(dataDir, database, 'head', coreBusyMs) !== null) return true
    return existsSync(database.pathIn(dataDir)) && isOld(dataDir, database, coreBusyMs)
  } catch (thrown) {
    if (isLocked(thrown)) throw thrown
    // prepareFiles reports this error.
    return true
  }
}

/** Whether a database must be migrated, or is an older file that still uses the space of deleted rows. */
function isOld(dataDir: string, { name, kind, pathIn }: KnownDatabase, busyMs: number): boolean {
  const handle = new DatabaseSync(pathIn(dataDir), { readOnly: true, timeout: busyMs })
  try {
    const version = Number(handle.prepare('PRAGMA user_version').get()?.user_version)
    return version < kind.migrations.length || (name === 'ledger' && isMostlyFree(handle))
  } finally {
    handle.close()
  }
}

/**
 * Prepares the files of a folder so that they can be opened at once: recovers damaged databases and migrates older ones.
 * @throws StudioError `store_newer`, `store_damaged` (another program's file), `database_locked`
 */
export function prepareFiles(parts: RecoveryOptions): void {
  const { dataDir, busyMs = patientBusyMs, notify } = parts
  recoverFolder(parts)
  for (const database of databases) {
    if (!existsSync(database.pathIn(dataDir)) || !isOld(dataDir, database, busyMs)) continue
    notify?.({ stage: 'updating', database: database.name, rows: null })
    const opened = openDatabase(database.pathIn(dataDir), database.kind, { busyMs })
    try {
      if (database.name === 'ledger') releaseSpace(opened)
    } finally {
      opened.close()
    }
  }
}

/** Without space for a second copy, the request log reports the failure when it tries again. */
function releaseSpace(requestLog: Parameters<typeof requestErasing>[0]): void {
  try {
    requestErasing(requestLog).writeAnew()
  } catch (thrown) {
    if (isDamage(thrown)) throw thrown
  }
}

/** Tracks the opening of the prepared files and how to undo it: callbacks given to `onFailure` run in reverse order when opening fails. */
export function reportOpening(dataDir: string, problem: StudioError | null) {
  const undo: (() => unknown)[] = []
  return {
    /** Why a scheduled restore failed; null when none failed. */
    problem,
    onFailure: (one: () => unknown): void => void undo.push(one),
    /** All files are open, so none is suspected of damage any more. */
    opened: (): void => forgetNote(dataDir),
    /** The program is built. From now on it closes the files itself. */
    built: (): void => void undo.splice(0),
    /**
     * Closes all that is open after an error. Returns true when files that seemed sound are damaged beyond their first pages: the next
     * opening of the folder then checks and recovers everything.
     */
    async failed(thrown: unknown): Promise<boolean> {
      if (isDamage(thrown)) noteDamage(dataDir, String(thrown))
      // The folder lock is the last of them: it must be released although another part can't be closed.
      await closeAll(undo.splice(0).reverse()).catch(({ errors }: AggregateError) => {
        for (const failure of errors) unexpected('A part could not be closed', failure)
      })
      return isDamage(thrown)
    },
  }
}
export type OpeningReport = ReturnType<typeof reportOpening>
