import { type ChatInputs, type ChatOutputs, canRetry } from '../../../../src-preload/contract/chat.ts'
import { StudioError } from '../../errors.ts'
import type { ChatFeature } from './chat.ts'
import type { ChatUpstream } from './replyRuns.ts'
import { connectFor, notifySiblings, refuseBusy, startReplies, storeReplies } from './startReplies.ts'

/**
 * Requests new replies to the same message, by default from the same model. They become siblings of the given reply, which does not change. The active path ends in the
 * first new reply, whose id is `requestId`. A repeated `requestId` returns the result of the first call. Call only on request of a
 * person: the program never calls `retry` by itself.
 * @throws StudioError `not_connected`, `no_such_item`, `busy`, `bad_input`
 */
export async function retry(feature: ChatFeature, input: ChatInputs['retry']): Promise<ChatOutputs['retry']> {
  const before = retriedBefore(feature, input.requestId)
  if (before) return before
  const upstream = await connectFor(feature, input.replyId)
  // Looks again, because a concurrent call with the same id may have waited for the connection too. No await follows.
  return retriedBefore(feature, input.requestId) ?? retryNow(feature, input, upstream)
}

function retryNow(
  feature: ChatFeature,
  { requestId, replyId, models }: ChatInputs['retry'],
  upstream: ChatUpstream,
): { replyIds: string[] } {
  const { store } = feature
  const { conversationId, plan, notifyOthers } = store.transaction(() => {
    const former = store.messages.get(replyId)
    const { conversationId, parentId } = former
    const model = former.model ?? store.conversations.get(conversationId).model
    const chosen = models ?? (model === null ? [] : [model])
    if (!canRetry(former) || parentId === null || chosen.length === 0) {
      throw new StudioError('bad_input', 'Only replies can be retried.')
    }
    refuseBusy(feature, conversationId)
    const notifyOthers = notifySiblings(feature, conversationId, parentId)
    const plan = storeReplies(feature, { conversationId, parentId, models: chosen, firstId: requestId })
    return { conversationId, plan, notifyOthers }
  })
  startReplies(feature, conversationId, plan, upstream)
  notifyOthers()
  return { replyIds: plan.flat().map(({ id }) => id) }
}

function retriedBefore({ store }: ChatFeature, firstId: string): { replyIds: string[] } | null {
  const first = store.messages.find(firstId)
  if (!first) return null
  return { replyIds: first.askId === null ? [firstId] : store.messages.byAsk(first.conversationId, first.askId) }
}
