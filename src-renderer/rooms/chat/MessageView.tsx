import { memo } from 'react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { Pieces } from '../../markdown/CodeBlock.tsx'
import { Markdown } from '../../markdown/Markdown.tsx'
import { isRunning } from '../../stores/chat-open.ts'
import { useMessage, useNow } from './hooks.ts'
import { ReplyEnd } from './ReplyEnd.tsx'
import { ReplyFooter } from './ReplyFooter.tsx'
import { Reasoning, ToolCallCard, Waiting } from './ReplyParts.tsx'
import { fullTime, seconds, timeOfDay, useWords } from './words.ts'

export const MessageView = memo(function MessageView({ id }: { id: string }) {
  const message = useMessage(id)
  if (!message) return null
  return message.role === 'assistant' ? <Reply reply={message} /> : <Turn turn={message} />
})

/** What a person (or a tool) said: the text as typed, never as markdown. */
function Turn({ turn }: { turn: Message }) {
  const words = useWords()
  const names = {
    user: 'you',
    system: 'roleSystem',
    developer: 'roleDeveloper',
    tool: 'roleTool',
    assistant: 'assistant',
  } as const
  const who = words(names[turn.role])
  return (
    <article className="chat-turn" aria-label={who} data-message-id={turn.id} data-role={turn.role}>
      <Who name={who} mine instant={turn.createdAt} />
      <div className="chat-body chat-typed">
        <Pieces pieces={inPieces(turn.text)} />
      </div>
    </article>
  )
}

/** Bounded pieces, ended at line ends where there are any, so that a pasted megabyte is laid out only where it is seen. */
function inPieces(text: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const newline = text.lastIndexOf('\n', at + 4_000)
    const end = text.length - at <= 4_000 ? text.length : newline > at ? newline + 1 : at + 4_000
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

function Reply({ reply }: { reply: Message }) {
  const words = useWords()
  const running = isRunning(reply)
  const streaming = reply.status === 'streaming'
  const name = reply.model ?? words('assistant')
  return (
    <article
      className="chat-turn"
      aria-label={name}
      aria-busy={running}
      data-message-id={reply.id}
      data-role="assistant"
      data-status={reply.status}
    >
      <Who name={name} instant={reply.createdAt} streaming={streaming} />
      <div className="chat-body">
        {reply.reasoning !== '' && <Reasoning reply={reply} />}
        {reply.wait && running && <Waiting wait={reply.wait} replyId={reply.id} />}
        {reply.text !== '' && (
          <div data-part="text">
            <Markdown text={reply.text} growing={streaming} />
          </div>
        )}
        {streaming && reply.text === '' && reply.reasoning === '' && !reply.wait && <span className="chat-caret" />}
        {reply.refusal !== '' && (
          <div className="chat-refusal">
            <b>{words('refusal')}</b>
            <p>{reply.refusal}</p>
          </div>
        )}
        {reply.toolCalls.map((call) => (
          <ToolCallCard key={call.index} call={call} writing={running} />
        ))}
      </div>
      <ReplyEnd reply={reply} />
      {!running && <ReplyFooter reply={reply} />}
    </article>
  )
}

function Who(props: { name: string; instant: string; mine?: boolean; streaming?: boolean }) {
  return (
    <header className="chat-who">
      <span className={props.mine ? 'chat-dot' : 'chat-dot chat-dot-a'} aria-hidden>
        {props.name.charAt(0).toUpperCase()}
      </span>
      <span className="chat-name">{props.name}</span>
      {props.streaming ? (
        <StreamingFor since={props.instant} />
      ) : (
        <time dateTime={props.instant} title={fullTime(props.instant)}>
          {timeOfDay(props.instant)}
        </time>
      )}
    </header>
  )
}

function StreamingFor({ since }: { since: string }) {
  const words = useWords()
  const now = useNow(true)
  return <time>{words('streamingFor', { seconds: seconds(now - Date.parse(since)) })}</time>
}
