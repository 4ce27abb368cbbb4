import { Braces } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import { showMs, showNumber } from '../../../i18n/format.ts'
import { CopyButton } from '../../../shared/ui/CopyButton.tsx'
import { WithSc } from '../../../shared/ui/WithSc.tsx'
import { type ChatState, inspectedReply, useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { partsOf } from '../../../stores/openChat.ts'
import { SmallButton } from '../actionButtons.tsx'
import { tokensPerSecond } from '../facts.ts'
import { costText, figure, useChatTranslate } from '../messages.ts'
import { requestRowsOf, wholeReply } from '../wholeReply.ts'
import { AskedWith } from './AskedWith.tsx'
import { Fact } from './Fact.tsx'

/** The parts of the described reply, as of the last change other than growing text, so that they do not render with each frame of a stream. */
function partsShown(state: ChatState): Message[] {
  const reply = inspectedReply(state)
  return reply ? partsOf(state.open, reply.id, state.open?.settled) : []
}

/** The chosen reply, or the last one. */
export function ReplySection() {
  const t = useChatTranslate()
  const parts = useChat(useShallow(partsShown))
  const reply = useMemo(() => wholeReply(parts), [parts])
  const chosen = useChat(({ inspected }) => inspected !== null && parts.some(({ id }) => id === inspected))
  const title = t(chosen ? 'thisReply' : 'lastReply')
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {reply ? <ReplyFacts reply={reply} parts={parts} /> : <p className="chat-faint">{t('noReply')}</p>}
    </section>
  )
}

const states = {
  pending: 'statusPending',
  streaming: 'statusStreaming',
  complete: 'statusComplete',
  stopped: 'statusStopped',
  incomplete: 'statusIncomplete',
  failed: 'statusFailed',
} as const

function ReplyFacts({ reply, parts }: { reply: Message; parts: readonly Message[] }) {
  const t = useChatTranslate()
  const { usage, requestId } = reply
  const requestRows = requestRowsOf(parts)
  const speed = tokensPerSecond(...parts)
  const cost = costText(reply, t)
  const tokens = (value: number | null | undefined): ReactNode =>
    typeof value === 'number' ? (
      <>
        {figure(value)} <span>{t('unitTokens')}</span>
      </>
    ) : null
  return (
    <>
      <dl>
        <Fact name={t('model')}>{reply.model}</Fact>
        {requestRows.length > 1 && <Fact name={t('factRequests')}>{figure(requestRows.length)}</Fact>}
        <Fact name={t('factStatus')}>{t(states[reply.status])}</Fact>
        <Fact name={t('factPrompt')}>{tokens(usage?.promptTokens)}</Fact>
        <Fact name={t('factCached')} part>
          {tokens(usage?.cachedTokens)}
        </Fact>
        <Fact name={t('factCompletion')}>{tokens(usage?.completionTokens)}</Fact>
        <Fact name={t('factTotal')}>{tokens(usage?.totalTokens)}</Fact>
        <Fact name={t('factFirst')}>{reply.firstTokenMs === null ? null : showMs(reply.firstTokenMs)}</Fact>
        {reply.reasoningMs !== null && <Fact name={t('factReasoning')}>{showMs(reply.reasoningMs)}</Fact>}
        <Fact name={t('factSpeed')}>{speed === null ? null : t('perSecond', { speed: showNumber(speed) })}</Fact>
        <Fact name={t('factCost')}>{cost && <WithSc text={cost} />}</Fact>
        <Fact name={t('factFinish')}>{reply.finishReason}</Fact>
        <Fact name={t('factRequest')} mono>
          {requestId && (
            <span className="chat-id">
              {requestId}
              <CopyButton text={requestId} name={t('copyRequest')} size="small" />
            </span>
          )}
        </Fact>
      </dl>
      <AskedWith params={reply.params} />
      {requestRows.length > 0 && (
        <div className="chat-raw-open">
          <SmallButton
            icon={Braces}
            label={t('raw')}
            onClick={() => useStage.setState({ dialog: { kind: 'raw', requestRows } })}
          />
        </div>
      )}
    </>
  )
}
