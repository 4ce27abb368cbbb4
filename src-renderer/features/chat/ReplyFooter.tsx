import { RotateCw } from 'lucide-react'
import { canRetry, type Message } from '../../../src-preload/contract/chat.ts'
import { joinFacts, showNamed } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { ActionButton } from './actionButtons.tsx'
import { CopyMessage } from './CopyMessage.tsx'
import { tokensPerSecond } from './facts.ts'
import { useBusy } from './hooks.ts'
import { MessageMenu, showFacts } from './MessageMenu.tsx'
import { retry } from './messageActions.ts'
import { type ChatTranslate, costText, figure, fineSeconds, useChatTranslate } from './messages.ts'
import { Siblings } from './Siblings.tsx'
import { SpeakButton } from './voice/SpeakButton.tsx'
import { useParts, wholeReply } from './wholeReply.ts'

/** The actions of a whole reply, and its figures. `id` is its first message. */
export function ReplyFooter({ id }: { id: string }) {
  const t = useChatTranslate()
  const busy = useBusy()
  const parts = useParts(id)
  const reply = wholeReply(parts)
  if (reply?.role !== 'assistant') return null
  return (
    <footer className="chat-under">
      <CopyMessage message={reply} />
      {reply.text !== '' && <SpeakButton messageId={reply.id} text={reply.text} />}
      {reply.status === 'complete' && canRetry(reply) && (
        <ActionButton
          icon={RotateCw}
          label={t('retry')}
          action="retry"
          aria-disabled={busy}
          title={t(busy ? 'needEnd' : 'retry')}
          onClick={() => !busy && retry(reply.id)}
        />
      )}
      <Siblings message={reply} />
      <MessageMenu message={reply} parts={parts} />
      <FactsButton reply={reply} parts={parts} />
    </footer>
  )
}

/** The cost of a reply, or its tokens when the cost is unknown. All figures appear while the message is hovered or focused. */
export function FactsButton({ reply, parts }: { reply: Message; parts: readonly Message[] }) {
  const t = useChatTranslate()
  const facts = factsOf(reply, parts, t)
  const all = joinFacts(facts)
  if (all === '') return null
  return (
    <button
      type="button"
      className="chat-facts"
      aria-label={showNamed(t('replyDetails'), all)}
      title={[all, t('replyDetails'), costText(reply, t) === null ? '' : i18n.t('common:sc')]
        .filter(Boolean)
        .join('\n')}
      onClick={() => showFacts(reply.id)}
    >
      <span className="chat-facts-short">{costText(reply, t) ?? facts[0]}</span>
      <span className="chat-facts-all">{all}</span>
    </button>
  )
}

/** Tokens, time to first token, speed and cost, as far as known. */
function factsOf(reply: Message, parts: readonly Message[], t: ChatTranslate): string[] {
  const tokens = reply.usage?.completionTokens
  const speed = tokensPerSecond(...parts)
  return [
    typeof tokens === 'number' ? t('tokens', { count: tokens, tokens: figure(tokens) }) : null,
    reply.firstTokenMs === null ? null : t('toFirst', { seconds: fineSeconds(reply.firstTokenMs) }),
    speed === null ? null : t('perSecond', { speed: figure(Math.round(speed)) }),
    costText(reply, t),
  ].filter((part) => part !== null)
}
