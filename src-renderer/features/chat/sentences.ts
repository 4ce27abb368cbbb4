import { hasWords, nextChunk } from './handsFree/replyChunks.ts'
import { speakable } from './voice/speakable.ts'

/** Most characters in which the end of a sentence is looked for. A longer sentence is cut. */
const lookChars = 2_000
/** Most pieces of one call. */
const mostPieces = 8

/**
 * The sentences of a growing reply that are complete from the index `from` on, as texts without Markdown, and the index behind them. A code
 * block is named, not read. The work is bounded: with much new text, the next call goes on.
 */
export function newSentences(reply: string, from: number): { texts: string[]; to: number } {
  const texts: string[] = []
  let to = from
  for (let pieces = 0; pieces < mostPieces; pieces += 1) {
    const near = reply.slice(to, to + lookChars)
    // The end of a code block may be far away, and is found in one pass.
    const text = /^\s*(?:`{3}|~{3})/.test(near) ? reply : reply.slice(0, to + lookChars)
    const isCut = text.length < reply.length
    const chunk = nextChunk(text, to, false, true) ?? (isCut ? { text: near, to: text.length } : null)
    if (!chunk) break
    if (hasWords(chunk)) texts.push(speakable(chunk.text))
    to = chunk.to
  }
  return { texts: texts.filter((text) => text !== ''), to }
}
