import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { asStudioError } from '../../../../src-main/core/errors.ts'
import { type ChatFeature, openChat } from '../../../../src-main/core/features/chat/chat.ts'
import { continueReply } from '../../../../src-main/core/features/chat/continueReply.ts'
import type { ChatUpstream } from '../../../../src-main/core/features/chat/replyRuns.ts'
import { retry } from '../../../../src-main/core/features/chat/retry.ts'
import { send } from '../../../../src-main/core/features/chat/send.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import {
  canContinue,
  canEdit,
  canRetry,
  isBusy,
  type Message,
  type ToolRun,
} from '../../../../src-preload/contract/chat.ts'
import { freshFolder } from '../../helpers/core.ts'

// The window offers actions by the predicates of the contract. The core must not refuse what they allow.

const statuses = ['complete', 'stopped', 'incomplete', 'failed'] as const
const run = (state: ToolRun['state']): ToolRun => ({
  callId: 'call',
  name: 'look',
  arguments: '{}',
  state,
  tool: null,
  allowed: null,
  isError: false,
  notes: [],
  startedAt: null,
  finishedAt: null,
})

/** Any message that can be the last one of a conversation. */
const anyMessage = fc.record({
  role: fc.constantFrom('user' as const, 'system' as const, 'assistant' as const, 'tool' as const),
  status: fc.constantFrom(...statuses),
  text: fc.constantFrom('', 'Some text'),
  reasoning: fc.constantFrom('', 'Some thought'),
  finishReason: fc.constantFrom(null, 'stop', 'length', 'tool_calls', 'content_filter'),
  calls: fc.boolean(),
  model: fc.constantFrom(null, 'a-model'),
  isFirst: fc.boolean(),
  tool: fc.constantFrom('running' as const, 'done' as const, 'awaiting' as const, 'by_hand' as const),
})

/** A service that never answers: the test only checks whether a reply was requested. */
const silent: ChatUpstream = {
  async *streamChatCompletion(_request, { signal }) {
    signal?.throwIfAborted()
    yield await new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  },
}

const refusal = (asked: Promise<unknown>): Promise<string | null> =>
  asked.then(
    () => null,
    (thrown: unknown) => asStudioError(thrown).kind,
  )

it('the core accepts exactly the actions that the contract offers, for every kind of message', {
  tags: 'long',
}, async () => {
  const store = openStore(freshFolder())
  const feature: ChatFeature = openChat({ store, upstream: async () => silent, log: () => undefined })
  await fc.assert(
    fc.asyncProperty(anyMessage, async (given) => {
      const conversationId = randomUUID()
      const now = new Date().toISOString()
      store.conversations.insert({ id: conversationId, title: 'One', model: 'a-model', now, folderId: null })
      const common = { conversationId, createdAt: now }
      const above = given.isFirst && given.role !== 'tool' ? null : randomUUID()
      if (above !== null) {
        const turn = { role: given.role === 'tool' ? ('assistant' as const) : ('user' as const), text: 'Above' }
        store.messages.insert({ ...common, ...turn, id: above, parentId: null, status: 'complete', model: null })
      }
      const id = randomUUID()
      const { role, status, text, model } = given
      const own = role === 'tool' ? run(given.tool) : null
      store.messages.insert({ ...common, id, parentId: above, role, text, status, model, run: own })
      if (role === 'assistant') {
        const toolCalls = given.calls ? [{ index: 0, id: 'call', name: 'look', arguments: '{}' }] : []
        const rest = { reasoning: given.reasoning, finishReason: given.finishReason, toolCalls }
        store.messages.settle(id, { ...store.messages.get(id), ...rest })
      }
      store.conversations.setLeaf(conversationId, id)
      const message: Message = store.messages.get(id)
      const path = store.messages.path(id)
      const clean = (): void => void feature.runs.stopConversation(conversationId)

      const requestId = (): string => randomUUID()
      const busy = isBusy(path)
      const continued = await refusal(continueReply(feature, { requestId: requestId(), replyId: id }))
      clean()
      expect(continued === null, `continue: ${continued}`).toBe(canContinue(message) && !busy)
      store.conversations.setLeaf(conversationId, id)
      const retried = await refusal(retry(feature, { requestId: requestId(), replyId: id }))
      clean()
      expect(retried === null, `retry: ${retried}`).toBe(canRetry(message) && !busy)
      store.conversations.setLeaf(conversationId, id)
      const turn = { conversationId, text: 'Changed', models: ['a-model'] }
      const edited = await refusal(send(feature, { ...turn, requestId: requestId(), edits: id }))
      clean()
      expect(edited === null, `edit: ${edited}`).toBe(canEdit(message) && !busy)
      store.conversations.setLeaf(conversationId, id)
      const sent = await refusal(send(feature, { ...turn, requestId: requestId() }))
      expect(sent === null, `send: ${sent}`).toBe(!busy)
      // Every action is refused while a reply is running.
      if (sent === null) {
        const { leafId } = store.conversations.get(conversationId)
        expect(isBusy(store.messages.path(leafId))).toBe(true)
        expect(await refusal(send(feature, { ...turn, requestId: requestId() }))).toBe('busy')
      }
      clean()
    }),
    { numRuns: 80 },
  )
  await feature.runs.shutDown()
  store.close()
})
