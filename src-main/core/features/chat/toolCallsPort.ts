import type { Message, ToolRun } from '../../../../src-preload/contract/chat.ts'
import { StudioError } from '../../errors.ts'
import { isSettled, type ToolCallsPort } from '../../ports/toolCalls.ts'
import { isToolMessage, type ToolMessage } from '../../store/messages.ts'
import type { ChatFeature } from './chat.ts'
import { notifySiblings, startReplies, storeReplies } from './startReplies.ts'
import { roundOf, roundsUpTo, statusOfRun, timed } from './toolRounds.ts'

/** Gives the tools feature access to conversations whose replies call tools. */
export function openToolCallsPort(feature: ChatFeature): ToolCallsPort {
  const { store } = feature
  return {
    toolMessage: (messageId) => toolMessage(feature, messageId),
    openCalls: (conversationId) => store.messages.openCalls(conversationId),
    setRun: (messageId, run, text) => setRun(feature, messageId, run, text),
    rowsBeside(messageId) {
      toolMessage(feature, messageId)
      return roundOf(store, messageId)
    },
    rounds: (messageId) => roundsUpTo(store, messageId),
    askOn: (messageId) => askOn(feature, messageId),
  }
}

function toolMessage({ store }: ChatFeature, messageId: string): ToolMessage {
  const message = store.messages.get(messageId)
  if (!isToolMessage(message)) throw new StudioError('no_such_item', 'This tool call does not exist any more.')
  return message
}

function setRun(feature: ChatFeature, messageId: string, run: ToolRun, text: string): void {
  const { store, runs } = feature
  const { conversationId } = store.transaction(() => {
    const message = toolMessage(feature, messageId)
    const now = timed(run)
    store.messages.setRun(messageId, now, isSettled(now) ? text : '', statusOfRun(now))
    if (now.finishedAt !== null) store.conversations.touch(message.conversationId, now.finishedAt)
    return message
  })
  runs.view.changes.notify({ what: 'message', conversationId, messageId })
  // Whether the conversation waits for the person may have changed.
  runs.view.changes.notify({ what: 'conversation', conversationId })
}

/** Requests the next reply of a round. Returns the existing reply if the round was already continued, to avoid a second request. */
async function askOn(feature: ChatFeature, messageId: string): Promise<{ replyId: string }> {
  const { store } = feature
  toolMessage(feature, messageId)
  const upstream = await feature.upstream()
  const { conversationId, plan, before, notifyOthers } = store.transaction(() => {
    const rows = roundOf(store, messageId)
    const last = rows.at(-1)
    if (!last) throw new StudioError('no_such_item', 'This tool call does not exist any more.')
    const { conversationId } = last
    if (rows.some(({ run }) => !isSettled(run))) {
      throw new StudioError('busy', 'A tool call of this reply is still open.')
    }
    const before = replyBelow(feature, last)
    if (before !== undefined) return { conversationId, plan: [], before, notifyOthers: () => undefined }
    const { leafId } = store.conversations.get(conversationId)
    const models = [modelOf(feature, rows)]
    const notifyOthers = notifySiblings(feature, conversationId, last.id)
    const follow = leafId === last.id
    const plan = storeReplies(feature, { conversationId, parentId: last.id, models, choices: 1, follow })
    return { conversationId, plan, before, notifyOthers }
  })
  const replyId = before ?? plan[0]?.[0]?.id
  if (replyId === undefined) throw new StudioError('no_such_item', 'This tool call does not exist any more.')
  startReplies(feature, conversationId, plan, upstream)
  notifyOthers()
  return { replyId }
}

function replyBelow({ store, runs }: ChatFeature, last: Message): string | undefined {
  const replies = store.messages.children(last.conversationId, last.id).filter(({ role }) => role === 'assistant')
  if (replies.some(({ id }) => runs.view.reply(id)?.ended === false)) {
    throw new StudioError('busy', 'The reply to these tool calls is still running.')
  }
  return replies[0]?.id
}

function modelOf({ store }: ChatFeature, [first]: readonly Message[]): string {
  const reply = first?.parentId ? store.messages.find(first.parentId) : null
  const model = reply?.model ?? (first && store.conversations.get(first.conversationId).model)
  if (!model) throw new StudioError('bad_input', 'The model that called these tools is unknown.')
  return model
}
