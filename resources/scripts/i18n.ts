// `npm run i18n -- de`: prints what a translation lacks. Without a language: all that have a folder. `npm test` reports the same.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type AreaTexts, directionOf } from '../../src-renderer/i18n/language.ts'
import { root } from './ready.mjs'

const folder = join(root, 'src-renderer', 'i18n')

/** Texts of one language by file and key: `chat.ts` and `sending.title`. */
export type LanguageTexts = ReadonlyMap<string, ReadonlyMap<string, string>>

/** The languages that have a folder, English first. */
export const textLanguages: readonly string[] = [
  'en',
  ...globSync('*/common.ts', { cwd: folder })
    .map((path) => path.split(/[\\/]/)[0] ?? '')
    .filter((name) => name !== 'en')
    .sort(),
]

function leaves(texts: AreaTexts, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value] as [string, string]] : leaves(value, `${path}${key}.`),
  )
}

/** Reads the files of one language. @throws when a file does not export its texts under its own name */
export async function readTexts(language: string): Promise<LanguageTexts> {
  const files = globSync('{*,host/*}.ts', { cwd: join(folder, language) }).sort()
  const all = files.map(async (file): Promise<[string, Map<string, string>]> => {
    const name = /(\w+)\.ts$/.exec(file)?.[1] ?? ''
    const texts = (await import(pathToFileURL(join(folder, language, file)).href))[name]
    if (texts === undefined) throw new Error(`${language}/${file} exports no “${name}”.`)
    return [file.replaceAll('\\', '/'), new Map(leaves(texts))]
  })
  return new Map(await Promise.all(all))
}

const plural = /_(zero|one|two|few|many|other)$/
const placeholders = (text: string): string[] => (text.match(/\{\{[^}]*\}\}/g) ?? []).sort()
const tags = (text: string): string[] => (text.match(/<\/?\w+\/?>|\$t\([^)]*\)/g) ?? []).sort()

/** Words that are the same in every language. */
const sameWords = new Set(
  readFileSync(join(root, 'docs', 'i18n', 'same-words.txt'), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.split(' ')),
)
/** Scripts without Latin letters of their own. */
const otherScript = new Set(['ja', 'zh', 'ar', 'ko', 'ru', 'el', 'he', 'fa', 'hi', 'th', 'uk'])

/** What a person types on a command line: `--output FILE`, `inference-studio apps add NAME`. */
const typed = /(?<![\w-])(?:--?[a-z][\w-]*(?:[ =][A-Z]+\b)?|inference-studio(?: -*[a-z][\w-]*)*(?: [A-Z]+\b)?)/g

/** Latin words of a text that a translation should have replaced. Code, addresses and placeholders are left out. */
const wordsOf = (text: string): string[] =>
  (
    text
      .replace(typed, ' ')
      .replace(/\{\{[^}]*\}\}|<\/?\w+\/?>|\$t\([^)]*\)|https?:\/\/\S+|“[^”]*”|"[^"]*"|`[^`]*`/g, ' ')
      .match(/[A-Za-z][\w./-]*[A-Za-z]/g) ?? []
  ).filter((word) => /^[A-Za-z]+$/.test(word) && !sameWords.has(word))

/** Texts by their keys without plural forms. */
function byStem(texts: ReadonlyMap<string, string>): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>()
  for (const [key, text] of texts) {
    const form = plural.exec(key)?.[1] ?? ''
    const stem = key.replace(plural, '')
    found.set(stem, (found.get(stem) ?? new Map()).set(form, text))
  }
  return found
}

