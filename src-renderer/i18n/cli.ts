/// <reference types="vite/types/import-meta.d.ts" />
import type { Sentence } from '../../src-preload/contract/note.ts'
import { cli } from './en/host/cli.ts'
import { cliHelp } from './en/host/cliHelp.ts'
import { type AreaTexts, languagesOf, loadTexts, localeOf, pickLanguage, type TextFiles } from './language.ts'
import { filled, find, noteText } from './noteText.ts'

// The texts of the command line. i18next would take a fifth of the time that a command needs to start (decision 0061), so a text is found and
// filled in here, from the same files.

const english = { cli, cliHelp }

/** Without the bundler, as tests start programs, there is English only. */
const files: TextFiles =
  import.meta.env === undefined
    ? {}
    : import.meta.glob<Record<string, AreaTexts>>([
        './*/host/cli*.ts',
        './*/problems.ts',
        './*/notes.ts',
        './*/selfCheck.ts',
        '!./en/**',
      ])

/** Languages of the command line. */
export const languages: readonly string[] = ['en', ...languagesOf(files)]

let language = 'en'
let texts: Readonly<Record<string, AreaTexts>> = english
/** Of the language. Created when a text needs it: that takes milliseconds, and the help has no plural. */
let forms: Intl.PluralRules | null = null

type Leaf<T, Path extends string> = {
  [Key in keyof T & string]: T[Key] extends string ? `${Path}${Key}` : Leaf<T[Key], `${Path}${Key}.`>
}[keyof T & string]
type Stem<Key> = Key extends `${infer Name}_one` ? Name : Key extends `${infer Name}_other` ? Name : Key
type KeyOf<Area extends keyof typeof english> = Stem<Leaf<(typeof english)[Area], ''>>
type Values = Readonly<Record<string, string | number>>

/** Key of a help text, without its namespace. */
export type HelpKey = KeyOf<'cliHelp'>

/**
 * Speaks the best language for these tags from now on, English if none fits. Resolves to the language.
 * @param wanted language tags, the preferred first
 */
export async function speak(wanted: readonly string[]): Promise<string> {
  // Matching tags takes 9 ms, so English is known without it.
  const chosen = isEnglish(wanted[0]) ? 'en' : pickLanguage('', wanted, languages)
  if (chosen !== language) {
    texts = chosen === 'en' ? english : Object.fromEntries(await loadTexts(files, chosen))
    language = chosen
    forms = null
  }
  return chosen
}

const isEnglish = (tag: string | undefined): boolean => tag === undefined || /^en(?:-|$)/i.test(tag)

/** The language in use as a locale for `Intl`. */
export const locale = (): string => localeOf(language)

/** Joins names: `--web and --api`. */
export const and = (names: readonly string[]): string => new Intl.ListFormat(locale()).format(names)

/** Joins alternatives: `zip or markdown`. */
export const or = (names: readonly string[]): string =>
  new Intl.ListFormat(locale(), { type: 'disjunction' }).format(names)

/** A message. Numbers are shown with separators, and `count` chooses the plural form. A port or an id is given as a string. */
export const t = (key: KeyOf<'cli'>, values?: Values): string => text('cli', key, values)

/** A note, or a text as it is. */
export const showNote = (one: Sentence): string =>
  typeof one === 'string' ? one : noteText(one, { texts: (namespace) => texts[namespace], locale: locale() })

/** A text of the help. */
export const help = (key: HelpKey, values?: Values): string => text('cliHelp', key, values)

/** Problems whose meaning speaks of the window. */
const wordsOfWindow = new Set(['no_such_item'])

const asSentence = (words: string): string => (/[.!?。！？؟]$/u.test(words) ? words : words + t('fullStop'))

/** The title and the meaning of a problem in the person's language. Null for English, whose errors say it in their own words. */
export function problemText(group: 'kinds' | 'statuses', name: string, values?: Values): string | null {
  if (language === 'en') return null
  const [title, meaning] = (['title', 'meaning'] as const).map((part) =>
    find(texts.problems, `${group}.${name}.${part}`),
  )
  if (title === undefined || meaning === undefined) return null
  return [asSentence(title), ...(wordsOfWindow.has(name) ? [] : [filled(meaning, values, locale())])].join(' ')
}

function text(area: keyof typeof english, key: string, values?: Values): string {
  const count = values?.count
  if (typeof count !== 'number') return filled(find(texts[area], key) ?? key, values, locale())
  forms ??= new Intl.PluralRules(language)
  const found = find(texts[area], `${key}_${forms.select(count)}`) ?? find(texts[area], `${key}_other`)
  return filled(found ?? key, values, locale())
}
