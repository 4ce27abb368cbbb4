import { createStore } from 'zustand/vanilla'
import type { Attachment } from '../../src-preload/contract/chat.ts'
import { newChat, setDraft, useChat } from '../stores/chat.ts'
import { localStore } from './storage.ts'

/** Storage key of the draft of a chat that does not exist yet. */
export const newDraftKey = 'chat.draft.new'

/** Appends a text to the composer of a new chat. */
export function offerNewChat(text: string): void {
  const typed = useChat.getState().drafts[newChat] ?? ''
  const draft = typed.trim() === '' || typed === text ? text : `${typed}\n\n${text}`
  useChat.setState((state) => setDraft(state, newChat, draft))
  localStore.set(newDraftKey, draft)
}

/** Pictures for the next message of a new chat, until its composer takes them. */
export const offeredPictures = createStore<{ pictures: readonly Attachment[] }>(() => ({ pictures: [] }))

/** Adds a stored picture to the composer of a new chat. */
export const offerNewChatPicture = (picture: Attachment): void =>
  offeredPictures.setState(({ pictures }) => ({ pictures: [...pictures, picture] }))
