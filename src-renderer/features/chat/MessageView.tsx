import { CornerDownRight } from 'lucide-react'
import { memo } from 'react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { useChat } from '../../stores/chat.ts'
import { Columns } from './Columns.tsx'
import { SummaryNote } from './context/SummaryNote.tsx'
import { messageAttributes } from './focus.ts'
import { useMessage } from './hooks.ts'
import { useChatTranslate } from './messages.ts'
import { ReplyView } from './ReplyView.tsx'
import { ToolRow } from './ToolRow.tsx'
import { TurnView } from './TurnView.tsx'

/** One message of the path. A reply with siblings beside it renders all of them. */
export const MessageView = memo(function MessageView({ id }: { id: string }) {
  const message = useMessage(id)
  const together = useChat(({ open }) => open !== null && open.besideIds.length > 1 && open.besideIds.includes(id))
  if (!message) return null
  if (together) return <Columns askId={message.askId ?? id} pathId={id} />
  if (message.role === 'tool') return <ToolRow row={message} />
  if (message.role === 'assistant') return <ReplyView reply={message} />
  if (message.made === 'summary') return <SummaryNote note={message} />
  return message.made === 'continue' ? <ContinueLine turn={message} /> : <TurnView turn={message} />
})

/** A turn created by the Continue button: one line that expands to its text. */
function ContinueLine({ turn }: { turn: Message }) {
  const t = useChatTranslate()
  return (
    <article className="chat-turn chat-made" aria-label={t('you')} {...messageAttributes(turn)} title={turn.text}>
      <CornerDownRight aria-hidden />
      <span>{t('madeContinue')}</span>
    </article>
  )
}
