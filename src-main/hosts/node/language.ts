import { localeOfProcess } from '../../../src-renderer/i18n/language.ts'

// Which language a command speaks (decision 0061).

/** Commands whose output is a file for other programs and packages, which is English unless `--lang` asks. */
const forPackages: ReadonlySet<string> = new Set(['man', 'completion'])

/**
 * Language tags for a command line, the preferred first. Empty for English. `--lang` comes before the terminal's locale. With `--json`, and
 * where the messages of `serve` are a log, a program reads what is printed.
 * @param argv without node and script
 */
export function wantedLanguages(
  argv: readonly string[],
  { env = process.env, platform = process.platform, isTerminal = process.stderr.isTTY === true } = {},
): readonly string[] {
  const end = argv.indexOf('--')
  const typed = end < 0 ? argv : argv.slice(0, end)
  const chosen = typed.findIndex((one) => /^--lang(?:=|$)/.test(one))
  const [command] = typed.filter((one, at) => !one.startsWith('-') && typed[at - 1] !== '--lang')
  if (typed.includes('--json') || (command === 'serve' && (!isTerminal || logsJson(typed)))) return []
  if (chosen >= 0) return [typed[chosen]?.slice('--lang='.length) || (typed[chosen + 1] ?? '')]
  if (forPackages.has(command ?? '')) return []
  return localesOf(env) ?? (platform === 'win32' ? localeOfProcess() : [])
}

const logsJson = (typed: readonly string[]): boolean =>
  typed.some((one, at) => one === '--log=json' || (one === 'json' && typed[at - 1] === '--log'))

/**
 * The languages of the locale for messages, as gettext reads them: `LC_ALL`, `LC_MESSAGES` or `LANG`, and `LANGUAGE` before it, which counts
 * only beside a locale. Null when no variable is set.
 */
function localesOf({ LC_ALL, LC_MESSAGES, LANG, LANGUAGE }: NodeJS.ProcessEnv): string[] | null {
  const locale = LC_ALL || LC_MESSAGES || LANG
  if (!locale) return null
  if (isPosix(locale)) return []
  return [...(LANGUAGE ?? '').split(':'), locale].filter((one) => one !== '').flatMap(tagsOf)
}

const isPosix = (locale: string): boolean => /^(?:C|POSIX)(?:[._]|$)/.test(locale)

/** `de_AT.UTF-8@euro` is `de-AT`. */
const tagsOf = (locale: string): string[] =>
  isPosix(locale) ? ['en'] : [locale.replace(/[.@].*$/s, '').replaceAll('_', '-')]
