import { CircleCheck, TriangleAlert } from 'lucide-react'
import { memo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { canContinue, isBusy, type Message } from '../../../src-preload/contract/chat.ts'
import { Markdown } from '../../shared/markdown/Markdown.tsx'
import { useChat } from '../../stores/chat.ts'
import { useStage } from '../../stores/chatPage.ts'
import { cardsOf, isRunning, partsOf } from '../../stores/openChat.ts'
import { LeftOutMark } from './context/LeftOutMark.tsx'
import { EditMessage } from './EditMessage.tsx'
import { messageAttributes } from './focus.ts'
import { useMessage } from './hooks.ts'
import { useChatTranslate } from './messages.ts'
import { ReplyEnd } from './ReplyEnd.tsx'
import { ReplyFooter } from './ReplyFooter.tsx'
import { Reasoning, Waiting } from './ReplyParts.tsx'
import { Siblings } from './Siblings.tsx'
import { ToolRow } from './ToolRow.tsx'
import { ToolCalls } from './tools/ToolCard.tsx'
import { Who } from './Who.tsx'

/** What the card of a reply shows of its parts. Only values that compare as equal, so that growing text does not render the card. */
function cardOf(parts: readonly Message[]) {
  const replies = parts.filter(({ role }) => role === 'assistant')
  const [first = parts[0]] = replies
  const last = replies.at(-1)
  return {
    model: first?.model ?? null,
    name: first?.name ?? null,
    createdAt: first?.createdAt ?? '',
    status: last?.status ?? 'complete',
    streamingSince: last?.status === 'streaming' ? last.createdAt : null,
    running: isBusy(parts),
    leftOut: replies.length > 0 && replies.every(({ leftOut }) => leftOut),
    parentId: first?.parentId ?? null,
    sibling: first?.sibling ?? 1,
  }
}

/**
 * A reply without siblings beside it: one card for all its stored messages, which are its text, the results of its tool calls and its
 * continuations. `id` is the first of them.
 */
export function ReplyView({ id }: { id: string }) {
  const t = useChatTranslate()
  const ids = useChat(useShallow(({ open }) => cardsOf(open).of.get(id) ?? [id]))
  const { model, status, running, ...card } = useChat(useShallow(({ open }) => cardOf(partsOf(open, id))))
  const editing = useStage((state) => state.editing !== null && ids.includes(state.editing))
  const name = model ?? t('assistant')
  return (
    <article
      className="chat-turn"
      aria-label={name}
      aria-busy={running}
      {...messageAttributes({ id, parentId: card.parentId, sibling: card.sibling })}
      data-role="assistant"
      data-status={status}
      data-left-out={card.leftOut}
    >
      <Who
        name={name}
        model={name}
        as={card.name}
        instant={card.streamingSince ?? card.createdAt}
        streaming={card.streamingSince !== null}
      />
      {ids.map((one, at) => (
        <ReplyPart
          key={one}
          id={one}
          isHead={at === 0}
          isLast={at === ids.length - 1}
          by={model}
          isLeftOut={card.leftOut}
        />
      ))}
      {card.leftOut && <LeftOutMark message={{ id, leftOut: true }} />}
      {!running && !editing && <ReplyFooter id={id} />}
    </article>
  )
}

interface PartProps {
  id: string
  isHead: boolean
  isLast: boolean
  /** The model in the heading of the card. */
  by: string | null
  /** Whether the whole reply is left out. Then the card says so once. */
  isLeftOut: boolean
}

/** One stored message of a reply. Only the part that grows renders. */
const ReplyPart = memo(function ReplyPart({ id, isHead, isLast, by, isLeftOut }: PartProps) {
  const t = useChatTranslate()
  const part = useMessage(id)
  const editing = useStage((state) => state.editing === id)
  if (!part) return null
  const versions = isHead ? null : <PartVersions part={part} />
  if (part.role === 'tool') return <ToolRow row={part} />
  if (part.made === 'continue') return <div {...messageAttributes(part)}>{versions}</div>
  const isOther = part.model !== null && part.model !== by
  return (
    <div {...(isHead ? {} : messageAttributes(part))} className="chat-part" data-left-out={part.leftOut}>
      {isOther && <p className="chat-part-by">{t('partBy', { model: part.model ?? '' })}</p>}
      {editing ? (
        <div className="chat-body">
          <EditMessage message={part} />
        </div>
      ) : (
        <ReplyBody reply={part} />
      )}
      {(isLast || part.problem !== null || part.toolCalls.length > 0) && <ReplyEnd reply={part} />}
      {!isLeftOut && <LeftOutMark message={part} />}
      {versions}
    </div>
  )
})

/** Switches between the versions of a part that is not the first: of a step that was requested again, or of a second continuation. */
function PartVersions({ part }: { part: Message }) {
  if (part.siblings < 2) return null
  return (
    <div className="chat-part-versions">
      <Siblings message={part} isPart />
    </div>
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
