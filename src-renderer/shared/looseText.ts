// Comparing texts as a person means them: regardless of case, accents, vowel signs of Arabic and Hebrew, and the two spellings of ß.

/** Marks that a search ignores. Voice marks of kana and the marks of Indic scripts make other letters, so they count. */
const marks = '\\u0300-\\u036f\\u0591-\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06ed'
const ignored = new RegExp(`[${marks}]`, 'gu')

/** A text in the form in which two texts are compared. */
export const folded = (text: string): string =>
  text.normalize('NFKD').replace(ignored, '').normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ')

/** Whether a text contains every word of a search, in any order. */
export function containsWords(text: string, search: string): boolean {
  const words = folded(search).split(/\s+/).filter(Boolean)
  const all = folded(text)
  return words.every((word) => all.includes(word))
}

/** Letters with accents by their plain letter, such as `éèê` for `e`. */
let accented: Map<string, string> | null = null

function accentedLetters(): Map<string, string> {
  const found = new Map<string, string>()
  // All composed letters of Latin, Greek, Cyrillic, Hebrew and Arabic.
  for (let code = 0xc0; code < 0x2000; code += 1) {
    const letter = String.fromCodePoint(code)
    const bare = letter.normalize('NFD').replace(ignored, '')
    if (bare !== letter && bare.length === 1) found.set(bare, (found.get(bare) ?? '') + letter)
  }
  return found
}

/**
 * The source of a regular expression, for the flags `iu`, that finds a typed text in others as `folded` compares them.
 * @param space what matches white space of the typed text
 */
export function looseSource(typed: string, space = '[^\\S\\n]+'): string {
  accented ??= accentedLetters()
  const letters = [...typed.normalize('NFC').replace(/ß/giu, 'ss')].flatMap((letter) =>
    letter < '\u2000' ? [...letter.normalize('NFD').replace(ignored, '')] : [letter],
  )
  let source = ''
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at] ?? ''
    if (/\s/u.test(letter)) {
      if (!/\s/u.test(letters[at - 1] ?? '')) source += space
    } else if (/^s$/i.test(letter) && /^s$/i.test(letters[at + 1] ?? '')) {
      source += `(?:${one('s')}${one('s')}|ß)`
      at += 1
    } else source += one(letter)
  }
  return source

  function one(letter: string): string {
    const escaped = letter.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
    const others = `${accented?.get(letter.toLowerCase()) ?? ''}${accented?.get(letter.toUpperCase()) ?? ''}`
    const base = others === '' ? escaped.replace('\\-', '-') : `[${letter}${others}]`
    return /[\p{L}\p{N}]/u.test(letter) ? `${base}[${marks}]*` : base
  }
}
