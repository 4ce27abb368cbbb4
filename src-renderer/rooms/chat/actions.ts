import type { ContractRouterClient } from '@orpc/contract'
import type { Attachment, ConversationEvent, ConversationListEvent } from '../../../src-preload/contract/chat.ts'
import type { Contract } from '../../../src-preload/contract/contract.ts'
import { perFrame } from '../../api/frames.ts'
import { keepWatching } from '../../api/keepWatching.ts'
import { problemOf } from '../../api/problem.ts'
import { newDraftKey } from '../../newChatDraft.ts'
import * as store from '../../stores/chat.ts'
import { useChat } from '../../stores/chat.ts'
import { runningReplies } from '../../stores/chat-open.ts'
import { useStage } from '../../stores/chat-stage.ts'
import { attempt, setClient } from './client.ts'
import { recallCompared } from './compare.ts'
import { flushSetups, forgetNewSetup, recallNewSetup, setupOf } from './setup.ts'

export interface ChatHost {
  client: ContractRouterClient<Contract>
}

const draftPause = 400

let host: ChatHost | null = null
let watching: AbortController | null = null
let draftTimer: { id: ReturnType<typeof setTimeout>; save: () => void } | null = null

/** Starts the room: from here on its store follows the core. The answer ends it. */
export function startChat(given: ChatHost): () => void {
  host = given
  setClient(given.client)
  const ended = new AbortController()
  const events = perFrame<ConversationListEvent>((batch) =>
    useChat.setState((state) => store.applyListEvents(state, batch)),
  )
  const saved = localStorage.getItem(newDraftKey)
  if (saved) useChat.setState((state) => store.setDraft(state, store.newChat, saved))
  void keepWatching(ended.signal, async (signal) => {
    for await (const event of await given.client.chat.watchList(undefined, { signal })) events.push(event)
  })
  recallNewSetup()
  recallCompared()
  addEventListener('pagehide', flush)
  void loadModels(false)
  return () => {
    ended.abort()
    watching?.abort()
    events.drop()
    flush()
    removeEventListener('pagehide', flush)
    host = null
    setClient(null)
  }
}

/** Puts a conversation on the stage and follows it; null is an empty new chat. */
export function openChat(id: string | null): void {
  const { open } = useChat.getState()
  if ((open?.id ?? null) === id) return
  flush()
  watching?.abort()
  watching = null
  useChat.setState((state) => store.openConversation(state, id))
  useStage.setState({ editing: null, renaming: false, dialog: null })
  if (id !== null) follow(id)
}

function follow(id: string): void {
  if (!host) return
  const { client } = host
  const ended = new AbortController()
  watching = ended
  void keepWatching(ended.signal, async (signal) => {
    const attempt = new AbortController()
    const events = perFrame<ConversationEvent>((batch) => {
      useChat.setState((state) => store.applyEvents(state, id, batch))
      const { open } = useChat.getState()
      if (open?.id === id && open.state === 'gap') attempt.abort()
    })
    const either = AbortSignal.any([signal, attempt.signal])
    try {
      for await (const event of await client.chat.watch({ conversationId: id }, { signal: either })) {
        if (event.type === 'snapshot') events.now(event)
        else events.push(event)
      }
    } finally {
      if (signal.aborted) events.drop()
    }
  })
}

/** As whom a message goes. */
export interface SentAs {
  role: 'user' | 'system' | 'developer' | 'assistant'
  /** Empty: none. */
  name: string
}
const own: SentAs = { role: 'user', name: '' }

/**
 * Sends what stands in the composer. The text leaves the composer at once and comes back if the core refuses it.
 * @returns whether the core took it; pictures that were given stay the caller's until then
 */
