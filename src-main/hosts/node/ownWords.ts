import type { Problem } from '../../../src-preload/contract/problem.ts'
import { statusGroupOf } from '../../../src-preload/contract/statusGroup.ts'
import { problemText, showNote, t } from '../../../src-renderer/i18n/cli.ts'
import { cli } from '../../../src-renderer/i18n/en/host/cli.ts'
import { StudioError } from '../../core/errors.ts'
import { codeOf, fileProblem } from '../../core/shared/diskProblem.ts'

// Errors in the words of the command line, which are in the person's language. Errors of the core are in English.

const own = new WeakSet<StudioError>()

/** An error of the command line. @param words a text of `t` */
export function ownError(kind: StudioError['kind'], words: string, options?: ErrorOptions): StudioError {
  const error = new StudioError(kind, words, {}, options)
  own.add(error)
  return error
}

/** What an error in English means, in the person's language. Null where its own words say it: in English, and for an `ownError`. */
export function meaningOf(failed: StudioError | Problem): string | null {
  if (failed instanceof StudioError && own.has(failed)) return null
  const { status } = failed instanceof StudioError ? failed.facts : failed
  if (failed.kind === 'unexpected_status' && status !== undefined)
    return problemText('statuses', statusGroupOf(status), { status })
  return problemText('kinds', failed.kind)
}

/** The message of a failure, in the person's language if it is a note. */
export function messageOf(failed: StudioError | Problem): string {
  const { note } = failed instanceof StudioError ? failed.facts : failed
  return showNote(note ?? failed.message)
}

/** The words of a failure inside of another sentence or a table. */
export function wordsOf(failed: StudioError | Problem): string {
  const meaning = meaningOf(failed)
  const message = messageOf(failed)
  return meaning === null ? message : t('because', { meaning, message })
}

const isReason = (code: string | null): code is keyof typeof cli.reasons => code !== null && code in cli.reasons

/** As `fileProblem` of the core. @param failed what failed, a text of `t`, without a full stop */
export function fileError(thrown: Error, failed: string): StudioError {
  const { kind, message } = fileProblem(thrown, failed)
  const code = codeOf(thrown)
  const words = isReason(code) ? t('file.failed', { failed, reason: t(`reasons.${code}`), code }) : message
  return ownError(kind, words, { cause: thrown })
}
