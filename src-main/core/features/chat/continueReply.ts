import { type ChatInputs, type ChatOutputs, canContinue } from '../../../../src-preload/contract/chat.ts'
import { StudioError } from '../../errors.ts'
import type { ChatFeature } from './chat.ts'
import type { ChatUpstream } from './replyRuns.ts'
import { firstReplies } from './send.ts'
import { connectFor, notifySiblings, refuseBusy, startReplies, storeReplies } from './startReplies.ts'

/** Always English: models follow English best, and the stored message must not depend on the language of the window. */
export const continueInstruction =
  'Continue your previous message exactly where it stopped. Do not repeat any of it, and add no introduction.'

/** `turnId` is the id of the stored message that asks the model to continue. */
type Continued = ChatOutputs['continueReply']

/**
 * Asks the model to continue a reply that ended early. Stores a user message with `continueInstruction`, then one
 * reply. A repeated `requestId` returns the result of the first call.
 * @throws StudioError `not_connected`, `no_such_item`, `busy`, `bad_input`
 */
export async function continueReply(feature: ChatFeature, input: ChatInputs['continueReply']): Promise<Continued> {
  const before = continuedBefore(feature, input.requestId)
  if (before) return before
  const upstream = await connectFor(feature, input.replyId)
  // Looks again, because a concurrent call with the same id may have waited for the connection too. No await follows.
  return continuedBefore(feature, input.requestId) ?? continueNow(feature, input, upstream)
}

function continueNow(feature: ChatFeature, input: ChatInputs['continueReply'], upstream: ChatUpstream): Continued {
  const { store } = feature
  const { requestId: turnId, replyId } = input
  const { conversationId, plan, notifyOthers } = store.transaction(() => {
    const reply = store.messages.get(replyId)
    const { conversationId } = reply
    const model = input.model ?? reply.model ?? store.conversations.get(conversationId).model
    if (!canContinue(reply) || model === null) {
      throw new StudioError(
        'bad_input',
        'Only a reply that ended early, with some text and no tool calls, can be continued.',
      )
    }
    refuseBusy(feature, conversationId)
    const notifyOthers = notifySiblings(feature, conversationId, replyId)
    const createdAt = new Date().toISOString()
    const turn = {
      id: turnId,
      conversationId,
      parentId: replyId,
      role: 'user',
      text: continueInstruction,
      createdAt,
    } as const
    store.messages.insert({ ...turn, status: 'complete', model: null, made: 'continue' })
    const plan = storeReplies(feature, { conversationId, parentId: turnId, models: [model], choices: 1 })
    return { conversationId, plan, notifyOthers }
  })
  startReplies(feature, conversationId, plan, upstream)
  notifyOthers()
  return { turnId, replyId: plan.flat()[0]?.id ?? turnId }
}

function continuedBefore({ store }: ChatFeature, turnId: string): Continued | null {
  const turn = store.messages.find(turnId)
  const [replyId] = turn ? firstReplies(store, turn.conversationId, turnId) : []
  return replyId === undefined ? null : { turnId, replyId }
}
