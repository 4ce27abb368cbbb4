import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { StudioError } from '../../errors.ts'
import { codeOf, fileProblem, isSystemError } from '../../shared/diskProblem.ts'
import { toDisk } from '../../shared/toDisk.ts'

// Configuration files of other programs: read whole, and replaced whole or not at all.

/** Largest file that is read, bytes. Real ones have some kilobytes. */
export const maxFileBytes = 1024 * 1024

export interface ConfigFile {
  /** Absolute path, symbolic links resolved. */
  path: string
  /** Null when it does not exist. */
  bytes: Buffer | null
  /** Permission bits; null when it does not exist. */
  mode: number | null
  /** Identifies the content: its SHA-256, or `absent`. */
  seen: string
}

export const hashOfFile = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

const bad = (message: string, cause?: unknown): StudioError => new StudioError('bad_input', message, {}, { cause })

/**
 * Reads a file, through symbolic links.
 * @throws StudioError `bad_input`, `not_writable` (no permission to read), `too_many_open_files`
 */
export async function readConfigFile(given: string): Promise<ConfigFile> {
  try {
    const path = await target(given)
    if (path === null) return { path: given, bytes: null, mode: null, seen: 'absent' }
    // Opening a pipe would wait for its other end.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const { size, mode, isFile } = await statOf(file)
      if (!isFile) throw bad(`${given} is not a regular file. Move it away, then try again.`)
      if (size > maxFileBytes) throw bad(`${given} is larger than 1 MB. Copy the lines by hand.`)
      const bytes = await file.readFile()
      return { path, bytes, mode: mode & 0o7777, seen: hashOfFile(bytes) }
    } finally {
      await file.close()
    }
  } catch (thrown) {
    throw asProblem(thrown, `${given} can’t be read`)
  }
}

async function statOf(file: FileHandle) {
  const facts = await file.stat()
  return { size: facts.size, mode: facts.mode, isFile: facts.isFile() }
}

/** The file behind symbolic links; null when there is none. @throws StudioError `bad_input` for a link that leads nowhere */
async function target(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown
  }
  const isLink = await lstat(path).then(
    (facts) => facts.isSymbolicLink(),
    () => false,
  )
  if (isLink) throw bad(`${path} is a symbolic link to a file that does not exist. Remove the link, then try again.`)
  return null
}

/**
 * Replaces a file, or creates it readable by its owner only. Written beside it, flushed and renamed: a crash leaves the old or the new
 * content. Its mode and owner stay.
 * @param file as `readConfigFile` returned it
 * @throws StudioError `bad_input` when the file has changed since, `busy` while another program has it locked, `not_writable`, `disk_full`
 */
export async function replaceConfigFile(file: ConfigFile, content: Uint8Array): Promise<void> {
  const { path } = file
  // Not of a random name, so that what a crash leaves is replaced by the next attempt.
  const part = join(dirname(path), `.${basename(path)}.inference-studio.part`)
  try {
    await assertUnchanged(file)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const owner = await ownerOf(path)
    await rm(part, { force: true })
    await writeFlushed(part, content, file.mode ?? 0o600, owner)
    await assertUnchanged(file)
    await rename(part, path)
    await toDisk(dirname(path), 'r')
  } catch (thrown) {
    await rm(part, { force: true }).catch(() => undefined)
    throw asProblem(thrown, `${path} can’t be written`)
  }
}

/** Deletes a file. @throws StudioError as `replaceConfigFile` */
export async function deleteConfigFile(file: ConfigFile): Promise<void> {
  try {
    await assertUnchanged(file)
    await rm(file.path, { force: true })
  } catch (thrown) {
    throw asProblem(thrown, `${file.path} can’t be deleted`)
  }
}

async function assertUnchanged(file: ConfigFile): Promise<void> {
  const now = await readConfigFile(file.path)
  if (now.seen !== file.seen || now.path !== file.path) throw changedSince(file.path)
  if (file.mode !== null && (file.mode & 0o222) === 0) {
    throw new StudioError('not_writable', `${file.path} is read-only. Make it writable, then try again.`)
  }
  const lock = await lstat(`${file.path}.lock`).catch(() => null)
  // Locks of programs that crashed stay behind.
  if (lock && Date.now() - lock.mtimeMs < lockMs) {
    throw new StudioError('busy', `Another program has ${file.path} locked. Close it, then try again.`)
  }
}

/** An older lock file is one of a program that ended without removing it, ms. */
const lockMs = 60_000

export const changedSince = (path: string): StudioError =>
  bad(`${path} was changed by another program meanwhile. Nothing was written. Look at the difference again.`)

/** The owner that the new file must get; null: that of this process. @throws StudioError `not_writable` */
async function ownerOf(path: string): Promise<{ uid: number; gid: number } | null> {
  const facts = await lstat(path).catch(() => null)
  const own = process.getuid?.()
  if (!facts || own === undefined || (facts.uid === own && facts.gid === process.getgid?.())) return null
  if (own !== 0 && facts.uid !== own) {
    throw new StudioError('not_writable', `${path} belongs to another user of this computer. Copy the lines by hand.`)
  }
  return { uid: facts.uid, gid: facts.gid }
}

async function writeFlushed(
  path: string,
  content: Uint8Array,
  mode: number,
  owner: { uid: number; gid: number } | null,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    if (owner) await file.chown(owner.uid, owner.gid)
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A file that another program has open can't be replaced on Windows. */
const inUse = new Set(['EBUSY', 'ETXTBSY'])

function asProblem(thrown: unknown, failed: string): unknown {
  if (!isSystemError(thrown)) return thrown
  if (inUse.has(codeOf(thrown) ?? '') || (process.platform === 'win32' && codeOf(thrown) === 'EPERM')) {
    return new StudioError(
      'busy',
      `${failed}: another program has it open. Close it, then try again.`,
      {},
      { cause: thrown },
    )
  }
  return fileProblem(thrown, failed)
}

/** A private file of ours, as text; null when it is missing. */
export const readOwnFile = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null)
