import { randomUUID } from 'node:crypto'
import { mkdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { namesIn } from '../disk.ts'

const folderOf = (dataDir: string): string => join(dataDir, 'backups')

export interface Workplace {
  folder: string
  /** Everything in it is gone afterwards. */
  close(): void
}

/**
 * A folder for the copies that one backup is made of, in the data folder, since names of one file (hard links) must lie on one disk. Held by a lock
 * of the operating system, which ends with the process: what a killed one left is told from what is in use.
 */
export function openWorkplace(dataDir: string): Workplace {
  sweepWorkplaces(dataDir)
  const folder = join(folderOf(dataDir), randomUUID())
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  return {
    folder,
    close() {
      lock.close()
      rmSync(folder, { recursive: true, force: true })
      dropIfEmpty(folderOf(dataDir))
    },
  }
}

/** Takes away what killed processes left. */
export function sweepWorkplaces(dataDir: string): void {
  const all = folderOf(dataDir)
  for (const name of namesIn(all)) {
    if (isHeld(join(all, name))) continue
    rmSync(join(all, name), { recursive: true, force: true })
  }
  dropIfEmpty(all)
}

function dropIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Another backup is under way.
  }
}

function isHeld(folder: string): boolean {
  try {
    const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
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
