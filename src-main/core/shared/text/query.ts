import { standsAlone, words } from './splitWords.ts'

/** What was typed, as terms: each is one word, or the characters of one that follow each other. All of them must occur. */
export interface SearchQuery {
  terms: readonly (readonly string[])[]
  /** The last word of the last term may be the beginning of a longer one: nothing was typed after it. */
  open: boolean
}

const most = 32

/** Quotes, operators and signs mean nothing but the end of a word. Null where nothing is left to look for. */
export function readQuery(typed: string): SearchQuery | null {
  const terms: string[][] = []
  let term: string[] = []
  let end = 0
  for (const word of words(typed)) {
    // What was typed without a space between, such as `don't` or `foo_bar`, stands so in the text: a phrase.
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
  return { terms: terms.slice(0, most), open: typing && !standsAlone(term.at(-1) ?? '') }
}

/** The query in the language of FTS5. Every word stands in quotes and holds no letter but those of words. */
export function asMatch({ terms, open }: SearchQuery): string {
  return terms
    .map((term, index) => `"${term.join(' ')}"${open && index === terms.length - 1 ? ' *' : ''}`)
    .join(' AND ')
}

/** What folded words, each with a space before and after, must have in them to match: for `instr` over small tables. */
export function needles({ terms, open }: SearchQuery): string[] {
  return terms.map((term, index) => ` ${term.join(' ')}${open && index === terms.length - 1 ? '' : ' '}`)
}

/** Whether folded words, each with a space before and after, have all terms: for titles, which are short. */
export const matches = (title: string, query: SearchQuery): boolean =>
  needles(query).every((needle) => title.includes(needle))
