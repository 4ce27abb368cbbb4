import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Whether a path is a directory itself; a symbolic link to one is not. */
export const isRealFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Whether a path is a regular file itself. */
export const isRealFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/** The entries of a directory; none where the path is something else, also a symbolic link. */
export const realNamesIn = (folder: string): string[] => (isRealFolder(folder) ? readdirSync(folder) : [])

/**
 * Deletes the files below `folder` whose names this program generates, and the directories that are empty then, `folder` included. Everything else
 * stays: unknown names, symbolic links and what they point to.
 * @param isOwn judges a path relative to `folder`, with `/` between its parts; contents of an unknown directory are not looked at
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
    // Something stays in it.
  }
}

/** Every name in it begins with an id. A folder of such a name holds a file that is dragged out, or the copies of a backup. */
const temporaryName =
  /^(?:\.inference-studio-backup-|export-|import-)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.[a-z\d-]{1,40}){0,3}$/

/** Deletes what earlier processes left in `tmp/` of a data folder. Files that this program did not put there stay. */
export function sweepTemporary(dataDir: string): void {
  removeOwnFiles(join(dataDir, 'tmp'), (path) => temporaryName.test(path.split('/', 1)[0] ?? ''))
}
