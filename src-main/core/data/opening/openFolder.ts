import type { Opening } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../errors.ts'
import { fileType } from '../../shared/mediaType/fileType.ts'
import { type FolderLock, lockFolder } from '../../store/lock.ts'
import { findPendingWork, type OpeningReport, type PendingWork, prepareFiles, reportOpening } from './prepare.ts'
import type { OpeningMessage } from './worker.ts'

export interface OpeningParts {
  dataDir: string
  log(level: 'info' | 'warn' | 'error', line: string): void
  /** Before anything that takes long, while nobody has a file open. */
  before?: (() => void) | undefined
  /** Told what takes long, again and again; the work and its end wait for the first answer. A failure gives the opening up. */
  opening?: ((work: Opening) => Promise<void> | void) | undefined
  /** Ends it while the files are made ready; later it does nothing. */
  signal?: AbortSignal | undefined
}

export interface OpenFolder {
  lock: FolderLock
  kept: OpeningReport
}

/** ms. What is over by then nobody was kept waiting by. */
const patienceMs = 250

/**
 * Opens a data folder and builds on it. Damage beyond the first pages of a file that was closed in order shows only where somebody reads it: then everything is
 * read and mended, and it is built once more.
 * @throws StudioError `folder_in_use`, `store_newer`, `store_damaged`, `cancelled`; what `build` throws
 */
export async function onFolder<T>(parts: OpeningParts, build: (folder: OpenFolder) => Promise<T> | T): Promise<T> {
  const folder = await openFolder(parts)
  try {
    return await build(folder)
  } catch (thrown) {
    if (!(await folder.kept.failed(thrown))) throw thrown
  }
  const mended = await openFolder(parts)
  try {
    return await build(mended)
  } catch (thrown) {
    await mended.kept.failed(thrown)
    throw thrown
  }
}

async function openFolder(parts: OpeningParts): Promise<OpenFolder> {
  const { dataDir, log } = parts
  const lock = lockFolder(dataDir)
  try {
    const ahead = findPendingWork({ dataDir, endedCleanly: lock.endedCleanlyBefore })
    if (ahead.isLong) {
      parts.before?.()
      await readyBeside(parts, ahead)
    } else prepareFiles({ dataDir, how: ahead.how, typeOf: fileType, log })
    const kept = reportOpening(dataDir, ahead.problem)
    kept.onFailure(lock.release)
    return { lock, kept }
  } catch (thrown) {
    // What a killed owner left was not read whole: whoever comes next has to.
    if (lock.endedCleanlyBefore) lock.release()
    else lock.abandon()
    throw thrown
  }
}

/** On a thread of its own, so that this one can say what is being done. */
async function readyBeside({ dataDir, log, opening, signal }: OpeningParts, { how }: PendingWork): Promise<void> {
  const { startThread } = await import('./worker.ts')
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  const giveUp = (): void => reject(new StudioError('cancelled', 'It was ended while the data was made ready.'))
  if (signal?.aborted) giveUp()
  signal?.addEventListener('abort', giveUp)
  let last: Opening | null = null
  let isLate = false
  /** Whoever shows it stands; null before that. */
  const shown: { first: Promise<void> | null } = { first: null }
  const show = (work: Opening): void => {
    last = work
    if (!isLate) return
    const reported = (async () => opening?.(work))()
    reported.catch(reject)
    shown.first ??= reported
  }
  const patience = setTimeout(() => {
    isLate = true
    if (last) show(last)
  }, patienceMs)
  const worker = startThread({ dataDir, how })
  worker.on('message', (said: OpeningMessage) => {
    if ('line' in said) log(said.level, said.line)
    else if ('problem' in said) reject(new StudioError(said.problem.kind, said.problem.message))
    else if ('ready' in said) resolve()
    else show(said.work)
  })
  worker.on('error', reject)
  worker.on('exit', () => reject(new StudioError('bug', 'The thread that makes the data ready ended without a word.')))
  try {
    await ready
    await shown.first
  } finally {
    clearTimeout(patience)
    signal?.removeEventListener('abort', giveUp)
    // Whoever goes on opens the files: nothing of it may be left.
    await worker.terminate()
  }
}
