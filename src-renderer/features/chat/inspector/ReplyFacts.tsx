import { Braces } from 'lucide-react'
import type { ReactNode } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import { CopyButton } from '../../../shared/ui/CopyButton.tsx'
import { type ChatState, inspectedReply, useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { tokensPerSecond } from '../facts.ts'
import { costWords, figure, fineSeconds, seconds, useChatTranslate } from '../messages.ts'
import { AskedWith } from './AskedWith.tsx'
import { Fact } from './Fact.tsx'

type Facts = Omit<Message, 'text' | 'reasoning' | 'refusal' | 'toolCalls'>

/** Without what grows: facts are not drawn again with each frame of a stream. */
function factsShown(state: ChatState): Facts | null {
  const reply = inspectedReply(state)
  if (!reply) return null
  const { text: _text, reasoning: _reasoning, refusal: _refusal, toolCalls: _toolCalls, ...facts } = reply
  return facts
}

/** The chosen reply, or the last one. */
export function ReplySection() {
  const words = useChatTranslate()
  const reply = useChat(useShallow(factsShown))
  const chosen = useChat((state) => state.inspected !== null && state.inspected === reply?.id)
  const title = words(chosen ? 'thisReply' : 'lastReply')
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {reply ? <ReplyFacts reply={reply} /> : <p className="chat-faint">{words('noReply')}</p>}
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

function ReplyFacts({ reply }: { reply: Facts }) {
  const words = useChatTranslate()
  const { usage, requestRow, requestId } = reply
  const speed = tokensPerSecond(reply)
  const tokens = (value: number | null | undefined): ReactNode =>
    typeof value === 'number' ? (
      <>
        {figure(value)} <span>{words('unitTokens')}</span>
      </>
    ) : null
  return (
    <>
      <dl>
        <Fact name={words('model')}>{reply.model}</Fact>
        <Fact name={words('factStatus')}>{words(states[reply.status])}</Fact>
        <Fact name={words('factPrompt')}>{tokens(usage?.promptTokens)}</Fact>
        <Fact name={words('factCached')} part>
          {tokens(usage?.cachedTokens)}
        </Fact>
        <Fact name={words('factCompletion')}>{tokens(usage?.completionTokens)}</Fact>
        <Fact name={words('factTotal')}>{tokens(usage?.totalTokens)}</Fact>
        <Fact name={words('factFirst')}>
          {reply.firstTokenMs === null ? null : `${fineSeconds(reply.firstTokenMs)} s`}
        </Fact>
        {reply.reasoningMs !== null && <Fact name={words('factReasoning')}>{`${seconds(reply.reasoningMs)} s`}</Fact>}
        <Fact name={words('factSpeed')}>{speed === null ? null : words('perSecond', { speed: speed.toFixed(0) })}</Fact>
        <Fact name={words('factCost')}>{costWords(reply, words)}</Fact>
        <Fact name={words('factFinish')}>{reply.finishReason}</Fact>
        <Fact name={words('factRequest')} mono>
          {requestId && (
            <span className="chat-id">
              {requestId}
              <CopyButton text={requestId} name={words('copyRequest')} size="small" />
            </span>
          )}
        </Fact>
      </dl>
      <AskedWith params={reply.params} />
      {requestRow !== null && (
        <button
          type="button"
          className="chat-btn chat-small chat-raw-open"
          onClick={() => useStage.setState({ dialog: { kind: 'raw', requestRow } })}
        >
          <Braces aria-hidden /> {words('raw')}
        </button>
      )}
    </>
  )
}
