import { hasWords, nextChunk } from './handsFree/replyChunks.ts'
import { speakable } from './voice/speakable.ts'

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
    const chunk = nextChunk(reply, to, false, true)
    if (!chunk) break
    if (hasWords(chunk)) texts.push(speakable(chunk.text))
    to = chunk.to
  }
  return { texts: texts.filter((text) => text !== ''), to }
}
