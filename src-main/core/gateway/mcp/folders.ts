import type { BigIntStats } from 'node:fs'
import { constants, copyFile, type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { basename, extname, isAbsolute, join, normalize, relative, sep } from 'node:path'
import { StudioError } from '../../errors.ts'
import { fileStem } from '../../shared/fileName.ts'

/** A file that an app named, opened for reading. */
export interface OpenedInput {
  handle: FileHandle
  name: string
  bytes: number
}

/**
 * Opens a file below one of the folders that a person chose for an app. The path is checked before the disk is touched, and the file again
 * after it was opened, so that nothing can be exchanged in between. No symbolic link below the folder is followed.
 * @throws StudioError `bad_input` with the reason, in words for the model that reads it
 */
export async function openInput(folders: readonly string[], path: string, maxBytes: number): Promise<OpenedInput> {
  const folder = folderOf(folders, path)
  const root = await realpath(folder).catch(() => {
    throw refused(`The folder ${folder} does not exist.`)
  })
  const wanted = join(root, relative(folder, path))
  // Without O_NONBLOCK, opening a named pipe would wait for its writer. Windows has neither flag.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(wanted, flags).catch((thrown: unknown) => {
    throw refused(`${path} can’t be read: ${reasonOf(thrown)}.`)
  })
  try {
    const opened = await handle.stat({ bigint: true })
    if (!isSamePath(await openedPath(handle, opened, wanted), wanted)) {
      throw refused(`${path} leads through a symbolic link, which is not followed.`)
    }
    if (!opened.isFile()) throw refused(`${path} is not a file.`)
    if (opened.size > BigInt(maxBytes)) {
      throw refused(`${path} is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB.`)
    }
    return { handle, name: basename(path), bytes: Number(opened.size) }
  } catch (thrown) {
    await handle.close()
    throw thrown instanceof StudioError ? thrown : refused(`${path} can’t be read: ${reasonOf(thrown)}.`)
  }
}

/** The whole file, which may not grow meanwhile. @throws StudioError `bad_input` */
export async function readInput(folders: readonly string[], path: string, maxBytes: number) {
  const { handle, name, bytes } = await openInput(folders, path, maxBytes)
  try {
    const buffer = Buffer.allocUnsafeSlow(bytes)
    let end = 0
    while (end < bytes) {
      const { bytesRead } = await handle.read(buffer, end, bytes - end, end)
      if (bytesRead === 0) break
      end += bytesRead
    }
    return { name, bytes: buffer.subarray(0, end) }
  } finally {
    await handle.close()
  }
}

/** The folder that a path is below, by its text alone. */
function folderOf(folders: readonly string[], path: string): string {
  if (folders.length === 0) {
    throw refused(
      'This app may read no folder. A person can choose folders in Inference Studio, on the page of the app. Or send the file as base64.',
    )
  }
  const isPlain = isAbsolute(path) && !path.includes('\0') && normalize(path) === path
  const folder = isPlain ? folders.find((one) => path.startsWith(one.endsWith(sep) ? one : one + sep)) : undefined
  if (folder === undefined) {
    throw refused(`Give a whole path without “..” below one of these folders: ${folders.join(', ')}.`)
  }
  return folder
}

/**
 * The real path of an opened file. Linux knows it. Elsewhere the path is resolved again and must lead to the same file, which a program that
 * exchanges folders several times meanwhile could deceive. Such a program can read the file by itself.
 */
async function openedPath(handle: FileHandle, { ino, dev }: BigIntStats, wanted: string): Promise<string | null> {
  const known = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null)
  if (known !== null) return known
  const real = await realpath(wanted)
  const found = await stat(real, { bigint: true })
  return found.ino === ino && found.dev === dev ? real : null
}

/** File systems of macOS and Windows answer to names in other cases and forms. */
const foldsCase = process.platform === 'darwin' || process.platform === 'win32'
const isSamePath = (one: string | null, other: string): boolean =>
  one !== null &&
  (foldsCase ? one.normalize('NFC').toLowerCase() === other.normalize('NFC').toLowerCase() : one === other)

/** Most files of one name in a folder. */
const mostOfName = 1000

/**
 * Copies a file into the output folder of an app, under a name that is free. Nothing is ever overwritten, and no link followed.
 * @param name the wanted name, with its ending
 * @returns its path
 * @throws StudioError `not_writable`
 */
export async function writeOutput(folder: string, from: string, name: string): Promise<string> {
  const ending = extname(name)
  const stem = fileStem(basename(name, ending), 60, 'file')
  try {
    for (let at = 1; at <= mostOfName; at += 1) {
      const path = join(folder, `${stem}${at === 1 ? '' : ` ${at}`}${ending}`)
      try {
        await copyFile(from, path, constants.COPYFILE_EXCL)
        return path
      } catch (thrown) {
        if (codeOf(thrown) !== 'EEXIST') throw thrown
      }
    }
  } catch (thrown) {
    throw new StudioError('not_writable', `It was not saved in ${folder}: ${reasonOf(thrown)}.`, {}, { cause: thrown })
  }
  throw new StudioError('not_writable', `It was not saved in ${folder}, which has too many files of this name.`)
}

const refused = (words: string): StudioError => new StudioError('bad_input', words)

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

const reasons: Record<string, string> = {
  ENOENT: 'it does not exist',
  EACCES: 'the system does not permit it',
  EPERM: 'the system does not permit it',
  ELOOP: 'it is a symbolic link, which is not followed',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ENAMETOOLONG: 'its path is too long',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk can’t be written to',
}

/** Without the path, which the message of Node repeats. */
function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown)
  return reasons[code] ?? `the system reports ${code === '' ? 'a failure' : code}`
}
