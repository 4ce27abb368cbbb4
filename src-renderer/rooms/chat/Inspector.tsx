import type { ReactNode } from 'react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { inspectedReply, useChat } from '../../stores/chat.ts'
import { tokensOf, tokensPerSecond } from './facts.ts'
import { figure, fineSeconds, fullTime, seconds, useWords } from './words.ts'

/** The inspector region: the facts of the chosen reply, or the last one, and of the conversation. */
export function ChatInspector() {
  const words = useWords()
  const reply = useChat(inspectedReply)
  const chosen = useChat((state) => state.inspected !== null && state.inspected === reply?.id)
  return (
    <div className="chat-inspector">
      <section aria-label={words(chosen ? 'thisReply' : 'lastReply')}>
        <h2>{words(chosen ? 'thisReply' : 'lastReply')}</h2>
        {reply ? <ReplyFacts reply={reply} /> : <p className="chat-faint">{words('noReply')}</p>}
      </section>
      <ConversationFacts />
    </div>
  )
}

function ReplyFacts({ reply }: { reply: Message }) {
  const words = useWords()
  const { usage } = reply
  const speed = tokensPerSecond(reply)
  const tokens = (value: number | null | undefined): ReactNode =>
    typeof value === 'number' ? (
      <>
        {figure(value)} <span>{words('unitTokens')}</span>
      </>
    ) : null
  const states = {
    pending: 'statusPending',
    streaming: 'statusStreaming',
    complete: 'statusComplete',
    stopped: 'statusStopped',
    incomplete: 'statusIncomplete',
    failed: 'statusFailed',
  } as const
  return (
    <dl>
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
      <Fact name={words('factFinish')}>{reply.finishReason}</Fact>
      <Fact name={words('factRequest')} mono>
        {reply.requestId}
      </Fact>
    </dl>
  )
}

function ConversationFacts() {
  const words = useWords()
  const conversation = useChat((state) => state.open?.conversation ?? null)
  const total = useChat((state) => tokensOf(state.open?.messages ?? []))
  if (!conversation) return null
  return (
    <section aria-label={words('conversation')}>
      <h2>{words('conversation')}</h2>
      <dl>
        <Fact name={words('factMessages')}>{figure(conversation.messages)}</Fact>
        <Fact name={words('factTokens')}>{total === null ? null : figure(total)}</Fact>
        <Fact name={words('factStarted')}>{fullTime(conversation.createdAt)}</Fact>
      </dl>
    </section>
  )
}

function Fact({ name, part, mono, children }: { name: string; part?: boolean; mono?: boolean; children: ReactNode }) {
  const words = useWords()
  const known = children !== null && children !== undefined && children !== ''
  return (
    <div data-part={part} data-mono={mono}>
      <dt>{name}</dt>
      <dd data-unknown={!known}>{known ? children : words('notReported')}</dd>
    </div>
  )
}
