import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BackupSummary, Counts, DataWork } from '../../../../src-preload/contract/data.ts'
import { type KeepRules, keepRules } from '../../../../src-preload/contract/keepRules.ts'
import { StudioError } from '../../../core/errors.ts'
import type { Parts } from '../dependencies.ts'
import { usageError } from '../failure.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, log, printJson, say, writeOutput } from '../output.ts'
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
      for (const one of deleted) say(`Deleted ${one.path}, which no rule keeps.`)
    }
    return exitCodes.ok
  }
  const path = file === '-' ? null : await pathFor(file ?? data.nameFor(new Date()), dataDir, options)
  // Copies the bytes: their buffer is reused once the sink resolves.
  const target = path === null ? { sink: (bytes: Uint8Array) => writeOutput(Buffer.from(bytes)) } : { path }
  const summary = await withWork(({ signal, progress }) => data.backup({ dataDir, target, signal, progress }))
  if (path === null) log('info', 'The backup is complete.')
  else if (json) printJson({ file: path, ...summary })
  else sayWritten(path, summary)
  return exitCodes.ok
}

const sayWritten = (path: string, { counts }: BackupSummary): void =>
  say(`Wrote ${path}: ${countText(counts)}. API keys are not included.`)

/** Runs long work that shows its progress and that an end signal cancels. */
export async function withWork<T>(use: (work: Work, interrupt: Interrupt) => Promise<T>): Promise<T> {
  const interrupt = listenForInterrupt()
  const shown = openProgress()
  const progress = ({ stage, done, total }: DataWork): void => shown.show(stages[stage], done, total)
  try {
    return await use({ signal: interrupt.signal, progress, pause: shown.end }, interrupt)
  } finally {
    shown.end()
    interrupt.release()
  }
}

/** @throws CommanderError for options that don't fit together */
function mustFit(file: string | undefined, { to, keep, json }: BackupOptions): void {
  if (keep !== undefined && to === undefined) throw usageError('--keep needs --to, the folder of the backups.')
  if (file !== undefined && to !== undefined) throw usageError('Name a file or --to, not both.')
  if (file === '-' && process.stdout.isTTY)
    throw usageError('A tar file is binary. Name a file, or pipe the output to a program.')
  if (file === '-' && json) throw usageError('--json prints lines, and a tar file has none. Name a file.')
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
  throw usageError(
    `--keep: “${text.slice(0, 60)}” is not understood. Write rules such as daily=7,weekly=4. The names are last, daily, weekly, monthly and yearly, each with a number from 0 to 1000, and one of them above 0.`,
  )
}

/** The file to write. @throws StudioError `bad_input` */
async function pathFor(file: string, dataDir: string, { force }: BackupOptions): Promise<string> {
  const path = await fileToWrite(file, { otherwise: 'or - for standard output', overwrite: force })
  if (existsSync(dataDir) && path.startsWith(join(realpathSync(dataDir), '/'))) {
    throw new StudioError('bad_input', 'The backup can’t be inside the data folder. Choose a place outside it.')
  }
  return path
}

/** `backup verify`: checks a backup as a restore does. Changes no data. */
export async function verifyBackup(given: string, { json }: { json: boolean }, parts: Parts): Promise<number> {
  const path = await fileToRead(given)
  const data = await parts.openData()
  const summary = await withWork(({ signal, progress }) => data.verify({ path, signal, progress }))
  if (json) printJson({ file: path, ...summary })
  else say(`${path} is a complete backup of ${summary.madeAt}: ${countText(summary.counts)}.`)
  return exitCodes.ok
}

/** What each stage of a backup and of its check does. */
const stages: Readonly<Record<DataWork['stage'], string>> = {
  databases: 'Copying the databases',
  files: 'Copying the files',
  packing: 'Writing the backup',
  checking: 'Checking the backup',
  staging: 'Unpacking the backup',
}

/** Singular and plural. */
const names: Record<Counts[number]['thing'], readonly [string, string]> = {
  conversations: ['conversation', 'conversations'],
  messages: ['message', 'messages'],
  media: ['media file', 'media files'],
  speeches: ['speech clip', 'speech clips'],
  recordings: ['recording', 'recordings'],
  transcripts: ['transcript', 'transcripts'],
  images: ['image', 'images'],
  library: ['library item', 'library items'],
  tools: ['app or tool', 'apps and tools'],
  connections: ['connection', 'connections'],
  settings: ['setting', 'settings'],
  requests: ['request', 'requests'],
  sums: ['daily total', 'daily totals'],
  bodies: ['stored body', 'stored bodies'],
  accounts: ['account record', 'account records'],
  other: ['internal record', 'internal records'],
}

export const countText = (counts: Counts): string =>
  counts.length === 0
    ? 'nothing'
    : counts.map(({ thing, count }) => `${count} ${names[thing][count === 1 ? 0 : 1]}`).join(', ')
