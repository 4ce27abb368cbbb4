import { countText } from '../../src-preload/contract/amountText.ts'
import type { Note } from '../../src-preload/contract/note.ts'
import type { AreaTexts } from './language.ts'

// Texts of notes and of the command line, which are found and filled in without i18next: the core makes them in English, and starts in less time.

/** The keys of a file of notes, which has groups: `import.copies`. */
type NoteKeyOf<Texts> = {
  [Group in keyof Texts & string]: `${Group}.${keyof Texts[Group] & string}`
}[keyof Texts & string]

type TextAt<Texts, Key> = Key extends `${infer Group extends keyof Texts & string}.${infer Name}`
  ? Name extends keyof Texts[Group]
    ? Texts[Group][Name]
    : never
  : never

/** `title` and `at` of `Chat {{at}} in {{title}}`. */
type Placeholder<Text> = Text extends `${string}{{${infer Name}}}${infer Rest}` ? Name | Placeholder<Rest> : never

/** The values that a note needs. */
type NoteValuesOf<Texts, Key> = Record<Placeholder<TextAt<Texts, Key>>, Note['values'][string]>

/** Makes notes of one file of texts. The compiler checks key and values. */
export type NoteMaker<Texts> = <Key extends NoteKeyOf<Texts>>(
  key: Key,
  ...values: Placeholder<TextAt<Texts, Key>> extends never ? [] : [values: NoteValuesOf<Texts, Key>]
) => Note

/** Makes notes of the English texts of a namespace. Its type is that of `NoteMaker` for these texts. */
export const noteMaker =
  (namespace: 'notes' | 'selfCheck', texts: AreaTexts) =>
  (key: string, values: Note['values'] = {}): Note => ({
    ...{ code: `${namespace}:${key}`, values },
    text: filled(
      find(texts, key) ?? key,
      valueTexts(values, 'en', ({ text }) => text),
      'en',
    ),
  })

/** The values of a note as texts. @param show shows a note inside of another one */
export const valueTexts = (
  values: Note['values'],
  locale: string,
  show: (inner: Note) => string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (typeof value === 'string') return [name, value]
      return [name, typeof value === 'number' ? countText(value, locale) : show(value)]
    }),
  )

/** Replaces placeholders by values, numbers with separators. Leaves a placeholder without a value as it is. */
export const filled = (
  words: string,
  values: Readonly<Record<string, string | number>> | undefined,
  locale: string,
): string =>
  values === undefined
    ? words
    : words.replace(/\{\{(\w+)\}\}/g, (all, name: string) => {
        const value = values[name] ?? all
        return typeof value === 'number' ? countText(value, locale) : value
      })

/** The text of a dotted key. */
export function find(texts: AreaTexts | undefined, key: string): string | undefined {
  let at: AreaTexts | string | undefined = texts
  for (const name of key.split('.')) at = typeof at === 'object' && Object.hasOwn(at, name) ? at[name] : undefined
  return typeof at === 'string' ? at : undefined
}

/**
 * A note in the language of the texts, in English where they lack it.
 * @param texts the texts of a namespace, if they are loaded @param prepare changes each value, such as isolating its direction
 */
export function noteText(
  { code, values, text }: Note,
  { texts, locale, prepare = (value) => value }: NoteLanguage,
): string {
  const [namespace = '', key = ''] = code.split(':')
  const words = find(texts(namespace), key)
  if (words === undefined) return text
  const shown = valueTexts(values, locale, (inner) => noteText(inner, { texts, locale, prepare }))
  const prepared = Object.entries(shown).map(([name, value]) => [name, prepare(value)])
  return filled(words, Object.fromEntries(prepared), locale)
}

interface NoteLanguage {
  texts(namespace: string): AreaTexts | undefined
  locale: string
  prepare?(value: string): string
}
