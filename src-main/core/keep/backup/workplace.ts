import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
  makeFolder(folder)
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

/** Step by step: Node's own recursive mkdir calls a folder that can't be written missing. Another backup that ends takes the one above away when it is empty. */
function makeFolder(folder: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      if (!existsSync(dirname(folder))) mkdirSync(dirname(folder), { mode: 0o700 })
      mkdirSync(folder, { mode: 0o700 })
      return
    } catch (thrown) {
      const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
      if ((code !== 'ENOENT' && code !== 'EEXIST') || tries === 20) throw thrown
    }
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
