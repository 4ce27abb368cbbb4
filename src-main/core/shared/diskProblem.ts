import { accessSync, closeSync, constants, existsSync, openSync, statfsSync } from 'node:fs'
import { devNull } from 'node:os'
import { dirname } from 'node:path'
import { StudioError } from '../errors.ts'

// Translates error codes of the disk, from Node's file operations and from SQLite, into problem kinds. For paths that a person typed on the
// command line, hosts/node/fileProblem.ts has words for more codes.

type DiskKind = 'disk_full' | 'not_writable' | 'too_many_open_files'

const errnoKinds: Readonly<Record<string, DiskKind>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EACCES: 'not_writable',
  EPERM: 'not_writable',
  EROFS: 'not_writable',
  EMFILE: 'too_many_open_files',
  ENFILE: 'too_many_open_files',
}

/** SQLite's primary result codes (https://sqlite.org/rescode.html): SQLITE_PERM, SQLITE_READONLY, SQLITE_FULL. */
const sqliteKinds: Readonly<Record<number, DiskKind>> = { 3: 'not_writable', 8: 'not_writable', 13: 'disk_full' }
const sqliteIoError = 10
const sqliteCantOpen = 14

/** Below this, an I/O error of SQLite counts as a full disk: growing the index of a write-ahead log takes 32 KiB. */
const leastFreeBytes = 64 * 1024

/** The primary result code of an error that SQLite threw; null for any other error. */
export function sqliteCode(thrown: unknown): number | null {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return null
  return thrown.errcode & 0xff
}

/**
 * The problem behind an error of the disk: `disk_full`, `not_writable` or `too_many_open_files`. Null for every other error.
 * @param what what could not be written or opened, as the subject of a sentence
 * @param file path of the database, which tells apart the reasons that SQLite gives one code
 */
export function diskProblem(thrown: unknown, what: string, file?: string): StudioError | null {
  const found = causeOf(thrown, file)
  if (found === null) return null
  const why = found.why.replace(/\.$/, '')
  const words: Record<DiskKind, string> = {
    disk_full: `${what} can't be written: the disk is full. Free some space, then try again.`,
    not_writable: `${what} can't be written or opened: ${why}. Give your user account access, then try again.`,
    too_many_open_files: `${what} can't be opened: this process has too many open files. Close other programs or raise the limit of open files, then try again.`,
  }
  return new StudioError(found.kind, words[found.kind], {}, { cause: thrown })
}

function causeOf(thrown: unknown, file: string | undefined): { kind: DiskKind; why: string } | null {
  if (!(thrown instanceof Error)) return null
  const code = sqliteCode(thrown)
  if (code === sqliteIoError || code === sqliteCantOpen) return causeOfFailedAccess(thrown, file)
  const errno = 'code' in thrown ? String(thrown.code) : ''
  const kind = code === null ? errnoKinds[errno] : sqliteKinds[code]
  if (!kind || (kind === 'not_writable' && isOfOtherThings(thrown))) return null
  return { kind, why: thrown.message }
}

/** Whether missing permission is one to listen, to connect or to start a program. */
const isOfOtherThings = (thrown: Error): boolean =>
  'syscall' in thrown && /^(?:accept|bind|connect|getaddrinfo|kill|listen|spawn)/.test(String(thrown.syscall))

/**
 * SQLite does not tell what the operating system said, so that is asked again. The database itself is never opened here: closing that descriptor
 * would drop the locks that SQLite holds on it in this process (https://sqlite.org/howtocorrupt.html, 2.2).
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
    const kind = met instanceof Error && 'code' in met ? errnoKinds[String(met.code)] : undefined
    if (kind && met instanceof Error) return { kind, why: met.message }
  }
  return { kind: 'not_writable', why: thrown.message }
}
