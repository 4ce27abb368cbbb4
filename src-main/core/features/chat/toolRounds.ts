import type { MessageStatus, ToolRun, ToolRunState } from '../../../../src-preload/contract/chat.ts'
import { isSettled } from '../../ports/toolCalls.ts'
import { isToolMessage, type ToolMessage } from '../../store/messages.ts'
import type { Store } from '../../store/store.ts'

// A round is a reply that calls tools, with one row of role tool per call below the reply, each below the previous row.

/** Message status of a row of role tool. Open calls have not ended. */
const statusOf: Record<ToolRunState, MessageStatus> = {
  awaiting: 'pending',
  by_hand: 'pending',
  running: 'streaming',
  done: 'complete',
  denied: 'complete',
  invalid: 'complete',
  unknown_tool: 'complete',
  stopped: 'stopped',
  timed_out: 'failed',
  failed: 'failed',
}

/** Message status that follows from the state of a tool call. */
export function statusOfRun({ state }: ToolRun): MessageStatus {
  return statusOf[state]
}

/** Sets `finishedAt` of a settled run, and clears it for an open one. */
export function timed(run: ToolRun): ToolRun {
  return { ...run, finishedAt: isSettled(run) ? (run.finishedAt ?? new Date().toISOString()) : null }
}

/** Rows of the round that a message of role tool belongs to, in order. Empty for other messages. */
export function roundOf(store: Store, messageId: string): ToolMessage[] {
  const here = store.messages.find(messageId)
  if (here?.role !== 'tool') return []
  const above = store.messages.turnsAbove(messageId)
  const reply = above.findIndex(({ role }) => role !== 'tool')
  const ids = above
    .slice(0, reply === -1 ? above.length : reply)
    .map(({ id }) => id)
    .reverse()
  for (let last: string | undefined = messageId; last !== undefined; ) {
    last = store.messages.children(here.conversationId, last).find(({ role }) => role === 'tool')?.id
    if (last !== undefined) ids.push(last)
  }
  return store.messages.many(ids).filter(isToolMessage)
}

/** Number of consecutive rounds up to this message, without a user message in between. */
export function roundsUpTo(store: Store, messageId: string): number {
  const turns = store.messages.turnsAbove(messageId)
  return turns.filter(({ role }, at) => role === 'assistant' && turns[at - 1]?.role === 'tool').length
}
