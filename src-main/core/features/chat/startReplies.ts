import { randomUUID } from 'node:crypto'
import { isBusy, type Message } from '../../../../src-preload/contract/chat.ts'
import { StudioError } from '../../errors.ts'
import { isSettled } from '../../ports/toolCalls.ts'
import type { ChatParts, ChatUpstream } from './replyRuns.ts'
import { roundOf, statusOfRun, timed } from './toolRounds.ts'

/** Stored pending replies: one list per request, in the order of its choices. */
export type ReplyPlan = Message[][]

/** Replies to request below one message. */
export interface ReplyRequest {
  conversationId: string
  parentId: string
  models: readonly string[]
  /** Id of the first reply, if the caller chose it. */
  firstId?: string
  /** Overrides the number of choices in the parameters of the conversation. */
  choices?: 1
  /** False if the replies are on another branch, so that the active path does not change. */
  follow?: boolean
}

/**
 * Stores replies below `parentId` and ends the active path in the first of them. Each model is one request; `n` choices
 * are several replies of one request. Call within a transaction.
 */
export function storeReplies(
  { store }: ChatParts,
  { conversationId, parentId, models, firstId, choices: given, follow = true }: ReplyRequest,
): ReplyPlan {
  const setup = store.conversations.setup(conversationId).params
  const { n = 1, ...others } = setup
  const choices = given ?? n
  const params = given === undefined ? setup : others
  const askId = models.length * choices > 1 ? randomUUID() : null
  const createdAt = new Date().toISOString()
  const ids = models.map((model, place) =>
    Array.from({ length: choices }, (_, choice) => {
      const id = (place + choice === 0 ? firstId : undefined) ?? randomUUID()
      const common = { conversationId, parentId, createdAt, askId, params, model }
      store.messages.insert({ ...common, id, role: 'assistant', text: '', status: 'pending' })
      return id
    }),
  )
  const [first] = ids.flat()
  if (follow && first !== undefined) store.conversations.setLeaf(conversationId, first)
  store.conversations.use(conversationId, follow ? (models[0] ?? null) : null, createdAt)
  return ids.map((ofModel) => ofModel.map((id) => store.messages.get(id)))
}

/** The client of the service, for a request about a stored reply. @throws StudioError `no_such_item` before it connects, `not_connected` */
export async function connectFor({ store, upstream }: ChatParts, replyId: string): Promise<ChatUpstream> {
  store.messages.get(replyId)
  return upstream()
}

/** Starts the requests, then notifies subscribers of the new path. */
export function startReplies(
  { runs }: ChatParts,
  conversationId: string,
  plan: ReplyPlan,
  upstream: ChatUpstream,
): void {
  for (const rows of plan) runs.start(rows, upstream)
  notifyPath({ runs }, conversationId)
}

/** Notifies subscribers that the path and the conversation have changed. */
export function notifyPath({ runs }: Pick<ChatParts, 'runs'>, conversationId: string): void {
  runs.view.changes.notify({ what: 'path', conversationId })
  runs.view.changes.notify({ what: 'conversation', conversationId })
}

/**
 * Sends the siblings of a new message below `parentId` again, because their sibling count changes. Call within the transaction that adds
 * the message, and call the returned function after the commit.
 */
export function notifySiblings(
  { store, runs }: ChatParts,
  conversationId: string,
  parentId: string | null,
): () => void {
  const siblings = store.messages.children(conversationId, parentId)
  return () => {
    for (const { id } of siblings) runs.view.changes.notify({ what: 'message', conversationId, messageId: id })
  }
}

/** Refuses to continue a path that ends in a running reply or tool. @throws StudioError `busy` */
export function refuseBusy(feature: ChatParts, conversationId: string): void {
  const reason = busyReason(feature, conversationId)
  if (reason !== null) throw new StudioError('busy', reason)
}

/** Why the path of a conversation cannot be continued now: it ends in a running reply or tool. Null: it can. @throws StudioError `no_such_item` */
export function busyReason({ store, runs }: ChatParts, conversationId: string): string | null {
  const { leafId } = store.conversations.get(conversationId)
  if (leafId === null) return null
  if (runs.view.reply(leafId)?.ended === false) {
    return 'A reply is still running in this conversation. Stop it or wait until it ends.'
  }
  return isBusy(roundOf(store, leafId))
    ? 'A tool is still running in this conversation. Stop it or wait until it ends.'
    : null
}

/**
 * Marks calls that wait for a decision as denied, because the person continued without deciding. Call within the
 * transaction of the new message.
 */
export function denyWaitingCalls({ store, runs }: ChatParts, leafId: string): void {
  for (const { id, conversationId, run } of roundOf(store, leafId)) {
    if (isSettled(run)) continue
    const left = timed({ ...run, state: 'denied' })
    store.messages.setRun(id, left, 'The person continued without running this tool.', statusOfRun(left))
    runs.view.changes.notify({ what: 'message', conversationId, messageId: id })
  }
}
