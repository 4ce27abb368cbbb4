import { countText } from '../../src-preload/contract/amountText.ts'
import type { Note } from '../../src-preload/contract/note.ts'
import type { AreaTexts } from './language.ts'

// Texts of notes and of the command line, which are found and filled in without i18next: the core makes them in English, and starts in less time.

/** Dotted keys of the texts of a file, each with its text. */
type Leaf<Texts, Path extends string> = {
  [Key in keyof Texts & string]: Texts[Key] extends string
    ? { key: `${Path}${Key}`; text: Texts[Key] }
    : Leaf<Texts[Key], `${Path}${Key}.`>
}[keyof Texts & string]

/** The dotted keys of a file of texts. */
export type TextKey<Texts> = Leaf<Texts, ''>['key']

/** `title` and `at` of `Chat {{at}} in {{title}}`. */
type Placeholder<Text extends string> = Text extends `${string}{{${infer Name}}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never

/** The values that a text needs. */
export type ValuesOf<Texts, Key extends TextKey<Texts>> = Record<
  Placeholder<Extract<Leaf<Texts, ''>, { key: Key }>['text']>,
  Note['values'][string]
>

/** A parameter for values, absent when there are none. */
export type Given<Values> = [keyof Values] extends [never] ? [] : [values: Values]

/** Makes notes of the English texts of a namespace. The compiler checks keys and values. */
export const noteMaker =
  <Texts extends AreaTexts>(namespace: 'notes' | 'selfCheck', texts: Texts) =>
  <Key extends TextKey<Texts>>(key: Key, ...[values = {}]: Given<ValuesOf<Texts, Key>> | []): Note => ({
    ...{ code: `${namespace}:${key}`, values: values as Note['values'] },
    text: filled(
      find(texts, key) ?? key,
      valueTexts(values, 'en', ({ text }) => text),
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

/** Replaces placeholders by values. Leaves a placeholder without a value as it is. */
export const filled = (words: string, values?: Readonly<Record<string, string | number>>): string =>
  values === undefined ? words : words.replace(/\{\{(\w+)\}\}/g, (all, name: string) => String(values[name] ?? all))

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
  return filled(words, Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, prepare(value)])))
}

interface NoteLanguage {
  texts(namespace: string): AreaTexts | undefined
  locale: string
  prepare?(value: string): string
}
