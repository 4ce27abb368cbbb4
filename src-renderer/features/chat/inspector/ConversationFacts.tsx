import { useEffect, useState } from 'react'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import { showSc } from '../../../i18n/format.ts'
import { WithSc } from '../../../shared/ui/WithSc.tsx'
import { useChat } from '../../../stores/chat.ts'
import { spentOf, tokensOf } from '../facts.ts'
import { figure, fullTime, useChatTranslate } from '../messages.ts'
import { Fact } from './Fact.tsx'

const none: readonly Message[] = []
/** Delay before sums are computed, ms. Exact sums of ten thousand messages take tens of ms, so the chat renders first. */
const sumsWait = 150

function useSums(messages: readonly Message[]) {
  const [sums, setSums] = useState(() => sumsOf(none))
  useEffect(() => {
    const timer = setTimeout(() => setSums(sumsOf(messages)), sumsWait)
    return () => clearTimeout(timer)
  }, [messages])
  return sums
}

const sumsOf = (messages: readonly Message[]) => ({ total: tokensOf(messages), spent: spentOf(messages) })

/** Sums of the open path, as far as it is loaded. */
export function ConversationFacts() {
  const t = useChatTranslate()
  const conversation = useChat((state) => state.open?.conversation ?? null)
  const settled = useChat((state) => state.open?.settled ?? none)
  const { total, spent } = useSums(settled)
  if (!conversation) return null
  return (
    <section aria-label={t('conversationFacts')}>
      <h2>{t('conversationFacts')}</h2>
      <dl>
        <Fact name={t('factMessages')}>{figure(conversation.messages)}</Fact>
        <Fact name={t('factTokens')}>{total === null ? null : figure(total)}</Fact>
        <Fact name={t('factSpent')}>
          {spent && (
            <WithSc text={t(spent.estimated ? 'costEstimated' : 'costMeasured', { amount: showSc(spent.amount) })} />
          )}
        </Fact>
        <Fact name={t('factStarted')}>{fullTime(conversation.createdAt)}</Fact>
      </dl>
    </section>
  )
}
