import { randomUUID } from 'node:crypto'
import { type ChatInputs, type ChatOutputs, canEdit, type Message } from '../../../../src-preload/contract/chat.ts'
import { numberPassages, type Passage, type PassageToSend } from '../../../../src-preload/contract/projects.ts'
import { StudioError } from '../../errors.ts'
import type { ChatParts, ChatUpstream } from './replyRuns.ts'
import { denyWaitingCalls, notifyPath, notifySiblings, refuseBusy, startReplies, storeReplies } from './startReplies.ts'
import { titleOf } from './title.ts'

export type SendInput = ChatInputs['send']
/** `replyIds` are in the order of models and choices. */
type Sent = ChatOutputs['send']

/**
 * Stores a message and its pending replies in one transaction, then sends the requests. A repeated `requestId` returns
 * the result of the first call and sends nothing. `ask: false` only stores the message and needs no connection.
 * @throws StudioError `not_connected`, `no_such_item`, `busy`, `bad_input`, also if the `requestId` belongs to another
 * text
 */
export async function send(feature: ChatParts, input: SendInput): Promise<Sent> {
  const before = sentBefore(feature, input)
  if (before) return before
  const upstream = input.ask === false ? null : await feature.upstream()
  // Looks again, because a concurrent call with the same id may have waited for the connection too. No await follows.
  return sentBefore(feature, input) ?? sendNow(feature, input, upstream)
}

/** The second half of `send`, without a wait. A queued message with the id `requestId` leaves the queue in the same transaction. */
export function sendNow(feature: ChatParts, input: SendInput, upstream: ChatUpstream | null): Sent {
  const { store } = feature
  const { requestId: turnId, text, models } = input
  const conversationId = input.conversationId ?? randomUUID()
  const { plan, notifyOthers, wasQueued } = store.transaction(() => {
    if (input.conversationId === null) insertConversation(feature, conversationId, input)
    else refuseBusy(feature, conversationId)
    const parentId = parentOf(feature, conversationId, input)
    const notifyOthers = notifySiblings(feature, conversationId, parentId)
    if (parentId !== null && input.edits === undefined) denyWaitingCalls(feature, parentId)
    const attachments = (input.attachments ?? []).map(({ mediaId, detail }) => ({
      ...store.media.picture(mediaId),
      detail,
    }))
    const documents = feature.neighbours.attachDocuments(input.documents ?? [])
    const passages = attachPassages(feature, parentId, input.passages ?? [])
    const { role = 'user', name = null } = input
    const createdAt = new Date().toISOString()
    const turn = { id: turnId, conversationId, parentId, role, text, name, attachments, documents, passages, createdAt }
    store.messages.insert({ ...turn, status: 'complete', model: null })
    const wasQueued = store.queuedMessages.remove(turnId)
    // The draft is then another message, which the person is writing.
    if (!wasQueued) store.conversations.draftSent(conversationId, text)
    if (!upstream) {
      store.conversations.setLeaf(conversationId, turnId)
      store.conversations.use(conversationId, models[0] ?? null, createdAt)
    }
    const plan = upstream ? storeReplies(feature, { conversationId, parentId: turnId, models }) : []
    setFirstTitle(feature, conversationId, parentId, role, text.trim() === '' ? (documents[0]?.name ?? '') : text)
    return { plan, notifyOthers, wasQueued }
  })
  if (upstream) startReplies(feature, conversationId, plan, upstream)
  else notifyPath(feature, conversationId)
  notifyOthers()
  if (wasQueued) feature.runs.view.changes.notify({ what: 'queue', conversationId })
  return { conversationId, turnId, replyIds: plan.flat().map(({ id }) => id) }
}

/** The passages with their numbers on the path of the new message. */
function attachPassages({ store, neighbours }: ChatParts, parentId: string | null, wanted: PassageToSend[]): Passage[] {
  if (wanted.length === 0) return []
  return numberPassages(neighbours.attachPassages(wanted), store.messages.filesOn(parentId).passages)
}

function insertConversation({ store }: ChatParts, id: string, { models, setup, folderId = null }: SendInput): void {
  const now = new Date().toISOString()
  store.conversations.insert({ id, title: null, model: models[0] ?? null, now, ...(setup && { setup }), folderId })
}

/** Parent of the new message: the end of the active path, or the parent of the edited message. */
function parentOf({ store }: ChatParts, conversationId: string, { edits }: SendInput): string | null {
  if (edits === undefined) return store.conversations.get(conversationId).leafId
  const edited = store.messages.get(edits)
  if (edited.conversationId !== conversationId) {
    throw new StudioError('bad_input', 'That message belongs to another conversation.')
  }
  if (!canEdit(edited)) throw new StudioError('bad_input', 'Tool results cannot be edited.')
  return edited.parentId
}

/** The first user message names an unnamed conversation. */
function setFirstTitle(
  { store }: ChatParts,
  conversationId: string,
  parentId: string | null,
  role: Message['role'],
  text: string,
): void {
  if (role !== 'user' || store.conversations.get(conversationId).title !== null) return
  if (store.messages.path(parentId).some((message) => message.role === 'user')) return
  store.conversations.setTitle(conversationId, titleOf(text))
}

function sentBefore({ store }: ChatParts, { requestId: turnId, text }: SendInput): Sent | null {
  const turn = store.messages.find(turnId)
  if (!turn) return null
  // Without this error, a caller that reuses an id would lose its text without notice.
  if (turn.text !== text) throw new StudioError('bad_input', 'This request id belongs to another message.')
  const { conversationId } = turn
  return { conversationId, turnId, replyIds: firstReplies(store, conversationId, turnId) }
}

/** The replies that were requested with a message, without later retries. */
export function firstReplies(store: ChatParts['store'], conversationId: string, turnId: string): string[] {
  const first = store.messages.children(conversationId, turnId).find(({ role }) => role === 'assistant')
  if (!first) return []
  const { askId } = store.messages.get(first.id)
  return askId === null ? [first.id] : store.messages.byAsk(conversationId, askId)
}
