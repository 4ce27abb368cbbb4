/** One piece of a reply to speak, as Markdown. `to` is where the next piece begins. */
export interface ReplyChunk {
  text: string
  to: number
}

/** Most Latin letters of a piece (`lengthOf`). A piece of one request: short enough that little is paid for in vain when the person interrupts. */
const longest = 400
/**
 * Most characters in which the end of a sentence is looked for, so that a long paragraph in open emphasis is not looked at again and again.
 * A longer sentence is cut.
 */
const lookChars = 2_000
/** Fewest characters of a piece in the middle of a paragraph. Shorter ones are mostly numbers of a list and abbreviations. */
const shortest = 12

/**
 * A longer first sentence is spoken up to its first clause, so that the person hears something while the model still writes. Characters.
 * Shorter clauses sound choppy.
 */
const longFirst = 90
const shortestClause = 40

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/**
 * Returns the next piece of a growing reply from the index `from`: its first whole sentence, and with `more` also the following whole
 * sentences of the paragraph up to 400 characters. Without `more`, a sentence of more than 90 characters that is not complete yet gives its
 * first clauses. Null when nothing is complete yet. A code block is one piece. Sentences inside of emphasis, code or a formula stay
 * together, because a part of such a pair of marks would be read aloud. What has no end within 2,000 characters is cut between two words.
 * @param done whether the reply is complete
 */
export function nextChunk(reply: string, from: number, done: boolean, more: boolean): ReplyChunk | null {
  const start = from + (/^\s*/.exec(reply.slice(from))?.[0].length ?? 0)
  if (start === reply.length) return null
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(reply.slice(start))?.[1]
  if (fence !== undefined) return codeBlock(reply, start, fence, done)
  const near = reply.slice(start, start + lookChars)
  const isCut = start + near.length < reply.length
  const end = /\n[ \t]*\n|\n(?= {0,3}(?:`{3}|~{3}))/.exec(near)
  // The last character may be part of a longer word, number or mark.
  const paragraph = end ? near.slice(0, end.index) : near
  const closed = end !== null || (done && !isCut)
  let taken = wholeSentences(paragraph, closed, more)
  if (taken === 0 && !more && !closed) taken = clauses(paragraph)
  if (taken === 0 && !closed && isCut) taken = wordsOf(paragraph)
  if (taken === 0) return null
  return { text: paragraph.slice(0, taken).trim(), to: start + taken }
}

/** The length of the first whole sentence of a paragraph, with `more` of those that fit into one piece. 0 while none is complete. */
function wholeSentences(paragraph: string, closed: boolean, more: boolean): number {
  let taken = 0
  // The segmenter knows that a sentence may end with a quotation mark, but not that it may end with emphasis.
  for (const { index, segment } of sentences.segment(paragraph.replace(/[*_]/g, '"'))) {
    const to = index + segment.length
    const isLast = to === paragraph.length
    if (isLast && !closed) break
    if (!isLast && (lengthOf(paragraph.slice(0, to)) < shortest || !isBalanced(paragraph.slice(0, to)))) continue
    if (taken > 0 && (!more || lengthOf(paragraph.slice(0, to)) > longest)) break
    taken = to
  }
  return taken
}

/**
 * The length of a text in Latin letters, as long as it takes to say. A character of Chinese, Japanese or Korean is a syllable or a whole word,
 * and counts as two.
 */
const lengthOf = (text: string): number =>
  text.length + (text.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g) ?? []).length

/** The length of the whole clauses of a long sentence that is still being written, 0 without one. */
function clauses(sentence: string): number {
  if (lengthOf(sentence) <= longFirst) return 0
  // Also the marks of Arabic, and of Chinese and Japanese, which no space follows.
  for (const { index, 0: mark } of sentence.matchAll(/[,;:،؛](?=\s)|\s[–—](?=\s)|[，；：、]/g)) {
    const to = index + mark.length
    if (lengthOf(sentence.slice(0, to)) >= shortestClause && isBalanced(sentence.slice(0, to))) return to
  }
  return 0
}

/** The length of the whole words of a cut text; without spaces, of its whole characters. */
function wordsOf(text: string): number {
  const space = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n'))
  if (space > 0) return space
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length
}

/** A whole code block without its code: only its language is read. */
function codeBlock(reply: string, start: number, fence: string, done: boolean): ReplyChunk | null {
  const firstLine = reply.indexOf('\n', start)
  const mark = fence[0] === '~' ? '~' : '`'
  const close = new RegExp(`^ {0,3}${mark}{${fence.length},}[ \\t]*$`, 'm')
  const after = firstLine < 0 ? null : close.exec(reply.slice(firstLine + 1))
  if (firstLine < 0 || !after)
    return done ? { text: `${reply.slice(start).split('\n')[0]}\n${fence}`, to: reply.length } : null
  const to = firstLine + 1 + after.index + after[0].length
  // A fence without its line break may still grow.
  if (to === reply.length && !done) return null
  return { text: `${reply.slice(start, firstLine)}\n${fence}`, to }
}

/** Whether no pair of marks is open: code, bold text, formulas. */
function isBalanced(text: string): boolean {
  return ['`', '**', '__', '$$'].every((mark) => text.split(mark).length % 2 === 1)
}

/** Whether a piece has anything to say: a letter or a digit. */
export const hasWords = ({ text }: ReplyChunk): boolean => /[\p{L}\p{N}]/u.test(text)
