import { existsSync, lstatSync, statSync } from 'node:fs'
import { StudioError } from '../errors.ts'

/** SQLite's smallest page, and so its smallest file with anything in it. Shorter ones it takes for new. */
export const leastDatabaseBytes = 512

/**
 * Whether a database file is there.
 * @throws StudioError `store_damaged` where its name belongs to something that is no file, or to a link to nothing
 */
export function isDatabaseThere(file: string): boolean {
  const facts = statSync(file, { throwIfNoEntry: false })
  if (facts?.isFile()) return true
  // What is no link may have been made by another process since the first look.
  if (!facts && !lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return existsSync(file)
  const what = facts === undefined ? 'a link to a file that is not there' : facts.isDirectory() ? 'a folder' : 'no file'
  const words = `${file} is ${what}, where a database of Inference Studio belongs. It was left as it is; move it elsewhere, then start again.`
  throw new StudioError('store_damaged', words)
}
