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

/** Past the operating system's memory; of a folder: the names in it. */
export function toDisk(path: string): void {
  // Windows opens no folder; its file systems journal names by themselves.
  const isFolder = statSync(path).isDirectory()
  if (isFolder && process.platform === 'win32') return
  const descriptor = openSync(path, isFolder ? 'r' : 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Whole or not at all, on the disk when it answers. */
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

/** Bytes of a file, or of all files below a folder; 0 where there is nothing. Links are not followed. */
export function bytesOnDisk(path: string): number {
  const facts = statSync(path, { throwIfNoEntry: false })
  if (!facts) return 0
  if (!facts.isDirectory()) return facts.size
  return readdirSync(path).reduce((sum, name) => sum + bytesOnDisk(join(path, name)), 0)
}

export const namesIn = (folder: string): string[] =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : []

/** @throws StudioError `disk_full` where the file system of `folder` has no place for so many bytes */
export function checkFreeSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize > bytes) return
  const words = `There is too little space in ${folder}: ${gigabytes(bytes)} are needed, ${gigabytes(bavail * bsize)} are free.`
  throw new StudioError('disk_full', words)
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(bytes < 1e9 ? 3 : 1)} GB`

/** A date in a folder's name, for a person's eyes and in its order: `2026-11-21T14-05-33Z`. */
export const stampOf = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z`
export const stampForm = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:-\d+)?$/

/** A name under `folder` that nothing has: a second one of the same second gets a number. */
export function freeStamp(folder: string, at: Date): string {
  const taken = new Set(namesIn(folder))
  const stamp = stampOf(at)
  for (let turn = 1; ; turn += 1) {
    const name = turn === 1 ? stamp : `${stamp}-${turn}`
    if (!taken.has(name)) return name
  }
}

/** A database that nobody else has open, for reading: no log or lock is made beside it. */
export function openUntouched(path: string): DatabaseSync {
  const address = pathToFileURL(path)
  address.search = 'immutable=1'
  return new DatabaseSync(address, { readOnly: true })
}

/** What a file operation or SQLite threw: a full disk, missing permission and too many open files become problems with words. */
export const asDiskError = (thrown: unknown, what = 'A file of the data'): unknown =>
  diskProblem(thrown, what) ?? thrown
