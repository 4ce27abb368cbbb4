import { randomUUID } from 'node:crypto'
import type { ContextInputs } from '../../../../../src-preload/contract/context.ts'
import { StudioError } from '../../../errors.ts'
import type { StoredSummary } from '../../../store/summaries.ts'
import type { ChatFeature } from '../chat.ts'
import { notifyPath, notifySiblings, refuseBusy } from '../startReplies.ts'

/**
 * Makes a branch that starts with a note instead of the messages up to `upTo`, and continues with copies of the messages below it on the
 * active path. The former branch stays, as the other version of the first message. The note is sent as a message of the person: services
 * accept that role anywhere, and a summary of hostile material never becomes instructions.
 * @throws StudioError `no_such_item`, `busy`, `bad_input` when `upTo` is not on the active path
 */
export function useSummary(
  feature: ChatFeature,
  { requestId: noteId, upTo, text }: ContextInputs['useSummary'],
  summary: StoredSummary | null,
): { noteId: string } {
  const { store } = feature
  const { conversationId, notifyOthers } = store.transaction(() => {
    const { conversationId } = store.messages.get(upTo)
    const known = store.messages.find(noteId)
    if (known) {
      const isSame = known.made === 'summary' && known.conversationId === conversationId
      if (!isSame) throw new StudioError('bad_input', 'This request id belongs to another message.')
      return { conversationId, notifyOthers: () => undefined }
    }
    const { leafId } = store.conversations.get(conversationId)
    refuseBusy(feature, conversationId)
    const path = store.messages.path(leafId)
    const end = path.findIndex(({ id }) => id === upTo)
    const next = path[end + 1]
    if (end === -1) throw new StudioError('bad_input', 'This message is not on the branch that is open.')
    if (next?.role === 'tool')
      throw new StudioError('bad_input', 'A summary cannot end between a reply and its tool calls.')
    const notifyOthers = notifySiblings(feature, conversationId, null)
    const replaced = path.slice(0, end + 1)
    const summarised = replaced.reduce((sum, one) => sum + (one.summarised ?? (one.role === 'tool' ? 0 : 1)), 0)
    const createdAt = new Date().toISOString()
    const common = { conversationId, parentId: null, role: 'user', status: 'complete', createdAt } as const
    store.messages.insert({ ...common, id: noteId, text, summarised, model: summary?.model ?? null })
    if (summary) {
      const { id, cost, costIs, requestRow } = summary
      store.messages.setUse(noteId, { usage: null, cost, costIs })
      if (requestRow !== null) store.messages.setRequest(noteId, requestRow)
      store.summaries.remove(id)
    }
    let parentId = noteId
    for (const { id: from } of path.slice(end + 1)) {
      const id = randomUUID()
      store.messages.copy(from, { id, conversationId, parentId, nextId: null, askId: null })
      parentId = id
    }
    store.conversations.setLeaf(conversationId, parentId)
    return { conversationId, notifyOthers }
  })
  notifyPath(feature, conversationId)
  notifyOthers()
  return { noteId }
}
