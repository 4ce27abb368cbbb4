import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { StatusText } from '../../../shared/ui/StatusText.tsx'
import { useChat } from '../../../stores/chat.ts'
import { cardState } from './appearance.ts'
import { isToolRow } from './round.ts'

/** Announces once that a tool call waits for the person. Outside of the message list, because messages are unmounted out of sight. */
export function ToolSubscriptions() {
  const t = useToolTranslate()
  const waiting = useChat(({ open }) => {
    const last = open?.messages.at(-1)
    if (!last || !isToolRow(last)) return null
    const rows = open?.messages.slice(open.messages.findLastIndex((message) => message.role !== 'tool') + 1) ?? []
    const states = rows.map(({ run }) => cardState(run, false))
    return states.includes('awaiting') ? 'awaiting' : states.includes('by_hand') ? 'by_hand' : null
  })
  return <StatusText>{waiting && t(`live.${waiting}`)}</StatusText>
}
