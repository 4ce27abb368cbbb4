import { isCharacterWord, words } from '../../../shared/text/splitWords.ts'

/** A word of a question, in the syntax of FTS5. */
export interface QueryWord {
  /** The folded word, for counting its occurrences. Null for a pair of characters of a script without spaces. */
  word: string | null
  /** Alternatives for FTS5, each a quoted phrase. Phrases contain only characters of words, so typed text is never interpreted as syntax. */
  phrases: string[]
}

/** How much of a message is read, UTF-16 units, and how many different words of it are searched. */
const maxLength = 20_000
const maxWords = 200
/** A word of this length or more also finds words with another ending, such as invoice for invoices. Characters. */
const minStemmed = 6
const ending = 2
const letters = /^\p{L}+$/u

/** The different words of a message. Punctuation, quotes and operators only separate words. */
export function queryWords(text: string): QueryWord[] {
  const found = new Map<string, QueryWord>()
  let previous: { folded: string; joined: boolean } | null = null
  for (const word of words(text.slice(0, maxLength))) {
    if (found.size >= maxWords) break
    const { folded, joined } = word
    if (isCharacterWord(folded)) {
      const pair: string | null =
        previous?.joined && isCharacterWord(previous.folded) ? `${previous.folded} ${folded}` : null
      if (pair !== null) found.set(pair, { word: null, phrases: [`"${pair}"`] })
      else if (!joined) found.set(folded, { word: folded, phrases: [`"${folded}"`] })
    } else found.set(folded, { word: folded, phrases: [`"${folded}"`, ...stem(folded)] })
    previous = { folded, joined }
  }
  return [...found.values()]
}

function stem(folded: string): string[] {
  if (folded.length < minStemmed || !letters.test(folded)) return []
  const start = folded.slice(0, -ending)
  // A slice must not end inside of a surrogate pair.
  return start.isWellFormed() ? [`"${start}" *`] : []
}
