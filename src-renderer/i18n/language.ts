import type { FormatterModule } from 'i18next'
import { countText } from '../../src-preload/contract/amountText.ts'

/** Value of the language setting that follows the system. */
export const systemLanguage = 'system'

/** Scripts that are written from right to left. */
const rightToLeft = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg'])

/** A tag with the script and region that its language usually has: `zh-TW` becomes `zh-Hant-TW`. Null for what is no tag. */
function fullTag(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag).maximize()
  } catch {
    return null // such as `C` or `de_DE`
  }
}

/**
 * The language to show, of those `offered`: the one that a person chose, otherwise the first that the system prefers. A tag fits by
 * language and script, and by region where several do. English if none fits.
 * @param wanted language tags of the system, the preferred first
 */
export function pickLanguage(chosen: string, wanted: readonly string[], offered: readonly string[]): string {
  if (offered.includes(chosen)) return chosen
  const all = offered.map((tag) => ({ tag, full: fullTag(tag) }))
  for (const tag of wanted) {
    const full = fullTag(tag)
    const fits = all.filter((one) => one.full?.language === full?.language && one.full?.script === full?.script)
    const best = fits.find((one) => one.full?.region === full?.region) ?? fits[0]
    if (full !== null && best) return best.tag
  }
  return 'en'
}

/** The language of the process's locale, for a host that can't ask the system. */
export const localeOfProcess = (): string[] => [new Intl.DateTimeFormat().resolvedOptions().locale]

export const directionOf = (language: string): 'ltr' | 'rtl' =>
  rightToLeft.has(fullTag(language)?.script ?? '') ? 'rtl' : 'ltr'

/** A language's name in itself, as a title: `Deutsch`, `Português (Brasil)`. */
export function nameOf(language: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  const [first = ''] = name
  return first.toLocaleUpperCase(language) + name.slice(first.length)
}

/** A language as a locale for `Intl`. Figures are the same digits in every language, because amounts and code are copied. */
export const localeOf = (language: string): string => `${language}-u-nu-latn`

/** Options of i18next with which every value of a text passes `numbersInTexts`. React already escapes text. */
export const interpolation = { escapeValue: false, alwaysFormat: true } as const

/** Shows a number in a text with the separators of the language: `10,000`. What is no quantity, such as a port or an id, is given as a string. */
export const numbersInTexts: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value, _format, language) =>
    typeof value === 'number' ? countText(value, localeOf(language ?? 'en')) : value,
}

/** Texts of one area, by key. `count` selects between keys that end in `_one`, `_other` and the further plural forms of a language. */
export interface AreaTexts {
  readonly [key: string]: string | AreaTexts
}

/** Loads one file of texts. It exports them under the name of the file, which is their namespace. */
export type TextFiles = Readonly<Record<string, () => Promise<Record<string, AreaTexts>>>>

/** The languages that have files, by their folders: `./de/chat.ts` is one of German. */
export const languagesOf = (files: TextFiles): string[] => [
  ...new Set(Object.keys(files).map((path) => path.split('/')[1] ?? '')),
]

/** Loads the texts of one language: namespace and texts. @param isWanted selects namespaces; all by default */
export const loadTexts = (
  files: TextFiles,
  language: string,
  isWanted: (namespace: string) => boolean = () => true,
): Promise<[string, AreaTexts][]> =>
  Promise.all(
    Object.entries(files)
      .filter(([path]) => path.startsWith(`./${language}/`))
      .map(([path, load]) => ({ namespace: /([^/]+)\.ts$/.exec(path)?.[1] ?? '', load }))
      .filter(({ namespace }) => isWanted(namespace))
      .map(async ({ namespace, load }): Promise<[string, AreaTexts]> => [namespace, (await load())[namespace] ?? {}]),
  )
