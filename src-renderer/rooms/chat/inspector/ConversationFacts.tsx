import { useChat } from '../../../stores/chat.ts'
import { showSc } from '../../../ui/sc.ts'
import { spentOf, tokensOf } from '../facts.ts'
import { figure, fullTime, useWords } from '../words.ts'
import { Fact } from './Fact.tsx'

/** Sums are of the path on the stage, as far as it has come. */
export function ConversationFacts() {
  const words = useWords()
  const conversation = useChat((state) => state.open?.conversation ?? null)
  const messages = useChat((state) => state.open?.messages ?? null)
  if (!conversation || !messages) return null
  const total = tokensOf(messages)
  const spent = spentOf(messages)
  return (
    <section aria-label={words('conversationFacts')}>
      <h2>{words('conversationFacts')}</h2>
      <dl>
        <Fact name={words('factMessages')}>{figure(conversation.messages)}</Fact>
        <Fact name={words('factTokens')}>{total === null ? null : figure(total)}</Fact>
        <Fact name={words('factSpent')}>
          {spent && words(spent.estimated ? 'costEstimated' : 'costMeasured', { amount: showSc(spent.amount) })}
        </Fact>
        <Fact name={words('factStarted')}>{fullTime(conversation.createdAt)}</Fact>
      </dl>
    </section>
  )
}
