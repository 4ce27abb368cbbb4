import type { ProblemKind } from '../../../src-preload/contract/problem.ts'
import { StudioError } from '../errors.ts'
import { diskProblem, sqliteCode } from '../shared/diskProblem.ts'

/** Translates an error of SQLite. Damage, a full disk and a lock become StudioErrors; a bug is returned unchanged. */
export function asStoreError(thrown: unknown, path?: string): unknown {
  const file = path ?? 'The database'
  const code = sqliteCode(thrown)
  const options = { cause: thrown }
  // SQLite's primary result codes: https://sqlite.org/rescode.html
  if (code === 11 || code === 26) {
    return damagedFile(file, options)
  }
  if (code === 5 || code === 6) {
    return new StudioError('database_locked', `${file} is locked by another process.`, {}, options)
  }
  const what = path ?? (code === null ? 'A file' : 'The database')
  return diskProblem(thrown, what, path) ?? thrown
}

/** For callers that must not recover the file. */
export const damagedFile = (file: string, options?: ErrorOptions): StudioError =>
  new StudioError(
    'store_damaged',
    `${file} is damaged or is not a database. It was not changed. The next start of Inference Studio recovers what can be read.`,
    {},
    options,
  )

const passingKinds: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  'database_locked',
  'disk_full',
  'not_writable',
  'too_many_open_files',
])
/** Whether a write may succeed later without a change: another process holds the lock, or the disk accepts no writes now. */
export function mayPass(thrown: unknown): boolean {
  const failure = asStoreError(thrown)
  if (!(failure instanceof StudioError)) return false
  return passingKinds.has(failure.kind)
}

/** Whether an error means that another process has locked a database: SQLite's own error, or the problem `database_locked`. */
export function isLocked(thrown: unknown): boolean {
  const failure = asStoreError(thrown)
  return failure instanceof StudioError && failure.kind === 'database_locked'
}

/** What SQLite says with its general code (1) about a search index whose stored definition is damaged (ext/fts5/fts5_config.c). */
const damagedIndex =
  /^(?:vtable constructor failed|parse error in|unrecognized (?:column )?option|no such tokenizer|error in tokenizer|reserved fts5|no such module: (?!fts5$))/

/** Whether SQLite found damage: malformed pages (11), a file that is not a database (26), or a damaged definition of a search index. */
export function isDamage(thrown: unknown): boolean {
  const cause = thrown instanceof StudioError ? thrown.cause : thrown
  const code = sqliteCode(cause)
  return code === 11 || code === 26 || (code === 1 && cause instanceof Error && damagedIndex.test(cause.message))
}

/** For a database that a newer version of this program has migrated. */
export const newer = (file: string, version: number, { migrations }: { migrations: readonly unknown[] }): StudioError =>
  new StudioError(
    'store_newer',
    `${file} was written by a newer version of Inference Studio (schema ${version}; this one knows ${migrations.length}). It was not changed.`,
  )
