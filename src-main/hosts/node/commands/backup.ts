import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BackupSummary, Counts } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../../core/errors.ts'
import type { Parts } from '../dependencies.ts'
import { usageError } from '../failure.ts'
import { findDataDir } from '../folder.ts'
import { backupsToDelete, type KeepRule, readKeepRule } from '../keepBackups.ts'
import { exitCodes, log, printJson, say, writeOutput } from '../output.ts'
import { openProgress } from '../progress.ts'
import { listenForInterrupt } from '../signals.ts'
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

/**
 * `backup`: writes the data folder to one tar file, consistent even while a studio runs.
 * Uses no API key, no keychain and no network.
 */
export async function backup(file: string | undefined, options: BackupOptions, parts: Parts): Promise<number> {
  const rule = ruleOf(file, options)
  const data = await parts.openData()
  const dataDir = findDataDir(options.dataDir)
  const path = file === '-' ? null : await pathFor(file ?? data.nameFor(new Date()), dataDir, options)
  const interrupt = listenForInterrupt()
  const progress = openProgress()
  try {
    // Copies the bytes: their buffer is reused once the sink resolves.
    const target =
      path === null
        ? { sink: (bytes: Uint8Array) => writeOutput(Buffer.from(bytes)) }
        : { path, compression: compressionOf(path) }
    const summary = await data.backup({
      ...{ dataDir, signal: interrupt.signal, target },
      progress: ({ stage, done, total }) => progress.show(stages[stage] ?? 'Backup', done, total),
    })
    progress.end()
    const deleted = rule === null || options.to === undefined ? [] : deleteOld(options.to, rule)
    if (path === null) log('info', 'The backup is complete.')
    else if (options.json) printJson({ file: path, ...summary, ...(rule && { deleted }) })
    else {
      say(`Wrote ${path}: ${countText(summary.counts)}. API keys are not included.`)
      for (const name of deleted) say(`Deleted ${name}, which --keep does not keep.`)
    }
    return exitCodes.ok
  } finally {
    progress.end()
    interrupt.release()
  }
}

/** The rule of `--keep`. @throws CommanderError for options that don't fit together */
function ruleOf(file: string | undefined, { to, keep, json }: BackupOptions): KeepRule | null {
  if (keep !== undefined && to === undefined) throw usageError('--keep needs --to, the folder of the backups.')
  if (file !== undefined && to !== undefined) throw usageError('Name a file or --to, not both.')
  if (file === '-' && process.stdout.isTTY)
    throw usageError('A tar file is binary. Name a file, or pipe the output to a program.')
  if (file === '-' && json) throw usageError('--json prints lines, and a tar file has none. Name a file.')
  return keep === undefined ? null : readKeepRule(keep)
}

/** The file to write. @throws StudioError `bad_input` */
async function pathFor(named: string, dataDir: string, { to, force }: BackupOptions): Promise<string> {
  const file = to === undefined ? named : join(to, scheduledName(new Date()))
  const path = await fileToWrite(file, { otherwise: 'or - for standard output', overwrite: force })
  if (existsSync(dataDir) && path.startsWith(join(realpathSync(dataDir), '/'))) {
    throw new StudioError('bad_input', 'The backup can’t be inside the data folder. Choose a place outside it.')
  }
  return path
}

/** `backup verify`: checks a backup as a restore does, in a temporary folder. Changes no data. */
export async function verifyBackup(given: string, { json }: { json: boolean }, parts: Parts): Promise<number> {
  const path = await fileToRead(given)
  const data = await parts.openData()
  const interrupt = listenForInterrupt()
  const progress = openProgress()
  try {
    const summary: BackupSummary = await data.verify({
      ...{ path, signal: interrupt.signal },
      progress: ({ stage, done, total }) => progress.show(stages[stage] ?? 'Check', done, total),
    })
    progress.end()
    if (json) printJson({ file: path, ...summary })
    else say(`${path} is a complete backup of ${summary.madeAt}: ${countText(summary.counts)}.`)
    return exitCodes.ok
  } finally {
    progress.end()
    interrupt.release()
  }
}

/** What each stage of a backup and of its check does. */
export const stages: Readonly<Record<string, string>> = {
  databases: 'Copying the databases',
  packing: 'Writing the backup',
  checking: 'Checking the backup',
  staging: 'Unpacking the backup',
}

const compressionOf = (path: string): 'gzip' | 'zstd' | null =>
  /\.(?:gz|tgz)$/i.test(path) ? 'gzip' : /\.(?:zst|tzst)$/i.test(path) ? 'zstd' : null

/** Names of scheduled backups say when they were made, to the second, UTC. */
const scheduledName = (at: Date): string =>
  `inference-studio-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z.tar.zst`
const scheduledForm = /^inference-studio-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.tar\.zst$/

/** Deletes the scheduled backups of a folder that the rule does not keep. Files with other names stay. Returns the paths. */
function deleteOld(folder: string, rule: KeepRule): string[] {
  const backups = readdirSync(folder).flatMap((name) => {
    const [, day, ...clock] = scheduledForm.exec(name) ?? []
    const at = new Date(`${day}T${clock.join(':')}Z`)
    return day === undefined || Number.isNaN(at.getTime()) ? [] : [{ at, path: resolve(folder, name) }]
  })
  const old = backupsToDelete(backups, rule).map(({ path }) => path)
  for (const path of old) rmSync(path)
  return old
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
