import { CircleCheck, TriangleAlert } from 'lucide-react'
import { canContinue, type Message } from '../../../src-preload/contract/chat.ts'
import { Markdown } from '../../shared/markdown/Markdown.tsx'
import { useStage } from '../../stores/chatPage.ts'
import { isRunning } from '../../stores/openChat.ts'
import { LeftOutMark } from './context/LeftOutMark.tsx'
import { EditMessage } from './EditMessage.tsx'
import { messageAttributes } from './focus.ts'
import { useChatTranslate } from './messages.ts'
import { ReplyEnd } from './ReplyEnd.tsx'
import { ReplyFooter } from './ReplyFooter.tsx'
import { Reasoning, Waiting } from './ReplyParts.tsx'
import { ToolCalls } from './tools/ToolCard.tsx'
import { Who } from './Who.tsx'

/** A reply without siblings beside it. */
export function ReplyView({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  const running = isRunning(reply)
  const editing = useStage((state) => state.editing === reply.id)
  const name = reply.model ?? t('assistant')
  return (
    <article
      className="chat-turn"
      aria-label={name}
      aria-busy={running}
      {...messageAttributes(reply)}
      data-role="assistant"
      data-status={reply.status}
      data-left-out={reply.leftOut}
    >
      <Who
        name={name}
        model={name}
        as={reply.name}
        instant={reply.createdAt}
        streaming={reply.status === 'streaming'}
      />
      {editing ? (
        <div className="chat-body">
          <EditMessage message={reply} />
        </div>
      ) : (
        <ReplyBody reply={reply} />
      )}
      <ReplyEnd reply={reply} />
      <LeftOutMark message={reply} />
      {!running && !editing && <ReplyFooter reply={reply} />}
    </article>
  )
}

/** The contents of a reply: reasoning, waits, text, refusal, tool calls with their states. */
export function ReplyBody({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  const running = isRunning(reply)
  const streaming = reply.status === 'streaming'
  return (
    <div className="chat-body">
      {reply.reasoning !== '' && <Reasoning reply={reply} />}
      {reply.wait && running && <Waiting wait={reply.wait} replyId={reply.id} />}
      {reply.text !== '' && (
        <div data-part="text">
          <Markdown text={reply.text} growing={streaming} isCut={!running && canContinue(reply)} />
        </div>
      )}
      {streaming && reply.text === '' && reply.reasoning === '' && !reply.wait && <span className="chat-caret" />}
      {reply.refusal !== '' && (
        <div className="chat-refusal">
          <b>{t('refusal')}</b>
          <p data-part="text">{reply.refusal}</p>
        </div>
      )}
      <ToolCalls reply={reply} />
      {!running && <JsonVerdict reply={reply} />}
    </div>
  )
}

/** Whether a reply in JSON format is valid JSON and matches its schema. */
function JsonVerdict({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  const { jsonFaults } = reply
  if (jsonFaults === null) return null
  const schema = reply.params?.responseFormat?.type === 'json_schema'
  if (jsonFaults.length === 0)
    return (
      <p className="chat-verdict" data-good>
        <CircleCheck aria-hidden /> {t(schema ? 'jsonMatches' : 'jsonValid')}
      </p>
    )
  return (
    <div className="chat-verdict">
      <TriangleAlert aria-hidden />
      <div>
        <p>{t(schema ? 'jsonMismatch' : 'jsonInvalid', { count: jsonFaults.length })}</p>
        <ul>
          {jsonFaults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      </div>
    </div>
  )
}
