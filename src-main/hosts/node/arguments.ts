import { InvalidArgumentError, Option } from 'commander'
import { help, languages, t } from '../../../src-renderer/i18n/cli.ts'
import { pickLanguage } from '../../../src-renderer/i18n/language.ts'
import { isTime } from './times.ts'

// Options and argument parsers that several commands share.

export const json = (): Option => new Option('--json', help('option.json')).default(false)

/** `--data-dir`. An empty value, such as an unset shell variable, is refused: it would mean the current folder. */
export const dataFolder = (): Option => new Option('--data-dir <dir>', help('option.dataDir')).argParser(path)

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError(t('invalid.empty'))
  return text
}

/** A path without NUL and in valid UTF-8. The command checks whether the file exists. */
export function path(text: string): string {
  if (text.includes('\0')) throw new InvalidArgumentError(t('invalid.nul'))
  // Node replaces bytes that are not UTF-8 with U+FFFD, so the file would get another name than the one typed.
  if (text.includes('\ufffd')) throw new InvalidArgumentError(t('invalid.utf8'))
  return nonEmpty(text)
}

/** A name as the contract accepts it: one line of at most 80 characters, trimmed. */
export function shortName(text: string): string {
  if (text.trim().length > 80) throw new InvalidArgumentError(t('invalid.longName'))
  if (/\p{Cc}/u.test(text)) throw new InvalidArgumentError(t('invalid.lines'))
  return nonEmpty(text).trim()
}

/** A time in one of the forms that `times.ts` reads. The command reads it, because its meaning depends on now and on `--tz`. */
export function time(text: string): string {
  if (!isTime(text)) throw new InvalidArgumentError(t('invalid.time', { forms: help('times') }))
  return text
}

/** An IANA time zone, or `local` for that of this computer. */
export function zone(text: string): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (text === 'local') return timeZone
  if (text.toUpperCase() === 'UTC') return 'UTC'
  // Node also reads offsets here, which have no summer time.
  if (!/^[A-Za-z]/.test(text) || !isZone(text)) {
    throw new InvalidArgumentError(t('invalid.zone'))
  }
  return text
}

function isZone(text: string): boolean {
  try {
    Intl.DateTimeFormat('en-US', { timeZone: text })
    return true
  } catch {
    return false
  }
}

export function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= 65_535)) throw new InvalidArgumentError(t('invalid.port'))
  return number
}

/** The value of `--lang`. */
export function language(text: string): string {
  const found = pickLanguage('', [text], languages)
  if (found === 'en' && !/^en(?:-|$)/i.test(text)) {
    throw new InvalidArgumentError(t('invalid.language', { languages: languages.join(', ') }))
  }
  return text
}
