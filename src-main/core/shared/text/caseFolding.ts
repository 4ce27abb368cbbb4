/** Text normalized for comparison: compatibility forms unified, no accents, lower case. Search terms are normalized in the same way. */
export function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase()
}

/** The words of a search field's text, normalized. A match must contain each of them. */
export function foldedWords(search: string): string[] {
  return folded(search).split(/\s+/).filter(Boolean)
}
