/** Text as it is looked through: compatibility forms as one, no accents, no case. What is typed is folded alike. */
export function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase()
}

/** What is typed into a search field, word by word: each is to be found somewhere. */
export function foldedWords(search: string): string[] {
  return folded(search).split(/\s+/).filter(Boolean)
}
