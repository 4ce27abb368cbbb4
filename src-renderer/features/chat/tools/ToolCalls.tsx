import type { Message } from '../../../../src-preload/contract/chat.ts'
import { ToolCard } from './ToolCard.tsx'
import { ToolRound, useRows } from './ToolRound.tsx'

/** All tool calls of a reply with their states, and actions for all of them. */
export function ToolCalls({ reply }: { reply: Message }) {
  const rows = useRows(reply.id)
  const writing = reply.status === 'pending' || reply.status === 'streaming'
  if (reply.toolCalls.length === 0) return null
  return (
    <>
      {reply.toolCalls.map((call, at) => (
        <ToolCard key={call.index} call={call} row={rows[at] ?? null} writing={writing} />
      ))}
      <ToolRound replyId={reply.id} />
    </>
  )
}
