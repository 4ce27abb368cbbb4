/**
 * Languages made from the English texts, which no person can choose. They reveal layouts that a translation would break: longer words, other
 * letters, text from right to left.
 */
export const pseudoLanguages = ['en-XA', 'ar-XB'] as const
export type PseudoLanguage = (typeof pseudoLanguages)[number]

export const isPseudo = (language: string): language is PseudoLanguage =>
  (pseudoLanguages as readonly string[]).includes(language)

/** Brackets around every text. Untranslated text lacks both brackets, and truncated text lacks the closing bracket. */
export const opening = '⟦'
export const closing = '⟧'

const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const accented = 'áƀçðéƒĝĥîĵķļɱñöþɋřšţûṽŵẋýžÅßÇÐÉƑĜĤÎĴĶĻṀÑÖÞɊŘŠŢÛṼŴẊÝŽ'
const padding = 'one two three four five six seven eight nine ten '

// Unicode controls that start and end a right-to-left override (UAX #9).
const rightToLeft = '\u202e'
const end = '\u202c'

/** Placeholders and markup that stay unchanged: `{{name}}`, `$t(key)`, `<1>`. */
const kept = /(\{\{[^}]*\}\}|\$t\([^)]*\)|<\/?\w+>)/

/** Converts one text to a pseudo language. `en-XA` adds 40 %, at least two characters: single words grow most in translation. */
export function pseudoText(text: string, language: PseudoLanguage): string {
  const parts = text.split(kept)
  const said = parts.map((part, at) => (at % 2 === 1 ? part : change(part, language))).join('')
  if (language === 'ar-XB') return `${opening}${said}${closing}`
  const letters = parts.filter((_, at) => at % 2 === 0).join('').length
  const more = Math.max(2, Math.ceil(letters * 0.4))
  return `${opening}${said} ${padding
    .repeat(Math.ceil(more / padding.length))
    .slice(0, more)
    .trim()}${closing}`
}

function change(part: string, language: PseudoLanguage): string {
  if (language === 'en-XA') return part.replace(/[a-zA-Z]/g, (letter) => accented.charAt(plain.indexOf(letter)))
  // Spaces stay outside of the overrides, so that lines can break.
  return part.replace(/\S+/g, (word) => `${rightToLeft}${word}${end}`)
}

export type Texts = { readonly [key: string]: string | Texts }

/** Converts all texts to a pseudo language. Arabic has six plural forms (CLDR). Forms that English lacks use the `other` form. */
export function pseudoTexts(texts: Texts, language: PseudoLanguage): Texts {
  const made: Record<string, string | Texts> = {}
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value !== 'string') {
      made[key] = pseudoTexts(value, language)
      continue
    }
    made[key] = pseudoText(value, language)
    const stem = /^(.+)_other$/.exec(key)?.[1]
    if (stem === undefined || language !== 'ar-XB') continue
    for (const form of ['zero', 'two', 'few', 'many']) made[`${stem}_${form}`] ??= pseudoText(value, language)
  }
  return made
}
