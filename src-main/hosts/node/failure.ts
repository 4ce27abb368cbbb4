import { ORPCError } from '@orpc/server'
import { CommanderError } from 'commander'
import { problem } from '../../../src-preload/contract/problem.ts'
import { t } from '../../../src-renderer/i18n/cli.ts'
import { asStudioError, StudioError } from '../../core/errors.ts'
import { isSystemError } from '../../core/shared/diskProblem.ts'
import { exitCodes } from './output.ts'
import { fileError, ownError } from './ownWords.ts'

export const usageErrorCode = 'studio.usage'

/** For arguments that a command can't do together, found only when it runs. The exit code is that of a wrong option. */
export const usageError = (message: string): CommanderError =>
  new CommanderError(exitCodes.usage, usageErrorCode, message)

/** Converts any error of a command to a StudioError, including errors of core procedures, which arrive in their wire format. */
export function failureOf(thrown: unknown): StudioError {
  // A refused system call is a problem of this computer, not a bug.
  if (isSystemError(thrown)) {
    const path = 'path' in thrown && typeof thrown.path === 'string' ? thrown.path : null
    return fileError(thrown, path === null ? t('file.refused') : t('file.cantUse', { path }))
  }
  if (!(thrown instanceof ORPCError)) return asStudioError(thrown)
  const { data: reported } = problem.safeParse(thrown.data)
  if (reported) {
    const { kind, message, ...facts } = reported
    return new StudioError(kind, message, facts, { cause: thrown })
  }
  if (thrown.code === 'BAD_REQUEST') {
    return ownError('bad_input', t('output.notAccepted'), { cause: thrown })
  }
  return asStudioError(thrown)
}
