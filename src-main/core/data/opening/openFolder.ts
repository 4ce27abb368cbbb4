import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Opening } from '../../../../src-preload/contract/data.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { fileType } from '../../shared/mediaType/fileType.ts'
import { WorkerClient } from '../../shared/workerClient.ts'
import { coreBusyMs } from '../../store/database.ts'
import { asStoreError, isLocked } from '../../store/databaseErrors.ts'
import { type FolderLock, lockFolder } from '../../store/lock.ts'
import { privacyFault } from '../../store/privateFolder.ts'
import { databases, type KnownDatabase } from '../databases.ts'
import { findPendingWork, type OpeningReport, type PendingWork, prepareFiles, reportOpening } from './prepare.ts'
import type { OpeningJob, OpeningProgress } from './worker.ts'

export interface OpeningParts {
  dataDir: string
  log(level: 'info' | 'warn' | 'error', line: string): void
  /** Called before work that takes long, while no file is open. */
  before?: (() => void) | undefined
  /**
   * Reports progress of work that takes long, repeatedly. The work does not finish before the first report has been handled. If a report
   * fails, opening fails.
   */
  opening?: ((work: Opening) => Promise<void> | void) | undefined
  /** Cancels the preparation of the files. It has no effect later. */
  signal?: AbortSignal | undefined
}

export interface OpenFolder {
  lock: FolderLock
  report: OpeningReport
}

/** Delay before progress is shown, ms. */
const progressDelayMs = 250

/** Pause before opening is tried again while another process has a database locked, ms. */
const retryLockedMs = 250
/** How long a caller that shows no progress waits for such a lock, ms. */
const maxLockedMs = 5000

/**
 * Opens a data folder and builds on it. While another process has a database locked, that is reported and tried again until the lock ends
 * or `signal` aborts. A caller without `opening` waits at most `maxLockedMs`.
 * @throws StudioError `folder_in_use`, `store_newer`, `store_damaged`, `database_locked`, `cancelled`; what `build` throws
 */
export async function onFolder<T>(parts: OpeningParts, build: (folder: OpenFolder) => Promise<T> | T): Promise<T> {
  const { dataDir, log, before, opening, signal } = parts
  const until = opening ? Number.POSITIVE_INFINITY : performance.now() + maxLockedMs
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await onUnlockedFolder(parts, build)
    } catch (thrown) {
      if (!isLocked(thrown) || performance.now() > until) throw asStoreError(thrown)
      const database = lockedDatabase(dataDir, thrown)
      if (isFirst) {
        log('warn', `Another program has locked ${database?.file ?? 'a database'}. Waiting until it is free.`)
        before?.()
      }
      // No database is locked any more if the lock ended after the failed attempt.
      if (database) await opening?.({ stage: 'waiting', database: database.name, rows: null })
    }
    await sleep(retryLockedMs, undefined, { signal }).catch((thrown: unknown) => {
      throw new StudioError('cancelled', 'The start was cancelled.', {}, { cause: thrown })
    })
  }
}

/** The database that another process has locked. Null when none is locked any more. */
function lockedDatabase(dataDir: string, thrown: unknown): KnownDatabase | null {
  const { message } = asStudioError(thrown)
  return (
    databases.find(({ pathIn }) => message.startsWith(pathIn(dataDir))) ??
    // The message of a write has no path. Writes begin after all files were checked, so connections that can write are safe here.
    databases.find(({ pathIn }) => !isWritable(pathIn(dataDir))) ??
    null
  )
}

function isWritable(file: string): boolean {
  try {
    const handle = new DatabaseSync(file, { timeout: 0 })
    try {
      handle.exec('BEGIN IMMEDIATE; ROLLBACK')
      return true
    } finally {
      handle.close()
    }
  } catch {
    return false
  }
}

/**
 * Opens a data folder once. Damage beyond the first pages of a file that was closed properly only shows when the page is read.
 * Then all files are checked and recovered, and `build` runs once more.
 */
async function onUnlockedFolder<T>(parts: OpeningParts, build: (folder: OpenFolder) => Promise<T> | T): Promise<T> {
  const folder = await openFolder(parts)
  try {
    return await build(folder)
  } catch (thrown) {
    if (!(await folder.report.failed(thrown))) throw thrown
  }
  const recovered = await openFolder(parts)
  try {
    return await build(recovered)
  } catch (thrown) {
    await recovered.report.failed(thrown)
    throw thrown
  }
}

async function openFolder(parts: OpeningParts): Promise<OpenFolder> {
  const { dataDir, log } = parts
  const lock = lockFolder(dataDir)
  const fault = privacyFault(dataDir)
  if (fault !== null) log('warn', fault)
  try {
    const pending = findPendingWork({ dataDir, endedCleanly: lock.endedCleanlyBefore })
    if (pending.isLong) {
      parts.before?.()
      await prepareInWorker(parts, pending)
    } else prepareFiles({ dataDir, how: pending.how, typeOf: fileType, busyMs: coreBusyMs, log })
    const report = reportOpening(dataDir, pending.problem)
    report.onFailure(lock.release)
    return { lock, report }
  } catch (thrown) {
    // The files of an owner that was killed have not been fully checked, so the next start must check them.
    if (lock.endedCleanlyBefore) lock.release()
    else lock.abandon()
    throw thrown
  }
}

/** Prepares the files on a worker thread, so that this thread can show progress. */
async function prepareInWorker({ dataDir, log, opening, signal }: OpeningParts, { how }: PendingWork): Promise<void> {
  // A failed report ends the opening, like the caller's own signal.
  const failure = new AbortController()
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => failure.abort())
  let last: Opening | null = null
  let isLate = false
  /** The first report, once it has been made. */
  const shown: { first: Promise<void> | null } = { first: null }
  const show = (work: Opening): void => {
    last = work
    if (!isLate) return
    const showing = (async () => opening?.(work))()
    showing.catch(fail)
    shown.first ??= showing
  }
  const delay = setTimeout(() => {
    isLate = true
    if (last) show(last)
  }, progressDelayMs)
  const client = new WorkerClient<OpeningJob, null, OpeningProgress>({
    name: 'opening',
    start: async () => (await import('./worker.ts')).startOpeningWorker(),
    isTerminatedOnAbort: true,
  })
  const onProgress = (message: OpeningProgress): void => {
    if ('line' in message) log(message.level, message.line)
    else show(message.work)
  }
  const signals = signal ? [signal, failure.signal] : [failure.signal]
  try {
    await Promise.race([client.run(() => ({ dataDir, how }), { signal: AbortSignal.any(signals), onProgress }), failed])
    await shown.first
  } finally {
    clearTimeout(delay)
    // The caller opens the files next, so the thread must have closed them.
    await client.terminate()
  }
}
