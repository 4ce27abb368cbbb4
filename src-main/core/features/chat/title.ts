const maxTitleLength = 60

/** First title of a conversation: the start of the question on one line. Null if the text is blank. */
export function titleOf(text: string): string | null {
  // Removes Markdown marks, because titles are plain text.
  const line = text
    .slice(0, 1000)
    .replace(/^\s*#{1,6}\s+/u, '')
    .replace(/\*\*|`+/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
  if (line === '') return null
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment)
  if (characters.length <= maxTitleLength) return line
  const cut = characters.slice(0, maxTitleLength).join('')
  const lastSpace = cut.lastIndexOf(' ')
  // Cuts at the last space if it is in the last third of the title.
  return `${(lastSpace > cut.length * 0.66 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`
}

/** Title from a reply: its first line with letters, without marks of headings and lists. */
export function titleOfReply(text: string): string | null {
  for (const line of text.slice(0, 4000).split('\n')) {
    const words = line.replace(/^[\s#>*+\-\d.)|]+/u, '').replace(/[*_`~]+/gu, '')
    if (/\p{L}/u.test(words)) return titleOf(words)
  }
  return null
}
