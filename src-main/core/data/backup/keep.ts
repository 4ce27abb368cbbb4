import { realpathSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { isAbsolute, join, sep } from 'node:path'
import type { BackupSummary } from '../../../../src-preload/contract/data.ts'
import type { KeepRules } from '../../../../src-preload/contract/keepRules.ts'
import { StudioError } from '../../errors.ts'
import { dayOfMs } from '../../shared/days.ts'
import { isRealFile } from '../../shared/ownFiles.ts'
import { namesIn } from '../disk.ts'
import { keptBackupName, timeOfKept } from './manifest.ts'
import { type BackupParts, writeBackup } from './write.ts'

/** A backup of this computer in a folder of several. */
export interface KeptBackup {
  path: string
  /** In the name, ms since 1970. */
  madeAt: number
}

/** A folder of several backups, and which of them stay. */
export interface BackupFolder {
  /** Absolute path. */
  folder: string
  /** Null: all of them stay. */
  keep: KeepRules | null
}

/** What `keepBackups` did, newest first. */
export interface Kept {
  kept: readonly KeptBackup[]
  deleted: readonly KeptBackup[]
}

/**
 * Writes a compressed backup to a folder of several and deletes the older ones that no rule keeps. Nothing is deleted unless the new one is
 * complete.
 * @throws StudioError as `writeBackup`; `bad_input` when no rule keeps anything, or for a folder that is missing or in the data folder
 */
export async function writeKeptBackup(
  parts: BackupParts,
  { folder, keep }: BackupFolder,
): Promise<{ path: string; summary: BackupSummary } & Kept> {
  if (keep) mustKeepSome(keep)
  mustBeOutside(folder, parts.dataDir)
  const path = join(folder, keptBackupName(new Date().toISOString(), hostname()))
  const summary = await writeBackup(parts, { path })
  return { path, summary, ...(keep ? keepBackups(folder, keep) : { kept: backupsIn(folder), deleted: [] }) }
}

/**
 * Deletes the backups of a folder that no rule keeps, and returns all. Only regular files with the names that `writeKeptBackup` gives on
 * this computer count; everything else stays, also the backups of other computers. Backups of the future stay and do not count: a clock was
 * wrong, and they would take the places of the real ones.
 * @throws StudioError `bad_input` when no rule keeps anything
 */
export function keepBackups(folder: string, keep: KeepRules, now = Date.now()): Kept {
  mustKeepSome(keep)
  const all = backupsIn(folder)
  const isKept = rulesOf(keep)
  const kept = all.filter((one) => one.madeAt > now || isKept(one))
  const deleted = all.filter((one) => !kept.includes(one))
  for (const { path } of deleted) rmSync(path)
  return { kept, deleted }
}

/** The backups of this computer in a folder of several, newest first. */
export function backupsIn(folder: string): KeptBackup[] {
  return namesIn(folder)
    .flatMap((name) => {
      const madeAt = timeOfKept(name, hostname())
      const path = join(folder, name)
      return madeAt === null || !isRealFile(path) ? [] : [{ path, madeAt }]
    })
    .sort((a, b) => b.madeAt - a.madeAt)
}

/** A backup in the data folder is lost with it. */
function mustBeOutside(folder: string, dataDir: string): void {
  if (!isAbsolute(folder) || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StudioError(
      'bad_input',
      `The folder ${folder} for backups does not exist. Name the full path of a folder.`,
    )
  }
  if (!`${realpathSync(folder)}${sep}`.startsWith(`${realpathSync(dataDir)}${sep}`)) return
  throw new StudioError('bad_input', 'Backups can’t be inside the data folder. Choose a folder outside it.')
}

function mustKeepSome(keep: KeepRules): void {
  if (Object.values(keep).some((count) => count > 0)) return
  throw new StudioError('bad_input', 'These rules would keep no backup. Keep at least one.')
}

/** The period that a time belongs to, in UTC. Weeks begin on Monday, and 1970-01-01 was a Thursday. */
const periods: Readonly<Record<keyof KeepRules, (madeAt: number) => unknown>> = {
  last: (madeAt) => madeAt,
  daily: dayOfMs,
  weekly: (madeAt) => Math.floor((dayOfMs(madeAt) + 3) / 7),
  monthly: (madeAt) => new Date(madeAt).toISOString().slice(0, 7),
  yearly: (madeAt) => new Date(madeAt).getUTCFullYear(),
}

/** A test that is given the backups from the newest to the oldest: each rule keeps the newest one of each of its latest periods with one. */
function rulesOf(keep: KeepRules): (one: KeptBackup) => boolean {
  const rules = Object.entries(keep).map(([name, count]) => ({
    count,
    period: periods[name as keyof KeepRules],
    seen: new Set<unknown>(),
  }))
  return ({ madeAt }) => {
    // Every rule sees every backup.
    const votes = rules.map(({ count, period, seen }) => {
      const own = period(madeAt)
      if (seen.has(own) || seen.size >= count) return false
      seen.add(own)
      return true
    })
    return votes.includes(true)
  }
}
