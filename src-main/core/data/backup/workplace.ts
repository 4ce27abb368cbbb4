import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isRealFile, realNamesIn, removeOwnFiles } from '../../shared/ownFiles.ts'
import { isCopiedFile } from '../databases.ts'

export interface Workplace {
  folder: string
  /** Everything in it is gone afterwards. */
  close(): void
}

const prefix = '.inference-studio-backup-'
const workplaceName = /^\.inference-studio-backup-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * A folder (0700) for the copies that one backup is made of, in `place`: beside the file that is written, never in the data folder, where a backup changes
 * nothing. Held by a lock of the operating system, which ends with the process: what a killed one left is told from what is in use.
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

/** Deletes what killed backups left in a folder. */
export function sweepWorkplaces(place: string): void {
  for (const name of realNamesIn(place)) {
    const folder = join(place, name)
    if (!workplaceName.test(name) || isHeld(folder)) continue
    removeOwnFiles(folder, (path) => path === lockName || isCopiedFile(path))
  }
}

function isHeld(folder: string): boolean {
  // Without a lock it was left by a process that came no further.
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
    // Held, or gone while we looked.
    return thrown instanceof Error && /locked|busy/i.test(thrown.message)
  }
}
