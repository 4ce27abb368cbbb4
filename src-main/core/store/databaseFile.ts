import { existsSync, lstatSync, statSync } from 'node:fs'
import { StudioError } from '../errors.ts'

/** SQLite's smallest page, and so its smallest file with content, in bytes. SQLite treats a shorter file as new. */
export const leastDatabaseBytes = 512

/**
 * Whether a database file exists.
 * @throws StudioError `store_damaged` when its name belongs to something that is not a file, or to a dangling link
 */
export function isDatabaseThere(file: string): boolean {
  const facts = statSync(file, { throwIfNoEntry: false })
  if (facts?.isFile()) return true
  // A regular file may have been created by another process since statSync.
  if (!facts && !lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return existsSync(file)
  const what = facts === undefined ? 'a link to a file that is not there' : facts.isDirectory() ? 'a folder' : 'no file'
  const words = `${file} is ${what}, where a database of Inference Studio belongs. It was left as it is; move it elsewhere, then start again.`
  throw new StudioError('store_damaged', words)
}
