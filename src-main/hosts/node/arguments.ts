import { type Command, InvalidArgumentError, Option } from 'commander'
import { instantOf } from '../../../src-preload/contract/limitText.ts'

// Options and argument parsers that several commands share.

export const json = (): Option => new Option('--json', 'print JSON, one document per line').default(false)

/** `--data-dir`. An empty value, such as an unset shell variable, is refused: it would mean the current folder. */
export const dataFolder = (
  about = 'data folder (default: $INFERENCE_STUDIO_DATA_DIR, else the folder of this user)',
): Option => new Option('--data-dir <dir>', about).argParser(path)

/** Appends an "Examples" section to the help of a command. */
export const withExamples = (command: Command, lines: readonly string[]): Command =>
  command.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  $ ${line}`)].join('\n'))

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

/** A path without NUL and in valid UTF-8. The command checks whether the file exists. */
export function path(text: string): string {
  if (text.includes('\0')) throw new InvalidArgumentError('A path has no NUL character.')
  // Node replaces bytes that are not UTF-8 with U+FFFD, so the file would get another name than the one typed.
  if (text.includes('\ufffd')) throw new InvalidArgumentError('A path must be valid UTF-8.')
  return nonEmpty(text)
}

/** A name as the contract accepts it: one line of at most 80 characters, trimmed. */
export function shortName(text: string): string {
  if (text.trim().length > 80) throw new InvalidArgumentError('At most 80 characters.')
  if (/\p{Cc}/u.test(text)) throw new InvalidArgumentError('It must be one line of text.')
  return nonEmpty(text).trim()
}

/** Earlier days are refused: no service reports them, and `Date` reads two-digit years as 19xx. */
const firstDay = '1970-01-01'

/** A calendar day, `YYYY-MM-DD`. */
export function day(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && instantOf(text) !== null
  if (!isDay || text < firstDay) throw new InvalidArgumentError(`A day from ${firstDay} on, such as 2026-11-21.`)
  return text
}

/** An instant as `toISOString` formats it. Without a time it is 00:00, without a zone UTC. */
export function instant(text: string): string {
  const isWhole = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}\S*)?$/.test(text)
  const at = isWhole ? instantOf(text) : null
  if (at === null || text < firstDay) {
    throw new InvalidArgumentError(`A time from ${firstDay} on, such as 2026-11-21 or 2026-11-21T14:05:00Z.`)
  }
  return new Date(at).toISOString()
}

export function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= 65_535)) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return number
}
