import { taggedBlocks } from './blocks.ts'
import type { Brief, ReplyDraft } from './brief.ts'
import { lastUserText } from './request.ts'

/** At most this many passages are cited. */
const most = 3
/** Words of the question that are shorter say nothing about a passage. */
const minWord = 4

/** Quotes the sentence of each given passage that shares most words with the question, best first, and cites its number. */
export function citePassages({ request }: Brief): ReplyDraft {
  const { blocks, rest: asked } = taggedBlocks('passage', lastUserText(request))
  const found = blocks.map(({ attributes: { number = '' }, text }) => ({ number, text }))
  if (found.length === 0) return { content: 'No passage came with this message, so there is nothing to cite.' }
  const question = new Set(wordsOf(asked))
  const score = (text: string): number => new Set(wordsOf(text).filter((word) => question.has(word))).size
  const quotes = found
    .map(({ number, text }) => {
      const [best = ''] = sentencesOf(text).toSorted((a, b) => score(b) - score(a))
      return { number, sentence: best, score: score(best) }
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
  return { content: `${quotes.map(({ number, sentence }) => `${sentence} [${number}]`).join('\n\n')}\n` }
}

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length >= minWord)

const sentencesOf = (text: string): string[] => text.match(/[^.!?\n]+[.!?]?/g)?.map((one) => one.trim()) ?? [text]
