import { seededRandom } from '../world/seed.ts'
import type { Brief, ReplyDraft } from './brief.ts'
import { prose } from './prose.ts'
import { lastUserText } from './request.ts'

const OPENINGS = ['Let me look at what is asked.', 'First, what is known.', 'One thing at a time.'] as const
const TURNS = ['That leaves a second way to see it.', 'But is that all?', 'Checking that once more.'] as const
const CLOSES = ['That holds. Now to say it plainly.', 'Enough; the answer can be short.'] as const

/** Reasons in seeded prose, then answers. */
export function reason({ request, pace, seed }: Brief): ReplyDraft {
  const random = seededRandom(seed, 'reasoning')
  const asked = Array.from(lastUserText(request)).length
  const wanted = pace.reasoningTokens ?? 90
  const thoughts = [random.pick(OPENINGS), `The message has ${asked} characters.`]
  // About four characters per token. The length of reasoning need not be exact.
  while (thoughts.join(' ').length < wanted * 4) thoughts.push(prose(random, 2), random.pick(TURNS))
  const answerRandom = seededRandom(seed, 'answer')
  return {
    reasoning: wanted === 0 ? '' : `${thoughts.join(' ')} ${random.pick(CLOSES)}`,
    content: paragraphs(pace.tokens ?? 120, () => prose(answerRandom, 3)),
    exact: true,
  }
}

function paragraphs(tokens: number, next: () => string): string {
  let text = next()
  while (text.length < tokens * 5) text += `\n\n${next()}`
  return text
}
