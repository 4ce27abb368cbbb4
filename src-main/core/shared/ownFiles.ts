import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Whether a path is a directory, not a symbolic link to one. */
export const isRealFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Whether a path is a directory of this user, not a symbolic link to one. Windows tells no owners. */
export function isOwnFolder(path: string): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false })
  return facts?.isDirectory() === true && (process.getuid === undefined || facts.uid === process.getuid())
}

/** Whether a path is a regular file, not a symbolic link to one. */
export const isRealFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/** The entries of a directory; empty when the path is anything else, such as a symbolic link. */
export const realNamesIn = (folder: string): string[] => (isRealFolder(folder) ? readdirSync(folder) : [])

/**
 * Deletes the files below `folder` whose names this program generates, then the directories that are empty, including `folder`. Unknown
 * names, symbolic links and their targets stay.
 * @param isOwn decides about a path relative to `folder`, with `/` separators; the contents of an unknown directory are not visited
 * @returns whether nothing is left at `folder`
 */
export function removeOwnFiles(folder: string, isOwn: (path: string) => boolean): boolean {
  if (isRealFolder(folder)) removeIn(folder, '', isOwn)
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined
}

function removeIn(root: string, below: string, isOwn: (path: string) => boolean): void {
  const folder = join(root, below)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (!isOwn(path)) continue
    if (entry.isDirectory()) removeIn(root, path, isOwn)
    else if (entry.isFile()) rmSync(join(root, path), { force: true })
  }
  try {
    rmdirSync(folder)
  } catch {
    // The directory is not empty.
  }
}

/** Names in `tmp/` begin with an id. A folder with such a name contains a file for drag and drop, or the copies of a backup. */
const temporaryName =
  /^(?:\.inference-studio-backup-|export-|import-)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.[a-z\d-]{1,40}){0,3}$/

/** Deletes what earlier processes left in `tmp/` of a data folder. Files of other programs stay. */
export function sweepTemporary(dataDir: string): void {
  removeOwnFiles(join(dataDir, 'tmp'), (path) => temporaryName.test(path.split('/', 1)[0] ?? ''))
}
