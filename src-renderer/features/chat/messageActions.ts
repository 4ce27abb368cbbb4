import { canEdit, isBusy, type Message } from '../../../src-preload/contract/chat.ts'
import { filesToSend } from '../../../src-preload/contract/projects.ts'
import { i18n } from '../../i18n/index.ts'
import { composerField } from '../../shared/composerField.ts'
import { askOnce, intentChanged } from '../../shared/requestIds.ts'
import { draftOf, modelsToAsk, newChat, useChat } from '../../stores/chat.ts'
import { useStage, withEdit, withoutEdit } from '../../stores/chatPage.ts'
import { messageIn } from '../../stores/openChat.ts'
import { openChat, typeText } from './actions.ts'
import { attempt } from './client.ts'
import { askIfImagesRefused, holdsImages } from './composer/refusals.ts'
import { editNote } from './context/actions.ts'
import { placeIn } from './drafts.ts'
import { focusComposer, focusSoon, siblingAction } from './focus.ts'
import { offerUndo } from './list/undo.tsx'
import { contextFor, emptyContext } from './projects/context.ts'
import { keepPlace } from './reveal.ts'
import { flushSetups } from './setup.ts'

/** Starts to edit a message of the path. */
export function startEdit(message: Message): void {
  if (message.made === 'summary') editNote(message)
  else useStage.setState({ editing: message.id })
}

/** Edits the turn that `reply` answers, so that the next request does not contain the refused text. */
export function editTurnOf(reply: Message): void {
  const turn = useChat.getState().open?.messages.find(({ id }) => id === reply.parentId)
  if (turn && canEdit(turn)) startEdit(turn)
  else focusComposer()
}

const placeOf = ({ id, conversationId }: Message, action: 'edit' | 'continue') =>
  placeIn(conversationId, `${action} ${id}`)

export function typeEdit(message: Message, text: string): void {
  const { id } = message
  intentChanged(placeOf(message, 'edit'))
  useStage.setState((state) => withEdit(state, id, text))
}

/** Starts to edit the person's last message. False when the chat has none. */
export function editLast(): boolean {
  const turn = useChat.getState().open?.messages.findLast(isOwn)
  if (turn) startEdit(turn)
  return turn !== undefined
}

/** Whether the person wrote a message: as a user, and not by the Continue button. */
export const isOwn = ({ role, made }: Message): boolean => role === 'user' && made === null

/** Closes the editor. The typed text returns with the next edit of this message. */
export function leaveEdit(): void {
  useStage.setState({ editing: null })
  focusComposer()
}

/**
 * Stores the edited text, with its pictures and documents, as a sibling of the message, which starts a branch. With `ask`, also requests replies.
 * @returns whether the core accepted the message
 */
export async function saveEdit(message: Message, text: string, ask: boolean): Promise<boolean> {
  const state = useChat.getState()
  const picked = modelsToAsk(state)
  const models = picked.length > 0 ? picked : [state.open?.conversation?.model ?? ''].filter(Boolean)
  const given = {
    conversationId: message.conversationId,
    text,
    attachments: message.attachments.map(({ mediaId, detail }) => ({ mediaId, detail })),
    models,
    role: message.role === 'tool' ? ('user' as const) : message.role,
    name: message.name,
    ask,
    edits: message.id,
  }
  await flushSetups()
  const added = ask ? await attempt(() => contextFor(text, message)) : emptyContext
  if (!added) return false
  const changed = { ...given, ...filesToSend(added, message.documents) }
  const sent = await keepPlace(message.id, 'follow', () =>
    attempt((client) =>
      askOnce(placeOf(message, 'edit'), changed, (requestId) => client.chat.send({ requestId, ...changed })),
    ),
  )
  if (!sent) return false
  useStage.setState((state) => withoutEdit(state, message.id))
  focusComposer()
  return true
}

/** Switches to the sibling `step` away, and keeps the focus on the pressed arrow. */
export async function walk(message: Message, step: 1 | -1): Promise<void> {
  const sibling = message.sibling + step
  if (sibling < 1 || sibling > message.siblings) return
  const done = await keepPlace(message.id, 'stay', () =>
    attempt((client) => client.chat.activatePath({ messageId: message.id, sibling })),
  )
  if (!done) return
  const pressed = step === 1 ? 'next' : 'previous'
  const other = step === 1 ? 'previous' : 'next'
  const atEnd = sibling === 1 || sibling === message.siblings
  focusSoon(() => siblingAction(message.parentId, sibling, atEnd ? other : pressed), { preventScroll: true })
}

