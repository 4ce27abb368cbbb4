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

/** The plain letter of a character, an empty text for a mark, and the character itself where it is no letter with marks. */
function bareOf(letter: string): string {
  // Beyond are characters that only look alike, such as the compatibility forms of Han.
  if (letter >= '\u2000') return letter
  const bare = letter.normalize('NFD').replace(ignored, '')
  return bare.length > 1 ? letter : bare
}

/**
 * The source of a regular expression, for the flags `iu`, that finds a typed text in others as `folded` compares them. Never matches an
 * empty text, unless the typed text is empty.
 * @param space what matches one character of the typed text’s white space
 */
export function looseSource(typed: string, space = '[^\\S\\n]'): string {
  accented ??= accentedLetters()
  const letters = Array.from(typed, bareOf).filter((letter) => letter !== '')
  // Marks alone.
  if (letters.length === 0) return escaped(typed)
  const sharpS = `(?:${anyOf('s')}${anyOf('s')}|ß)[${marks}]*`
  let source = ''
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at] ?? ''
    if (/\s/u.test(letter)) {
      if (!/\s/u.test(letters[at - 1] ?? '')) source += `(?:${space}[${marks}]*)+`
    } else if (/^ß$/iu.test(letter)) source += sharpS
    else if (/^s$/i.test(letter) && /^s$/i.test(letters[at + 1] ?? '')) {
      source += sharpS
      at += 1
    } else source += anyOf(letter)
  }
  return source
}

/** Matches a letter with any accents, composed or not. */
function anyOf(letter: string): string {
  const others = `${accented?.get(letter.toLowerCase()) ?? ''}${accented?.get(letter.toUpperCase()) ?? ''}`
  return `${others === '' ? escaped(letter) : `[${letter}${others}]`}[${marks}]*`
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
