import { accessSync, closeSync, constants, existsSync, openSync, statfsSync } from 'node:fs'
import { devNull } from 'node:os'
import { dirname } from 'node:path'
import type { ProblemKind } from '../../../src-preload/contract/problem.ts'
import { StudioError } from '../errors.ts'

// Translates error codes of file operations, from Node and from SQLite, into problem kinds.

type DiskKind = 'disk_full' | 'not_writable' | 'too_many_open_files'

/** Meaning of the operating system's error codes (errno) for file operations. `reason` follows a colon. */
const reasons: Readonly<Record<string, { kind: ProblemKind; reason: string }>> = {
  ENOSPC: { kind: 'disk_full', reason: 'the disk is full' },
  EDQUOT: { kind: 'disk_full', reason: 'the disk quota is used up' },
  EACCES: { kind: 'not_writable', reason: 'permission is missing' },
  EPERM: { kind: 'not_writable', reason: 'permission is missing' },
  EROFS: { kind: 'not_writable', reason: 'the file system is read-only' },
  EMFILE: { kind: 'too_many_open_files', reason: 'this process has too many open files' },
  ENFILE: { kind: 'too_many_open_files', reason: 'the system has too many open files' },
  // Mistakes in a path that a person entered. In a path of our own they are bugs, so `diskProblem` leaves them alone.
  ENOENT: { kind: 'bad_input', reason: 'no such file or folder' },
  ENOTDIR: { kind: 'bad_input', reason: 'a part of the path is not a folder' },
  EISDIR: { kind: 'bad_input', reason: 'it is a folder' },
  // From `rm` of Node, which does not call the operating system for a folder.
  ERR_FS_EISDIR: { kind: 'bad_input', reason: 'it is a folder' },
  EEXIST: { kind: 'bad_input', reason: 'it exists already' },
  ENOTEMPTY: { kind: 'bad_input', reason: 'it exists already' },
  ENAMETOOLONG: { kind: 'bad_input', reason: 'the name is too long' },
  ELOOP: { kind: 'bad_input', reason: 'its symbolic links lead in a circle' },
  ENXIO: { kind: 'bad_input', reason: 'it is a device or a pipe' },
  EFBIG: { kind: 'bad_input', reason: 'the file would be too large' },
  EIO: { kind: 'bad_input', reason: 'the disk reported an error' },
}

const diskKinds: ReadonlySet<ProblemKind> = new Set<DiskKind>(['disk_full', 'not_writable', 'too_many_open_files'])
const isDiskKind = (kind: ProblemKind | undefined): kind is DiskKind => kind !== undefined && diskKinds.has(kind)

/** SQLite's primary result codes (https://sqlite.org/rescode.html): SQLITE_PERM, SQLITE_READONLY, SQLITE_FULL. */
const sqliteKinds: Readonly<Record<number, DiskKind>> = { 3: 'not_writable', 8: 'not_writable', 13: 'disk_full' }
const sqliteIoError = 10
const sqliteCantOpen = 14

/** With less free space than this, an I/O error of SQLite counts as a full disk: growing the index of a write-ahead log takes 32 KiB. */
const leastFreeBytes = 64 * 1024

/** The error code of Node's error, such as `ENOENT`; null for a value without one. */
export const codeOf = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null

/** Whether the operating system refused a call. Every other error is a bug, or has a message of its own. */
export const isSystemError = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && 'syscall' in thrown && codeOf(thrown) !== null

/** The primary result code of an error that SQLite threw; null for any other error. */
export function sqliteCode(thrown: unknown): number | null {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return null
  return thrown.errcode & 0xff
}

/**
 * The problem behind an error of the disk: `disk_full`, `not_writable` or `too_many_open_files`. Null for every other error.
 * @param what what could not be written or opened, as the subject of a sentence
 * @param file path of the database, used to distinguish the causes for which SQLite has one code
 */
export function diskProblem(thrown: unknown, what: string, file?: string): StudioError | null {
  const found = causeOf(thrown, file)
  if (found === null) return null
  const why = found.why.replace(/\.$/, '')
  const messages: Record<DiskKind, string> = {
    disk_full: `${what} can't be written: the disk is full. Free some space, then try again.`,
    not_writable: `${what} can't be written or opened: ${why}. Give your user account access, then try again.`,
    too_many_open_files: `${what} can't be opened: this process has too many open files. Close other programs or raise the limit of open files, then try again.`,
  }
  return new StudioError(found.kind, messages[found.kind], {}, { cause: thrown })
}

/**
 * The problem of a failed operation on a path that a person entered, as a sentence such as "The file /a/b can’t be written: the disk is
 * full (ENOSPC)."
 * @param failed what failed, without a full stop
 * @returns StudioError `disk_full`, `not_writable`, `too_many_open_files`, else `bad_input`
 */
export function fileProblem(thrown: Error, failed: string): StudioError {
  const code = codeOf(thrown)
  const { kind, reason } = reasons[code ?? ''] ?? {
    kind: 'bad_input',
    reason: thrown.message.replace(/^\w+: /, ''),
  }
  return new StudioError(kind, `${failed}: ${reason}${code === null ? '' : ` (${code})`}.`, {}, { cause: thrown })
}

function causeOf(thrown: unknown, file: string | undefined): { kind: DiskKind; why: string } | null {
  if (!(thrown instanceof Error)) return null
  const code = sqliteCode(thrown)
  if (code === sqliteIoError || code === sqliteCantOpen) return causeOfFailedAccess(thrown, file)
  const kind = code === null ? reasons[codeOf(thrown) ?? '']?.kind : sqliteKinds[code]
  if (!isDiskKind(kind) || (kind === 'not_writable' && isOfOtherThings(thrown))) return null
  return { kind, why: thrown.message }
}

/** Whether the missing permission was one to listen, to connect or to start a program. */
const isOfOtherThings = (thrown: Error): boolean =>
  'syscall' in thrown && /^(?:accept|bind|connect|getaddrinfo|kill|listen|spawn)/.test(String(thrown.syscall))

/**
 * SQLite does not report the operating system's error, so this looks for it. It never opens the database itself: closing that descriptor would
 * drop the locks that SQLite holds on the file in this process (https://sqlite.org/howtocorrupt.html, 2.2).
 */
function causeOfFailedAccess(thrown: Error, file: string | undefined): { kind: DiskKind; why: string } {
  const { R_OK, W_OK, X_OK } = constants
  try {
    closeSync(openSync(devNull, 'r'))
    if (file !== undefined) {
      accessSync(dirname(file), R_OK | W_OK | X_OK)
      if (existsSync(file)) accessSync(file, R_OK | W_OK)
      const { bavail, bsize } = statfsSync(dirname(file))
      if (bavail * bsize < leastFreeBytes) return { kind: 'disk_full', why: thrown.message }
    }
  } catch (met) {
    const kind = reasons[codeOf(met) ?? '']?.kind
    if (isDiskKind(kind) && met instanceof Error) return { kind, why: met.message }
  }
  return { kind: 'not_writable', why: thrown.message }
}
