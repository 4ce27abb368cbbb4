import { InvalidArgumentError, Option } from 'commander'
import { instantOf } from '../../core/shared/days.ts'

// Options and checks of arguments that more than one command has.

export const json = (): Option => new Option('--json', 'JSON on standard output, one document a line').default(false)

/** An empty name (an unset variable of a shell) would mean the current folder, and is refused. */
export const dataFolder = (about = 'the data folder'): Option => new Option('--data-dir <dir>', about).argParser(path)

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

/** A path as the operating system takes it; whether something is there is for the command to find out. */
export function path(text: string): string {
  if (text.includes('\0')) throw new InvalidArgumentError('A path has no NUL character.')
  // Node puts U+FFFD in the place of bytes that are not UTF-8: the file would get another name than the one that was typed.
  if (text.includes('\ufffd')) throw new InvalidArgumentError('A path must be valid UTF-8.')
  return nonEmpty(text)
}

/** A name as the contract takes it: one line of at most 80 characters. */
export function shortName(text: string): string {
  if (text.trim().length > 80) throw new InvalidArgumentError('At most 80 characters.')
  if (/\p{Cc}/u.test(text)) throw new InvalidArgumentError('It must be one line of text.')
  return nonEmpty(text).trim()
}

/** Days before that are no service's, and two-digit years would be taken for the 20th century's. */
const firstDay = '1970-01-01'

export function day(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && instantOf(text) !== null
  if (!isDay || text < firstDay) throw new InvalidArgumentError(`A day from ${firstDay} on, such as 2026-11-21.`)
  return text
}

/** An instant in UTC, as `toISOString` writes it. Without a time it is the day's begin, without a zone UTC. */
export function instant(text: string): string {
  const isWhole = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}\S*)?$/.test(text)
  const at = isWhole ? instantOf(text) : null
  if (at === null || text < firstDay) {
    throw new InvalidArgumentError(`A time from ${firstDay} on, such as 2026-11-21 or 2026-11-21T14:05:00Z.`)
  }
  return new Date(at).toISOString()
}