/** Selects the reply that the chat continues with. */
export async function continueWith(reply: Message): Promise<void> {
  const activate = () => attempt((client) => client.chat.activatePath({ messageId: reply.id }))
  if (!(await keepPlace(reply.id, 'stay', activate))) return
  const { askId } = reply
  if (askId !== null) useStage.setState(({ chosen }) => ({ chosen: { ...chosen, [askId]: reply.id } }))
  focusComposer()
}

/**
 * Requests a reply again, with the selected model or with `models`. The old reply stays as a sibling. Asks first if the model refused the
 * chat's images before.
 */
export function retry(replyId: string, models = modelsToAsk(useChat.getState()).slice(0, 1)): void {
  const { open } = useChat.getState()
  const reply = messageIn(open, replyId)
  const asked = models.length > 0 ? models : [reply?.model ?? ''].filter(Boolean)
  const hasImages = holdsImages(open?.messages ?? [], reply?.parentId ?? null)
  askIfImagesRefused(asked, hasImages, () => {
    // The pressed button disappears with the reply.
    focusComposer()
    void requestAgain(replyId, models)
  })
}

/**
 * Requests a reply again without asking the person. A failure appears as a notice of the page.
 * @returns whether the core accepted the request
 */
export async function requestAgain(
  replyId: string,
  models = modelsToAsk(useChat.getState()).slice(0, 1),
): Promise<boolean> {
  const place = placeIn(useChat.getState().open?.id ?? newChat, `retry ${replyId}`)
  const input = { replyId, ...(models.length === 0 ? {} : { models }) }
  const asked = await keepPlace(replyId, 'follow', () =>
    attempt(async (client) => {
      await flushSetups()
      await askOnce(place, input, (requestId) => client.chat.retry({ requestId, ...input }))
      return true
    }),
  )
  return asked === true
}

/** Asks the model to continue where this reply ends. Asks the person first if the model refused the chat's images before. */
export function continueReply(reply: Message): void {
  const { open } = useChat.getState()
  const model = reply.model ?? open?.conversation?.model ?? modelsToAsk(useChat.getState())[0]
  const hasImages = holdsImages(open?.messages ?? [], reply.parentId)
  askIfImagesRefused(model === undefined ? [] : [model], hasImages, () => {
    focusComposer()
    void requestContinuation(reply)
  })
}

async function requestContinuation(reply: Message): Promise<void> {
  await flushSetups()
  const state = useChat.getState()
  // The core uses the model of the reply or of the chat. Imported replies and chats may have no model.
  const known = reply.model ?? state.open?.conversation?.model ?? null
  const [picked] = modelsToAsk(state)
  const input = { replyId: reply.id, ...(known === null && picked !== undefined ? { model: picked } : {}) }
  await attempt((client) =>
    askOnce(placeOf(reply, 'continue'), input, (requestId) => client.chat.continueReply({ requestId, ...input })),
  )
}

/** Copies the path up to this message into a new chat and opens it. */
export async function duplicate(conversationId: string, upTo?: string): Promise<void> {
  const made = await attempt((client) =>
    client.chat.duplicate({ conversationId, ...(upTo === undefined ? {} : { upTo }) }),
  )
  if (made) openChat(made.conversationId)
}

/**
 * Deletes a message, which may have several `parts`, immediately if nothing is below it. Otherwise asks first, because the messages below are
 * also deleted.
 */
export async function askToRemoveMessage(parts: readonly Message[]): Promise<void> {
  const [first] = parts
  if (!first) return
  const found = await attempt((client) => client.chat.messagesBelow({ messageId: first.id }))
  if (!found) return
  // The person sees the parts as one message.
  const below = Math.max(0, found.messages - (parts.length - 1))
  if (below === 0) await removeMessage(first.id, 0)
  else useStage.setState({ dialog: { kind: 'removeMessage', messageId: first.id, below } })
}

/** Deletes a message with the `below` messages below it, and offers undo. */
export async function removeMessage(messageId: string, below: number): Promise<void> {
  const removed = await attempt((client) => client.chat.removeMessage({ messageId }))
  if (!removed) return
  const { removedId } = removed
  const undo = (): void => void attempt((client) => client.chat.restore({ removedId }))
  offerUndo(i18n.t('chat:messagesRemoved', { count: below + 1 }), undo, [removedId])
  focusComposer()
}

/** Appends a text to the composer as quoted lines. */
export function quote(text: string): void {
  const quoted = text
    .trim()
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')
  const before = draftOf(useChat.getState()).trimEnd()
  typeText(`${before === '' ? '' : `${before}\n\n`}${quoted}\n\n`)
  focusSoon(() => {
    const field = composerField()
    field?.setSelectionRange(field.value.length, field.value.length)
    return field
  })
}

/** Whether a reply or tool call of the open chat is running. */
export const isMaking = (): boolean => isBusy(useChat.getState().open?.messages ?? [])
