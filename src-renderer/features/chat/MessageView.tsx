import { memo } from 'react'
import { useChat } from '../../stores/chat.ts'
import { Columns } from './Columns.tsx'
import { SummaryNote } from './context/SummaryNote.tsx'
import { useMessage } from './hooks.ts'
import { ReplyView } from './ReplyView.tsx'
import { TurnView } from './TurnView.tsx'

/** One card of the path, by its first message. A reply with siblings beside it renders all of them. */
export const MessageView = memo(function MessageView({ id }: { id: string }) {
  const message = useMessage(id)
  const together = useChat(({ open }) => open !== null && open.besideIds.length > 1 && open.besideIds.includes(id))
  if (!message) return null
  if (together) return <Columns askId={message.askId ?? id} pathId={id} />
  if (message.made === 'summary') return <SummaryNote note={message} />
  // A long chat may be loaded from the middle of a reply on.
  if (message.role === 'assistant' || message.role === 'tool' || message.made === 'continue')
    return <ReplyView id={id} />
  return <TurnView turn={message} />
})
