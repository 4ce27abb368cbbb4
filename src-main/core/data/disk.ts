import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StudioError } from '../errors.ts'
import { diskProblem } from '../shared/diskProblem.ts'

/** Flushes a file from the operating system's cache to the disk. For a folder: the names in it. */
export function toDisk(path: string): void {
  // Windows cannot open a folder. Its file systems journal names by themselves.
  const isFolder = statSync(path).isDirectory()
  if (isFolder && process.platform === 'win32') return
  const descriptor = openSync(path, isFolder ? 'r' : 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Writes a file atomically. It is on the disk when this returns. */
export function writeJson(path: string, value: unknown): void {
  const fresh = `${path}.new`
  try {
    writeFileSync(fresh, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
    toDisk(fresh)
  } catch (thrown) {
    rmSync(fresh, { force: true })
    throw thrown
  }
  renameSync(fresh, path)
  toDisk(join(path, '..'))
}

/** Size of a file, or of all files below a folder, in bytes; 0 when the path does not exist. Does not follow links. */
export function bytesOnDisk(path: string): number {
  const facts = statSync(path, { throwIfNoEntry: false })
  if (!facts) return 0
  if (!facts.isDirectory()) return facts.size
  return readdirSync(path).reduce((sum, name) => sum + bytesOnDisk(join(path, name)), 0)
}

export const namesIn = (folder: string): string[] =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : []

/** Checks for free space. @throws StudioError `disk_full` when the file system of `folder` has less than `bytes` free */
export function checkFreeSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize > bytes) return
  const message = `There is too little space in ${folder}: ${gigabytes(bytes)} are needed, ${gigabytes(bavail * bsize)} are free.`
  throw new StudioError('disk_full', message)
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(bytes < 1e9 ? 3 : 1)} GB`

/** A date for a folder's name that sorts by time: `2026-11-21T14-05-33Z`. */
export const stampOf = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z`
/** A time in the name of a folder, such as `2026-11-21T10-00-00Z`. A number follows when the name of this second exists already. */
export const stampForm = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:-\d+)?$/

/** An unused name under `folder`. When the name of this second exists, a number is added. */
export function freeStamp(folder: string, at: Date): string {
  const taken = new Set(namesIn(folder))
  const stamp = stampOf(at)
  for (let attempt = 1; ; attempt += 1) {
    const name = attempt === 1 ? stamp : `${stamp}-${attempt}`
    if (!taken.has(name)) return name
  }
}

/** Opens a database that no other process has open, for reading. Creates no log or lock beside it. */
export function openUntouched(path: string): DatabaseSync {
  const address = pathToFileURL(path)
  address.search = 'immutable=1'
  return new DatabaseSync(address, { readOnly: true })
}

/** Translates an error of a file operation or of SQLite: a full disk, missing permission and too many open files become StudioErrors. */
export const asDiskError = (thrown: unknown, what = 'A file of the data'): unknown =>
  diskProblem(thrown, what) ?? thrown
