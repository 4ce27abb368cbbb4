import { randomUUID } from 'node:crypto'
import { isBusy, type Message } from '../../../../src-preload/contract/chat.ts'
import { StudioError } from '../../errors.ts'
import { isSettled } from '../../ports/toolCalls.ts'
import type { ChatFeature } from './chat.ts'
import type { ChatUpstream } from './replyRuns.ts'
import { roundOf, statusOfRun, timed } from './toolRounds.ts'

/** Replies that are to be made, their rows stored: one list a request, in the order of its choices. */
export type ReplyPlan = Message[][]

export interface StartedReplies {
  conversationId: string
  parentId: string
  models: readonly string[]
  /** The id of the first reply, where the caller chose it. */
  firstId?: string
  /** How many choices, whatever the conversation's parameters say. */
  choices?: 1
  /** False: the path stays where it is, because this is on another branch. */
  follow?: boolean
}

/**
 * Within a transaction: stores the replies of one ask below `parentId` and makes the path end in the first of them. Several
 * models make a request each, `n` choices are several replies of one request.
 */
export function storeReplies(
  { store }: ChatFeature,
  { conversationId, parentId, models, firstId, choices: only, follow = true }: StartedReplies,
): ReplyPlan {
  const setup = store.conversations.setup(conversationId).params
  const { n = 1, ...others } = setup
  const choices = only ?? n
  const params = only === undefined ? setup : others
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
  return ids.map((choices) => choices.map((id) => store.messages.get(id)))
}

/** Starts them, then says that the path has changed. */
export function startReplies(
  { runs }: ChatFeature,
  conversationId: string,
  ask: ReplyPlan,
  upstream: ChatUpstream,
): void {
  for (const rows of ask) runs.start(rows, upstream)
  notifyPath({ runs }, conversationId)
}

export function notifyPath({ runs }: Pick<ChatFeature, 'runs'>, conversationId: string): void {
  runs.view.changes.notify({ what: 'path', conversationId })
  runs.view.changes.notify({ what: 'conversation', conversationId })
}

/**
 * Within the transaction that puts something below `parentId`: what was told of its siblings is to be told anew, for there is one more.
 * The answer says so, once that is committed.
 */
export function notifySiblings(
  { store, runs }: ChatFeature,
  conversationId: string,
  parentId: string | null,
): () => void {
  const siblings = store.messages.children(conversationId, parentId)
  return () => {
    for (const { id } of siblings) runs.view.changes.notify({ what: 'message', conversationId, messageId: id })
  }
}

/** A path whose end is being made cannot be gone on with. @throws StudioError `busy` */
export function refuseBusy({ store, runs }: ChatFeature, conversationId: string): void {
  const { leafId } = store.conversations.get(conversationId)
  if (leafId === null) return
  if (runs.view.reply(leafId)?.ended === false) {
    throw new StudioError('busy', 'A reply is still being made in this conversation. Stop it or wait for it.')
  }
  if (isBusy(roundOf(store, leafId))) {
    throw new StudioError('busy', 'A tool is still running in this conversation. Stop it or wait for it.')
  }
}

/** Within the transaction in which a person goes on below a round: calls that still wait for a yes are not going to get one. */
export function leaveCalls({ store, runs }: ChatFeature, leafId: string): void {
  for (const { id, conversationId, run } of roundOf(store, leafId)) {
    if (isSettled(run)) continue
    const left = timed({ ...run, state: 'denied' })
    store.messages.setRun(id, left, 'The person went on without running this tool.', statusOfRun(left))
    runs.view.changes.notify({ what: 'message', conversationId, messageId: id })
  }
}
