import type { ProblemKind } from '../../../src-preload/contract/problem.ts'
import { StudioError } from '../../core/errors.ts'

/** Kind and reason of a failed file operation, by error code (errno). */
const reasons = new Map<string, readonly [kind: ProblemKind, words: string]>([
  ['ENOSPC', ['disk_full', 'the disk is full']],
  ['EDQUOT', ['disk_full', 'the disk quota is used up']],
  ['EACCES', ['not_writable', 'permission is missing']],
  ['EPERM', ['not_writable', 'permission is missing']],
  ['EROFS', ['not_writable', 'the file system is read-only']],
  ['ENOENT', ['bad_input', 'no such file or folder']],
  ['ENOTDIR', ['bad_input', 'a part of the path is not a folder']],
  ['EISDIR', ['bad_input', 'it is a folder']],
  ['EEXIST', ['bad_input', 'it exists already']],
  ['ENOTEMPTY', ['bad_input', 'it exists already']],
  ['ENAMETOOLONG', ['bad_input', 'the name is too long']],
  ['ELOOP', ['bad_input', 'its symbolic links form a loop']],
  ['ENXIO', ['bad_input', 'it is a device or a pipe']],
  ['EFBIG', ['bad_input', 'the file would be too large']],
  ['EIO', ['bad_input', 'the disk reported an error']],
])

/** The error code of a system error, such as `ENOENT`, or null. */
export const codeOf = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null

/** Whether a system call failed. Other errors are bugs or already have a message for people. */
export const isSystemError = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && 'syscall' in thrown && codeOf(thrown) !== null

/**
 * Converts a failed file operation to a sentence such as "The file /a/b can’t be written: the disk is full (ENOSPC)."
 * @param failed the first half of the sentence, without a full stop
 * @returns StudioError `disk_full`, `not_writable`, else `bad_input`
 */
export function fileProblem(thrown: Error, failed: string): StudioError {
  const code = codeOf(thrown)
  const [kind, words] = reasons.get(code ?? '') ?? ['bad_input', thrown.message.replace(/^\w+: /, '')]
  return new StudioError(kind, `${failed}: ${words}${code === null ? '' : ` (${code})`}.`, {}, { cause: thrown })
}
