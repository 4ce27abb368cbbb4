import type { Message } from '../../../../../src-preload/contract/chat.ts'
import type { ContextMeasure } from '../../../../../src-preload/contract/context.ts'
import type { SentMessage } from '../history.ts'
import type { CountedTokens } from './count.ts'

export type CountedMessage = SentMessage & { tokens: CountedTokens }

/** Share of the context that the rest may fill afterwards, so that several more turns fit. */
const targetShare = 0.6

/**
 * The oldest messages of a branch that can be left out or summarised. The rest begins with a message of the person, because some services
 * refuse a conversation that begins with a reply, and contains at least the person's last message. The rest fills at most 60 % of the
 * context, or half of what is sent now when the length is unknown.
 * @param sent the messages of `path` that are sent, oldest first
 */
export function oldestThatMayGo(
  path: readonly Message[],
  sent: readonly CountedMessage[],
  { total, limit }: { total: number; limit: number | null },
): ContextMeasure['oldest'] {
  const target = limit === null ? total / 2 : limit * targetShare
  let tokens = 0
  let best: { next: number; tokens: number } | null = null
  for (const [at, { message, tokens: own }] of sent.entries()) {
    if (at > 0 && message.role === 'user') {
      best = { next: at, tokens }
      if (total - tokens <= target) break
    }
    tokens += own.files + own.text
  }
  if (best === null) return null
  const nextId = sent[best.next]?.source
  const place = path.findIndex(({ id }) => id === nextId)
  const upTo = path[place - 1]?.id
  if (upTo === undefined) return null
  const gone = new Set(sent.slice(0, best.next).map(({ source }) => source))
  return { upTo, messages: gone.size, tokens: best.tokens }
}
