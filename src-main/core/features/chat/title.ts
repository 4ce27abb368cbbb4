const longest = 60

/** A conversation's first name: the start of what was asked, on one line. Null when there is nothing to read in it. */
export function titleOf(text: string): string | null {
  // Marks of Markdown that say nothing once they are not drawn: a name is plain text.
  const line = text
    .slice(0, 1000)
    .replace(/^\s*#{1,6}\s+/u, '')
    .replace(/\*\*|`+/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
  if (line === '') return null
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment)
  if (characters.length <= longest) return line
  const cut = characters.slice(0, longest).join('')
  const lastSpace = cut.lastIndexOf(' ')
  // At a word's end where there is one in the last third, so that no word is cut for nothing.
  return `${(lastSpace > cut.length * 0.66 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`
}

/** The same from a reply, where the question says nothing: its first line with words in it, without the marks of headings and lists. */
export function titleOfReply(text: string): string | null {
  for (const line of text.slice(0, 4000).split('\n')) {
    const words = line.replace(/^[\s#>*+\-\d.)|]+/u, '').replace(/[*_`~]+/gu, '')
    if (/\p{L}/u.test(words)) return titleOf(words)
  }
  return null
}
