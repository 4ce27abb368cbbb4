import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StudioError } from '../../errors.ts'
import { closeAll } from '../../shared/closeAll.ts'
import { unexpected } from '../../shared/unexpected.ts'
import { type CheckDepth, isDamage, openDatabase } from '../../store/database.ts'
import { isDatabaseThere } from '../../store/databaseFile.ts'
import { isMostlyFree, requestErasing } from '../../store/requestLog/retention.ts'
import { databases, type KnownDatabase } from '../databases.ts'
import { bytesOnDisk } from '../disk.ts'
import { forgetNote, noteDamage, wasNoted } from '../recovery/damageNote.ts'
import { faultOf, type RecoveryOptions, recoverFolder } from '../recovery/recovery.ts'
import { everything, settleSwaps } from '../restore/swap.ts'

/** What there is to do with the files of a folder before they can be used. */
export interface PendingWork {
  /** Why a backup that waited for this start was not put in place. */
  problem: StudioError | null
  how: CheckDepth
  /** Somebody would wait for it: on this thread it would hold everything else up. */
  isLong: boolean
}

/** Bytes of everything in a folder that are checked and mended sooner than a thread starts. */
const shortBytes = 4_000_000

/**
 * First of all, by the owner of the folder: what was laid ready is put in place, and it is seen what is to be done. `endedCleanly` is false after an owner that
 * was killed: every page is read then.
 * @throws StudioError `store_damaged`: what is ready can't be put in place
 */
export function findPendingWork({ dataDir, endedCleanly }: { dataDir: string; endedCleanly: boolean }): PendingWork {
  const problem = settleSwaps(dataDir)
  // First of all: whoever opened a named pipe would wait for ever.
  for (const { pathIn } of databases) isDatabaseThere(pathIn(dataDir))
  const how = wasNoted(dataDir) ? 'everything' : endedCleanly ? 'head' : 'pages'
  const isMore = how !== 'head' || databases.some((database) => needsWork(dataDir, database))
  const isLong = isMore && everything.reduce((sum, name) => sum + bytesOnDisk(join(dataDir, name)), 0) > shortBytes
  return { problem, how, isLong }
}

function needsWork(dataDir: string, database: KnownDatabase): boolean {
  try {
    if (faultOf(dataDir, database, 'head') !== null) return true
    return existsSync(database.pathIn(dataDir)) && isOld(dataDir, database)
  } catch {
    // Said by whoever does the work.
    return true
  }
}

/** Whether a database has to be brought to this version, or is a file of an earlier one that keeps the room of what was erased. */
function isOld(dataDir: string, { name, kind, pathIn }: KnownDatabase): boolean {
  const handle = new DatabaseSync(pathIn(dataDir), { readOnly: true, timeout: 5000 })
  try {
    const version = Number(handle.prepare('PRAGMA user_version').get()?.user_version)
    return version < kind.migrations.length || (name === 'ledger' && isMostlyFree(handle))
  } finally {
    handle.close()
  }
}

/**
 * Makes the files of a folder such that they can be opened at once: what is damaged is set aside and recovered, what is of an earlier version is brought to this one.
 * @throws StudioError `store_newer`, `store_damaged` (another program's file)
 */
export function prepareFiles(parts: RecoveryOptions): void {
  const { dataDir, notify } = parts
  recoverFolder(parts)
  for (const database of databases) {
    if (!existsSync(database.pathIn(dataDir)) || !isOld(dataDir, database)) continue
    notify?.({ stage: 'updating', database: database.name, rows: null })
    const opened = openDatabase(database.pathIn(dataDir), database.kind)
    try {
      if (database.name === 'ledger') releaseSpace(opened)
    } finally {
      opened.close()
    }
  }
}

/** Where the disk has no room for a second copy, the ledger says so when it tries again. */
function releaseSpace(requestLog: Parameters<typeof requestErasing>[0]): void {
  try {
    requestErasing(requestLog).writeAnew()
  } catch (thrown) {
    if (isDamage(thrown)) throw thrown
  }
}

/** The opening of what is ready, one file after another, and how it is given up: what was given to `onFailure` runs then, the last first. */
export function reportOpening(dataDir: string, problem: StudioError | null) {
  const undo: (() => unknown)[] = []
  return {
    /** Why a backup that waited was not put in place. */
    problem,
    onFailure: (one: () => unknown): void => void undo.push(one),
    /** All of them are open: nothing is suspected any more. */
    opened: (): void => forgetNote(dataDir),
    /** The program stands on them, and closes them itself from now on. */
    built: (): void => void undo.splice(0),
    /**
     * For what was thrown by then: all that is open is closed. True where files that looked sound are damaged beyond their first pages: the next opening of the
     * folder reads and mends everything.
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
