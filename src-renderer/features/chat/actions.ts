import type {
  Attachment,
  ConversationEvent,
  ConversationListEvent,
  Message,
  QueuedMessage,
} from '../../../src-preload/contract/chat.ts'
import type { AttachedDocument } from '../../../src-preload/contract/documents.ts'
import { filesToSend } from '../../../src-preload/contract/projects.ts'
import type { Client } from '../../api/connect.ts'
import { perFrame } from '../../api/frames.ts'
import { problemOf } from '../../api/problem.ts'
import { subscribe, watchWithRetry } from '../../api/watch.ts'
import { askOnce, settleSeen } from '../../shared/requestIds.ts'
import * as store from '../../stores/chat.ts'
import { useChat } from '../../stores/chat.ts'
import { useStage, withoutEdit } from '../../stores/chatPage.ts'
import { markFavourite, mayChat, setModelFacts } from '../../stores/modelFacts.ts'
import { useNewChat } from '../../stores/newChat.ts'
import { hasMessage, runningReplies } from '../../stores/openChat.ts'
import { attempt, client, setClient } from './client.ts'
import { forgetCompared, moveCompared, recallCompared } from './compare.ts'
import { draftPictures } from './composer/draftPictures.ts'
import { useSentAs } from './composer/RolePicker.tsx'
import { draftDocuments } from './documents/draftDocuments.ts'
import { flushDrafts, forgetNewDraft, placeIn, recallNewDraft, saveDraft, writeDraft } from './drafts.ts'
import { contextFor, emptyContext } from './projects/context.ts'
import { forgetRemovedPassages, removedPassages } from './projects/removedPassages.ts'
import { finishReturning } from './queue/actions.ts'
import { flushSetups, forgetNewSetup, recallNewSetup, setupOf } from './setup.ts'

let watching: AbortController | null = null

/** Subscribes the feature's store to the core. Returns the function that unsubscribes. */
export function startChat(core: Client): () => void {
  setClient(core)
  const events = perFrame<ConversationListEvent>((batch) =>
    useChat.setState((state) => store.applyListEvents(state, batch)),
  )
  recallNewDraft()
  const stopList = subscribe(
    core,
    (signal) => core.chat.watchList(undefined, { signal }),
    (event) => events.push(event),
  )
  recallNewSetup()
  recallCompared()
  addEventListener('pagehide', flush)
  void loadModels(false)
  return () => {
    stopList()
    watching?.abort()
    events.drop()
    flush()
    removeEventListener('pagehide', flush)
    setClient(null)
  }
}

/** Opens a chat and subscribes to its events. Null opens an empty new chat. */
export function openChat(id: string | null): void {
  const { open } = useChat.getState()
  if ((open?.id ?? null) === id) return
  flush()
  watching?.abort()
  watching = null
  useChat.setState((state) => store.openConversation(state, id))
  useStage.setState({ editing: null, renaming: false, dialog: null })
  if (id === null) forgetCompared()
  recallCompared()
  if (id !== null) follow(id)
}

function follow(id: string): void {
  const core = client()
  if (!core) return
  const ended = new AbortController()
  watching = ended
  void watchWithRetry(core, ended.signal, async (signal) => {
    const restart = new AbortController()
    const events = perFrame<ConversationEvent>((batch) => {
      useChat.setState((state) => store.applyEvents(state, id, batch))
      settleRequests(id, batch)
      finishReturning(id)
      const { open } = useChat.getState()
      if (open?.id === id && open.state === 'gap') restart.abort()
    })
    const either = AbortSignal.any([signal, restart.signal])
    try {
      for await (const event of await core.chat.watch({ conversationId: id }, { signal: either })) {
        if (event.type === 'snapshot') {
          events.now(event)
          void saveDraft(id)
        } else events.push(event)
      }
    } finally {
      if (signal.aborted) events.drop()
    }
  })
}

/** Settles requests whose answer was lost but whose message arrived in the stream, so that they are not sent again. */
function settleRequests(id: string, batch: readonly ConversationEvent[]): void {
  const received = new Map(batch.flatMap(messagesOf).map((message) => [message.id, message]))
  if (received.size === 0) return
  for (const { name, requestId } of settleSeen(placeIn(id).scope, (one) => received.has(one))) {
    const message = received.get(requestId)
    if (name.startsWith('edit ')) useStage.setState((state) => withoutEdit(state, name.slice('edit '.length)))
    if (name === placeIn(id).name && message && useChat.getState().sending === null) emptyComposer(id, message)
  }
}

/** A message that was sent or queued. */
type Received = Pick<Message | QueuedMessage, 'id' | 'text' | 'attachments' | 'documents'>

function messagesOf(event: ConversationEvent): readonly Received[] {
  if (event.type === 'queue') return event.queue
  if (event.type === 'snapshot') return [...event.messages, ...event.beside, ...(event.queue ?? [])]
  if (event.type === 'path') return [...event.messages, ...event.beside]
  return event.type === 'message' ? [event.message] : []
}

/** Empties the composer when it contains the returned text of a message that the core did receive. */
function emptyComposer(id: string, sent: Received): void {
  if (store.draftOf(useChat.getState()) !== sent.text) return
  writeDraft(id, '')
  draftPictures.forgetSent(id, sent.attachments)
  draftDocuments.forgetSent(id, sent.documents)
  forgetRemovedPassages(id)
  useSentAs.setState({ role: 'user', name: '' })
  useChat.setState({ sendProblem: null })
}

/** The role and name of a message. */
export interface SentAs {
  role: 'user' | 'system' | 'developer' | 'assistant'
  /** Empty: no name. */
  name: string
}
/** The files of a message. */
export interface SentFiles {
  attachments: readonly Attachment[]
  documents: readonly AttachedDocument[]
}
const own: SentAs = { role: 'user', name: '' }

