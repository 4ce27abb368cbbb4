import type { Message, ToolRun } from '../../../../src-preload/contract/chat.ts'

export type ToolRow = Message & { run: ToolRun }

/** Whether a message answers a call of this program's own. */
export const isToolRow = (message: Message): message is ToolRow => message.role === 'tool' && message.run !== null

/** The rows below a reply, one per call, in the order of its calls. */
export function rowsOf(messages: readonly Message[], replyId: string): ToolRow[] {
  const at = messages.findLastIndex((message) => message.id === replyId)
  const rows: ToolRow[] = []
  for (let next = at + 1; at >= 0 && next < messages.length; next += 1) {
    const message = messages[next]
    if (!message || !isToolRow(message)) break
    rows.push(message)
  }
  return rows
}

/** Whether nothing follows the rows of this reply. */
export function isLastRound(messages: readonly Message[], replyId: string): boolean {
  const at = messages.findLastIndex((message) => message.id === replyId)
  return at >= 0 && at + rowsOf(messages, replyId).length === messages.length - 1
}

/** How many replies in a row called tools, without a turn of the person in between, up to this one. */
export function roundsUpTo(messages: readonly Message[], replyId: string): number {
  let rounds = 0
  for (let at = messages.findLastIndex((message) => message.id === replyId); at >= 0; at -= 1) {
    const message = messages[at]
    if (!message || (message.role !== 'assistant' && message.role !== 'tool')) break
    if (message.role === 'assistant' && message.toolCalls.length > 0) rounds += 1
  }
  return rounds
}

/** Whether the call has its final result, or will never have one. */
export const isSettledRun = ({ state }: ToolRun): boolean =>
  state !== 'awaiting' && state !== 'by_hand' && state !== 'running'