export async function send(text: string, attachments: readonly Attachment[] = [], as: SentAs = own): Promise<boolean> {
  const state = useChat.getState()
  const models = store.modelsToAsk(state)
  if (!host || state.sending || models.length === 0) return false
  const requestId = crypto.randomUUID()
  const conversationId = state.open?.id ?? null
  cancelDraft()
  useChat.setState((before) => store.beginSending(before, { requestId, conversationId, text }))
  try {
    await flushSetups()
    const sent = await host.client.chat.send({
      requestId,
      conversationId,
      text,
      models,
      ...(conversationId === null ? { setup: setupOf(state) } : {}),
      attachments: attachments.map(({ mediaId, detail }) => ({ mediaId, detail })),
      role: as.role,
      name: as.name === '' ? null : as.name,
      // Whatever the person did not say is there to be answered with what he says next.
      ask: as.role === 'user',
    })
    if (conversationId === null) {
      localStorage.removeItem(newDraftKey)
      forgetNewSetup()
    }
    const stillThere = (useChat.getState().open?.id ?? null) === conversationId
    useChat.setState({ sending: null })
    if (conversationId === null && stillThere) openChat(sent.conversationId)
    return true
  } catch (thrown) {
    useChat.setState((before) => store.failSending(before, requestId, problemOf(thrown)))
    return false
  }
}

/** Says "Stopping…" before it asks, because the answer of the core takes a round trip. */
export async function stop(replyId: string): Promise<void> {
  if (!host || useChat.getState().stopping.has(replyId)) return
  useChat.setState((state) => store.markStopping(state, replyId))
  try {
    await host.client.chat.stop({ replyId })
  } catch (thrown) {
    useChat.setState((state) => ({ ...store.unmarkStopping(state, replyId), notice: problemOf(thrown) }))
  }
}

/** Stops every reply of the open conversation that is being made, the ones side by side too. */
export async function stopHere(): Promise<void> {
  await Promise.all(runningReplies(useChat.getState().open).map(({ id }) => stop(id)))
}

/** Asks again for a reply, with the model picked now or those given; the old one stays as its sibling. */
export async function retry(
  replyId: string,
  models = store.modelsToAsk(useChat.getState()).slice(0, 1),
): Promise<void> {
  await flushSetups()
  await attempt((client) => client.chat.retry({ replyId, ...(models.length === 0 ? {} : { models }) }))
}

/** Keeps what is typed, here at once and in the core a moment after the last key. */
export function type(text: string): void {
  const id = useChat.getState().open?.id
  useChat.setState((state) => store.setDraft(state, id ?? store.newChat, text))
  cancelDraft()
  const save = (): void => {
    if (id === undefined) localStorage.setItem(newDraftKey, text)
    else void attempt((client) => client.chat.saveDraft({ conversationId: id, draft: text }))
  }
  draftTimer = { id: setTimeout(flushDraft, draftPause), save }
}

/** What was typed and set a moment ago is saved now. */
function flush(): void {
  flushDraft()
  void flushSetups()
}

function flushDraft(): void {
  draftTimer?.save()
  cancelDraft()
}

function cancelDraft(): void {
  if (draftTimer) clearTimeout(draftTimer.id)
  draftTimer = null
}

export async function loadModels(refresh: boolean): Promise<void> {
  if (!host || useChat.getState().models.state === 'loading') return
  useChat.setState(({ models }) => ({ models: { ...models, state: 'loading', problem: null } }))
  try {
    const { models, asOf } = await host.client.models.list({ refresh })
    useChat.setState((state) => ({
      models: { state: 'ready', models, asOf, problem: null },
      model: state.model ?? models[0]?.id ?? null,
    }))
  } catch (thrown) {
    useChat.setState(({ models }) => ({ models: { ...models, state: 'failed', problem: problemOf(thrown) } }))
  }
}

export async function pickModel(model: string): Promise<void> {
  useChat.setState({ model })
  await attempt((client) => client.app.updateSettings({ chatModel: model }))
}

export async function openAddress(url: string): Promise<void> {
  await attempt((client) => client.app.openExternal({ url }))
}

/** False where the clipboard is refused; the caller then shows no "Copied". */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch (thrown) {
    useChat.setState({ notice: problemOf(thrown) })
    return false
  }
}
