import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BackupSummary, Counts, DataWork } from '../../../../src-preload/contract/data.ts'
import { type KeepRules, keepRules } from '../../../../src-preload/contract/keepRules.ts'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import type { Parts } from '../dependencies.ts'
import { usageError } from '../failure.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, printJson, say, tell, writeOutput } from '../output.ts'
import { ownError } from '../ownWords.ts'
import { openProgress } from '../progress.ts'
import { type Interrupt, listenForInterrupt } from '../signals.ts'
import { fileToRead, fileToWrite } from '../userFile.ts'

interface BackupOptions {
  force: boolean
  /** Folder for a compressed backup with a name of its own, for schedules. */
  to?: string
  /** Which backups of that folder stay, such as `daily=7,weekly=4`. */
  keep?: string
  dataDir?: string
  json: boolean
}

/** What the work of a backup needs from the command. */
interface Work {
  signal: AbortSignal
  progress(work: DataWork): void
  /** Removes the bar of the progress, before a question. */
  pause(): void
}

/**
 * `backup`: writes the data folder to one tar file, consistent even while a studio runs.
 * Uses no API key, no keychain and no network.
 */
export async function backup(file: string | undefined, options: BackupOptions, parts: Parts): Promise<number> {
  mustFit(file, options)
  const { to, json } = options
  const dataDir = findDataDir(options.dataDir)
  const data = await parts.openData()
  if (to !== undefined) {
    const folder = { folder: resolve(to), keep: options.keep === undefined ? null : readKeepRules(options.keep) }
    const { path, summary, deleted } = await withWork(({ signal, progress }) =>
      data.backupTo({ dataDir, signal, progress, ...folder }),
    )
    if (json) printJson({ file: path, ...summary, deleted: deleted.map((one) => one.path) })
    else {
      sayWritten(path, summary)
      for (const one of deleted) say(t('backup.deleted', { path: one.path }))
    }
    return exitCodes.ok
  }
  const path = file === '-' ? null : await pathFor(file ?? data.nameFor(new Date()), dataDir, options)
  // Copies the bytes: their buffer is reused once the sink resolves.
  const target = path === null ? { sink: (bytes: Uint8Array) => writeOutput(Buffer.from(bytes)) } : { path }
  const summary = await withWork(({ signal, progress }) => data.backup({ dataDir, target, signal, progress }))
  if (path === null) tell('info', t('backup.complete'))
  else if (json) printJson({ file: path, ...summary })
  else sayWritten(path, summary)
  return exitCodes.ok
}

const sayWritten = (path: string, { counts }: BackupSummary): void =>
  say(t('backup.written', { path, contents: countText(counts) }))

/** Runs long work that shows its progress and that an end signal cancels. */
export async function withWork<T>(use: (work: Work, interrupt: Interrupt) => Promise<T>): Promise<T> {
  const interrupt = listenForInterrupt()
  const shown = openProgress()
  const progress = ({ stage, done, total }: DataWork): void => shown.show(t(`backup.stage.${stage}`), done, total)
  try {
    return await use({ signal: interrupt.signal, progress, pause: shown.end }, interrupt)
  } finally {
    shown.end()
    interrupt.release()
  }
}

/** @throws CommanderError for options that don't fit together */
function mustFit(file: string | undefined, { to, keep, json }: BackupOptions): void {
  if (keep !== undefined && to === undefined) throw usageError(t('backup.keepNeedsTo'))
  if (file !== undefined && to !== undefined) throw usageError(t('backup.fileOrTo'))
  if (file === '-' && process.stdout.isTTY) throw usageError(t('backup.binary'))
  if (file === '-' && json) throw usageError(t('backup.noJson'))
}

/** Reads `daily=7,weekly=4`. @throws CommanderError */
function readKeepRules(text: string): KeepRules {
  const pairs = text.split(',').map((part) => {
    const [, name = '', count = ''] = /^\s*([a-z]+)=(\d{1,4})\s*$/.exec(part) ?? []
    return [name, Number(count)] as const
  })
  const read = keepRules.safeParse(Object.fromEntries(pairs))
  const isTwice = new Set(pairs.map(([name]) => name)).size < pairs.length
  if (read.success && !isTwice && pairs.some(([, count]) => count > 0)) return read.data
  throw usageError(t('backup.keep', { text: text.slice(0, 60) }))
}

/** The file to write. @throws StudioError `bad_input` */
async function pathFor(file: string, dataDir: string, { force }: BackupOptions): Promise<string> {
  const path = await fileToWrite(file, { orOutput: true, overwrite: force })
  if (existsSync(dataDir) && path.startsWith(join(realpathSync(dataDir), '/'))) {
    throw ownError('bad_input', t('backup.inside'))
  }
  return path
}

/** `backup verify`: checks a backup as a restore does. Changes no data. */
export async function verifyBackup(given: string, { json }: { json: boolean }, parts: Parts): Promise<number> {
  const path = await fileToRead(given)
  const data = await parts.openData()
  const summary = await withWork(({ signal, progress }) => data.verify({ path, signal, progress }))
  if (json) printJson({ file: path, ...summary })
  else say(t('backup.verified', { path, at: summary.madeAt, contents: countText(summary.counts) }))
  return exitCodes.ok
}

export const countText = (counts: Counts): string =>
  counts.length === 0
    ? t('backup.nothing')
    : counts.map(({ thing, count }) => t(`backup.things.${thing}`, { count })).join(', ')
