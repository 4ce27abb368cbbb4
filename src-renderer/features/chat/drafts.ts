import { problemOf } from '../../api/problem.ts'
import { newDraftKey } from '../../shared/newChatDraft.ts'
import { intentChanged, type Place } from '../../shared/requestIds.ts'
import { localStore } from '../../shared/storage.ts'
import { newChat, setDraft, useChat } from '../../stores/chat.ts'
import { hasMessage } from '../../stores/openChat.ts'
import { client } from './client.ts'

// The window shows a draft immediately. Shortly after the last key press, the draft of an existing chat is stored in the core, the draft of
// a new chat in the browser.

/** Time from the last key press until a draft is stored, ms. */
const savePause = 400

/** Drafts that are not stored yet, by chat id, or `newChat`. */
const unsaved = new Map<string, string>()
const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** The place that a chat's requests start from: the composer, or an action of a message. @param chat its id, or `newChat` */
export const placeIn = (chat: string, name = 'send'): Place => ({
  scope: `chat.${chat}`,
  name,
  isMade: (requestId) => hasMessage(useChat.getState().open, requestId),
})

/** Sets the composer's text and stores it soon. Every change of a draft uses this function. */
export function writeDraft(chat: string, text: string): void {
  useChat.setState((state) => setDraft(state, chat, text))
  intentChanged(placeIn(chat))
  unsaved.set(chat, text)
  clearTimeout(timers.get(chat))
  timers.set(
    chat,
    setTimeout(() => void saveDraft(chat), savePause),
  )
}

/** Stores pending drafts. Never rejects. After a lost connection, `saveDraft` stores the drafts when the chat's stream is back. */
export async function flushDrafts(): Promise<void> {
  await Promise.all([...unsaved.keys()].map(saveDraft))
}

export async function saveDraft(chat: string): Promise<void> {
  clearTimeout(timers.get(chat))
  timers.delete(chat)
  const text = unsaved.get(chat)
  const core = client()
  if (text === undefined || (chat !== newChat && !core)) return
  try {
    if (chat === newChat) localStore.set(newDraftKey, text)
    else await core?.chat.saveDraft({ conversationId: chat, draft: text })
  } catch (thrown) {
    const problem = problemOf(thrown)
    if (problem.kind === 'connection_lost') return
    useChat.setState({ notice: problem })
  }
  if (unsaved.get(chat) === text) unsaved.delete(chat)
}

/** Restores the stored draft of a new chat. */
export function recallNewDraft(): void {
  const saved = localStore.get(newDraftKey)
  if (saved) useChat.setState((state) => setDraft(state, newChat, saved))
}

/** Removes the new chat's draft after sending. Text that was typed after sending stays. */
export function forgetNewDraft(): void {
  if ((useChat.getState().drafts[newChat] ?? '') === '') localStore.remove(newDraftKey)
}
