import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isOwnFolder, isRealFile, realNamesIn, removeOwnFiles } from '../../shared/ownFiles.ts'
import { isCopiedFile } from '../databases.ts'

export interface Workplace {
  folder: string
  /** Deletes the folder with everything in it. */
  close(): void
}

const prefix = '.inference-studio-backup-'
const workplaceName = /^\.inference-studio-backup-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Creates a folder (0700) in `place` for the copies of one backup. It is beside the backup file, never in the data folder, where a backup
 * changes nothing. A lock of the operating system, which ends with the process, distinguishes a folder in use from one that a killed
 * process left.
 */
export function openWorkplace(place: string): Workplace {
  sweepWorkplaces(place)
  const folder = join(place, `${prefix}${randomUUID()}`)
  mkdirSync(folder, { mode: 0o700 })
  const lock = new DatabaseSync(join(folder, lockName), { timeout: 0 })
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  return {
    folder,
    close() {
      lock.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const lockName = 'lock'
/** Folder in a workplace for what is unpacked to be checked. */
export const unpackedName = 'unpacked'

const isOwn = (path: string): boolean => {
  const below = path.startsWith(`${unpackedName}/`) ? path.slice(unpackedName.length + 1) : path
  return path === lockName || path === unpackedName || isCopiedFile(below)
}

/** Deletes the folders of killed backups in `place`. In the system's temporary folder, other users have folders with such names too. */
export function sweepWorkplaces(place: string): void {
  for (const name of realNamesIn(place)) {
    const folder = join(place, name)
    if (!workplaceName.test(name) || !isOwnFolder(folder) || isHeld(folder)) continue
    removeOwnFiles(folder, isOwn)
  }
}

function isHeld(folder: string): boolean {
  // Without a lock file, a killed process left the folder.
  if (!isRealFile(join(folder, lockName))) return false
  try {
    const lock = new DatabaseSync(join(folder, lockName), { timeout: 0 })
    try {
      lock.exec('BEGIN EXCLUSIVE')
      return false
    } finally {
      lock.close()
    }
  } catch (thrown) {
    // Another process holds the lock, or has just deleted the file.
    return thrown instanceof Error && /locked|busy/i.test(thrown.message)
  }
}