/**
 * Sends the composer's text, or with `queue` lets it wait until the running reply ends. The text leaves the composer at once and returns if
 * the core refuses the message.
 * @returns whether the core accepted the message. Until then the caller owns the files.
 */
export async function send(
  text: string,
  { attachments, documents }: SentFiles = { attachments: [], documents: [] },
  as: SentAs = own,
  queue = false,
): Promise<boolean> {
  const state = useChat.getState()
  const models = store.modelsToAsk(state)
  const core = client()
  if (!core || state.sending || models.length === 0) return false
  const conversationId = state.open?.id ?? null
  const sending = { conversationId, text }
  const written = {
    text,
    models,
    attachments: attachments.map(({ mediaId, detail }) => ({ mediaId, detail })),
    role: as.role,
    name: as.name === '' ? null : as.name,
  }
  const draft = conversationId ?? store.newChat
  useChat.setState((before) => store.beginSending(before, sending))
  let id = ''
  try {
    // Stores the draft first: decision 0033.
    const [added] = await Promise.all([
      // For a queued message, the core asks when it is sent.
      as.role === 'user' && !queue ? contextFor(text) : emptyContext,
      flushDrafts(),
      flushSetups(),
    ])
    const files = filesToSend(added, documents)
    // What the project adds is no part of it: the same message is queued without, and may be sent with it after a lost answer.
    const intent = { conversationId, ...written, documents: filesToSend(emptyContext, documents).documents }
    const sent = await askOnce(placeIn(draft), intent, async (requestId) => {
      id = requestId
      if (queue && conversationId !== null) {
        const without = [...removedPassages(draft)]
        await core.chat.queue({ requestId, conversationId, ...written, documents: files.documents, without })
        return { conversationId }
      }
      return await core.chat.send({
        requestId,
        conversationId,
        ...written,
        ...files,
        ...(conversationId === null ? { setup: setupOf(state), folderId: useNewChat.getState().folderId } : {}),
        // Other roles only add a message. The next request of the person includes it.
        ask: as.role === 'user',
      })
    })
    forgetRemovedPassages(draft)
    if (conversationId === null) {
      forgetNewDraft()
      forgetNewSetup()
      useNewChat.setState({ folderId: null })
      moveCompared(sent.conversationId)
    }
    const stillThere = (useChat.getState().open?.id ?? null) === conversationId
    useChat.setState({ sending: null })
    if (conversationId === null && stillThere) openChat(sent.conversationId)
    return true
  } catch (thrown) {
    if (hasMessage(useChat.getState().open, id)) {
      // The core's answer was lost, but the message exists.
      useChat.setState({ sending: null })
      return true
    }
    useChat.setState((before) => store.failSending(before, sending, problemOf(thrown)))
    return false
  }
}

/** Shows "Stopping…" before the call, because the core's answer takes a round trip. */
export async function stop(replyId: string): Promise<void> {
  const core = client()
  if (!core || useChat.getState().stopping.has(replyId)) return
  useChat.setState((state) => store.markStopping(state, replyId))
  try {
    await core.chat.stop({ replyId })
  } catch (thrown) {
    useChat.setState((state) => ({ ...store.unmarkStopping(state, replyId), notice: problemOf(thrown) }))
  }
}

/** Stops every running reply of the open chat, including those side by side. */
export async function stopHere(): Promise<void> {
  await Promise.all(runningReplies(useChat.getState().open).map(({ id }) => stop(id)))
}

/** Sets the text of the visible composer, and stores it shortly after the last key. */
export function typeText(text: string): void {
  writeDraft(useChat.getState().open?.id ?? store.newChat, text)
}

/** Adds a text to the end of the composer. */
export function addToDraft(text: string): void {
  const { drafts, open } = useChat.getState()
  const typed = drafts[open?.id ?? store.newChat]?.trim() ?? ''
  typeText(typed === '' ? text : `${typed}\n\n${text}`)
}

/** Saves pending changes now. */
function flush(): void {
  void flushDrafts()
  void flushSetups()
}

export async function loadModels(refresh: boolean): Promise<void> {
  const core = client()
  if (!core || useChat.getState().models.state === 'loading') return
  useChat.setState(({ models }) => ({ models: { ...models, state: 'loading', problem: null } }))
  try {
    const { models, asOf } = await core.models.list({ refresh })
    await loadModelFacts()
    useChat.setState((state) => ({
      models: { state: 'ready', models, asOf, problem: null },
      model: state.model ?? models.find(({ id }) => mayChat(id))?.id ?? models[0]?.id ?? null,
    }))
  } catch (thrown) {
    useChat.setState(({ models }) => ({ models: { ...models, state: 'failed', problem: problemOf(thrown) } }))
  }
}

/** Reads favourites, abilities and prices again, because each reply can change them. */
export async function loadModelFacts(): Promise<void> {
  const found = await attempt((client) => client.models.facts())
  if (found) setModelFacts(found.facts)
}

/** Marks a model as a favourite, or removes the mark. The page shows the change immediately and reverts it when the core refuses. */
export async function setFavourite(model: string, favourite: boolean): Promise<void> {
  markFavourite(model, favourite)
  const done = await attempt((client) => client.models.setFavourite({ model, favourite }))
  if (!done) markFavourite(model, !favourite)
}

export async function pickModel(model: string): Promise<void> {
  useChat.setState({ model })
  await attempt((client) => client.app.updateSettings({ chatModel: model }))
}

export async function openAddress(url: string): Promise<void> {
  await attempt((client) => client.app.openExternal({ url }))
}

/** Copies a text. Returns false when the clipboard refuses, so that the caller does not show "Copied". */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch (thrown) {
    useChat.setState({ notice: problemOf(thrown) })
    return false
  }
}
