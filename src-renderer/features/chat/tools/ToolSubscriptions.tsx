import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { useChat } from '../../../stores/chat.ts'
import { cardState } from './appearance.ts'
import { isToolRow } from './round.ts'

/** Says once to a screen reader that a tool of the open conversation waits for the person. It stands outside the messages, which come and go. */
export function ToolSubscriptions() {
  const t = useToolTranslate()
  const waiting = useChat(({ open }) => {
    const last = open?.messages.at(-1)
    if (!last || !isToolRow(last)) return null
    const rows = open?.messages.slice(open.messages.findLastIndex((message) => message.role !== 'tool') + 1) ?? []
    const states = rows.map(({ run }) => cardState(run, false))
    return states.includes('awaiting') ? 'awaiting' : states.includes('by_hand') ? 'by_hand' : null
  })
  return (
    <span role="status" className="sr-only">
      {waiting && t(`live.${waiting}`)}
    </span>
  )
}
