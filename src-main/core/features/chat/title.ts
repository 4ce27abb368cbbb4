/** Longest title, graphemes: the whole first sentence, unless it is very long. The window cuts a title to the width there is. */
const maxTitleLength = 120
/** A first sentence shorter than this, such as “Hello!”, is joined with the next sentence. Latin letters; `lengthOf`. */
const shortSentence = 12
/** How much of a text is read, UTF-16 units. A text may be a whole file. */
const read = 4000

/**
 * First title of a conversation: the first sentence of the question without Markdown, cut at the end of a word. Null if the text has no
 * letters or digits.
 */
export function titleOf(text: string): string | null {
  const start = startOf(text)
  const prose =
    blocksOf(withoutCode(start)).find(hasWords) ?? blocksOf(start.replace(/^\s*(?:```|~~~).*$/gmu, '')).find(hasWords)
  return prose === undefined ? null : shortened(firstSentence(prose))
}

/** Title from a reply: the first sentence of its first block with letters. */
export function titleOfReply(text: string): string | null {
  const block = blocksOf(withoutCode(startOf(text))).find((one) => /\p{L}/u.test(one))
  return block === undefined ? null : shortened(firstSentence(block))
}

/** The part of a text that is read. Long white space is shortened, because the patterns below are quadratic in its length. */
const startOf = (text: string): string =>
  text.slice(0, read).replace(/\s{9,}/gu, (run) => (run.includes('\n') ? '\n\n' : ' '))

const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** Removes fenced code, including a fence that never closes. */
const withoutCode = (text: string): string =>
  text.replace(/^\s*(```|~~~)[^\n]*\n[\s\S]*?(?:^\s*\1[^\n]*$|(?![\s\S]))/gmu, '\n\n')

/** Paragraphs, headings and list items, each on one line and without marks. */
function blocksOf(text: string): string[] {
  return text
    .replace(/^(\s*#{1,6}\s.*)$/gmu, '\n$1\n')
    .replace(/^(?=\s*(?:[-*+]|\d+[.)])\s)/gmu, '\n')
    .split(/\n\s*\n/u)
    .map((block) => plain(block))
}

function plain(block: string): string {
  return (
    block
      // Marks of headings, quotes and lists at the start of a line, and lines between the rows of a table.
      .replace(/^\s*(?:(?:#{1,6}|[-*+>]|\d+[.)])\s+|>)+(?:\[[ xX]\]\s)?/gmu, '')
      .replace(/^[\s|:-]+$/gmu, '')
      // Images and links become their text, and an address its host and path.
      .replace(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
      .replace(/<(?:https?:\/\/)([^>\s]+)>/gu, '$1')
      .replace(/\bhttps?:\/\/(?:www\.)?/gu, '')
      .replace(/<\/?[a-z][^>]*>/giu, '')
      .replace(/\*\*|__|~~|`+/gu, '')
      .replace(/(?<![\p{L}\p{N}])[*_](?=\S)([^*_]+)(?<=\S)[*_](?![\p{L}\p{N}])/gu, '$1')
      .replace(/[\s|]+/gu, ' ')
      .trim()
  )
}

/** The length of a text in Latin letters. A character of Chinese, Japanese or Korean says as much as two or three of them. */
const lengthOf = (text: string): number =>
  text.length + (text.match(/[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/g) ?? []).length

function firstSentence(line: string): string {
  let sentence = ''
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(line)) {
    sentence += segment
    if (lengthOf(sentence.trim()) >= shortSentence) break
  }
  // Removes final punctuation.
  return sentence.trim().replace(/[\s.,:;。、，：；،؛۔]+$/u, '')
}

function shortened(line: string): string {
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment)
  if (characters.length <= maxTitleLength) return line
  const cut = characters.slice(0, maxTitleLength).join('')
  const lastSpace = cut.lastIndexOf(' ')
  // Cuts inside a long word, or inside text of a script without spaces.
  const whole = lastSpace > cut.length * 0.5 ? cut.slice(0, lastSpace) : cut
  return `${whole.replace(/[\s.,:;。、，：；،؛۔]+$/u, '')}…`
}