/** One line per fault of a translation, beginning with its file and key. Empty when nothing is missing, left over or broken. */
export function faultsOf(language: string, texts: LanguageTexts, english: LanguageTexts): string[] {
  const extra = [...texts.keys()].filter((file) => !english.has(file))
  return [
    ...extra.map((file) => `${file}: English has no such file`),
    ...[...english].flatMap(([file, wanted]) => {
      const [given, stems] = [byStem(texts.get(file) ?? new Map()), byStem(wanted)]
      const unused = [...given.keys()].filter((stem) => !stems.has(stem))
      return [
        ...unused.map((stem) => `${file} ${stem}: not in English, so not used`),
        ...[...stems].flatMap(([stem, source]) =>
          [
            ...faultsOfText(language, given.get(stem), source),
            // Terminals do not know the marks.
            ...(file.startsWith('host/cli') ? [] : turnedIn(language, given.get(stem))),
          ].map((words) => `${file} ${stem}: ${words}`),
        ),
      ]
    }),
  ]
}

/** The faults of one text in all of its plural forms. The form of a text without plural is empty. */
function faultsOfText(
  language: string,
  texts: ReadonlyMap<string, string> | undefined,
  source: ReadonlyMap<string, string>,
): string[] {
  const isPlural = !source.has('')
  const english = source.get(isPlural ? 'other' : '') ?? ''
  if (!texts) return [`missing: ${english}`]
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  const expected: string[] = isPlural ? [...pluralCategories].sort() : ['']
  const lacking = expected.filter((form) => !texts.has(form))
  const useless = [...texts.keys()].filter((form) => !expected.includes(form))
  return [
    ...(lacking.length > 0 ? [`lacks the plural ${lacking.join(', ')}`] : []),
    ...(useless.length > 0 ? [`has the plural ${useless.join(', ')}, which ${language} does not use`] : []),
    ...[...texts].flatMap(([form, text]) => faultsIn(text, english, form, language)),
  ]
}

/**
 * The fault of a text from right to left in which left-to-right text begins with punctuation, such as `/v1`: the sign would move to the other
 * end. Code and placeholders are isolated by the elements around them.
 */
function turnedIn(language: string, texts: ReadonlyMap<string, string> | undefined): string[] {
  const bare = [...(texts?.values() ?? [])].map((text) => text.replace(/`[^`]*`|\u2066[^\u2069]*\u2069/g, ''))
  const isTurned =
    directionOf(language) === 'rtl' && bare.some((text) => /(^|[\s"“«(])[/~#.+]+(?=[A-Za-z{])/.test(text))
  return isTurned ? ['a path or sign is turned around: put U+2066 and U+2069 around it'] : []
}

function faultsIn(text: string, source: string, form: string, language: string): string[] {
  const faults: string[] = []
  if (text.trim() === '') return ['empty']
  // A form for exactly one number may say it in words.
  const isFree = ['zero', 'one', 'two'].includes(form)
  const [own, others] = [placeholders(text), placeholders(source)].map((all) =>
    all.filter((name) => !isFree || !/^\{\{(count|shown|figure|requests)\}\}$/.test(name)),
  )
  if (String(own) !== String(others)) faults.push(`placeholders are ${own?.join(' ')}, not ${others?.join(' ')}`)
  if (String(tags(text)) !== String(tags(source)))
    faults.push(`tags are ${tags(text).join(' ')}, not ${tags(source).join(' ')}`)
  if (language === 'en') return faults
  if (otherScript.has(new Intl.Locale(language).language)) {
    const stray = wordsOf(text)
    if (stray.length > 0) faults.push(`English words: ${stray.join(', ')} (see docs/i18n/same-words.txt)`)
  } else if (text === source && wordsOf(source).length > 2) faults.push(`English: ${text}`)
  return faults
}

if (import.meta.main) {
  const english = await readTexts('en')
  const wanted = process.argv[2] === undefined ? textLanguages.slice(1) : [process.argv[2]]
  for (const language of wanted) {
    const faults = faultsOf(language, await readTexts(language), english)
    for (const fault of faults) console.log(`${language} ${fault}`)
    console.log(`${language}: ${faults.length === 0 ? 'complete' : `${faults.length} faults`}`)
    if (faults.length > 0) process.exitCode = 1
  }
}
