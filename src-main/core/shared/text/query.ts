import { isCharacterWord, words } from './splitWords.ts'

/** A search query as terms. Each term is a word, or characters of a word that follow each other. A match must contain all terms. */
export interface SearchQuery {
  terms: readonly (readonly string[])[]
  /** Whether the last word of the last term may be the beginning of a longer word, because nothing was typed after it. */
  open: boolean
}

const most = 32

/** Parses a search query. Quotes, operators and punctuation only separate words. Null when there is no word. */
export function readQuery(typed: string): SearchQuery | null {
  const terms: string[][] = []
  let term: string[] = []
  let end = 0
  for (const word of words(typed)) {
    // Text that was typed without a space, such as `don't` or `foo_bar`, is a phrase: its words must follow each other.
    if (term.length > 0 && /\s/u.test(typed.slice(end, word.start))) {
      terms.push(term)
      term = []
    }
    term.push(word.folded)
    end = word.end
  }
  if (term.length > 0) terms.push(term)
  if (terms.length === 0) return null
  const typing = !/\s/u.test(typed.slice(end)) && terms.length <= most
  return { terms: terms.slice(0, most), open: typing && !isCharacterWord(term.at(-1) ?? '') }
}

/** The query in the syntax of FTS5. Every word is quoted and contains only characters of words. */
export function asMatch({ terms, open }: SearchQuery): string {
  return terms
    .map((term, index) => `"${term.join(' ')}"${open && index === terms.length - 1 ? ' *' : ''}`)
    .join(' AND ')
}

/** The strings that folded text must contain to match, for `instr` over small tables. The text needs a space before and after each word. */
export function needles({ terms, open }: SearchQuery): string[] {
  return terms.map((term, index) => ` ${term.join(' ')}${open && index === terms.length - 1 ? '' : ' '}`)
}

/** Whether folded text, with a space before and after each word, matches a query. For short texts such as titles. */
export const matches = (title: string, query: SearchQuery): boolean =>
  needles(query).every((needle) => title.includes(needle))
