import { createStore } from 'zustand/vanilla'
import type { Attachment } from '../../src-preload/contract/chat.ts'
import { newChat, setDraft, useChat } from '../stores/chat.ts'
import { localStore } from './storage.ts'

/** Where the draft of a chat that has no conversation yet survives a reload. */
export const newDraftKey = 'chat.draft.new'

/** Puts a text into the composer of a new chat, below what was being typed there. */
export function offerNewChat(text: string): void {
  const typed = useChat.getState().drafts[newChat] ?? ''
  const draft = typed.trim() === '' || typed === text ? text : `${typed}\n\n${text}`
  useChat.setState((state) => setDraft(state, newChat, draft))
  localStore.set(newDraftKey, draft)
}

/** Pictures for the next message of a new chat, until its composer is there and takes them. */
export const offeredPictures = createStore<{ pictures: readonly Attachment[] }>(() => ({ pictures: [] }))

/** Puts a kept picture beside what is in the composer of a new chat. */
export const offerNewChatPicture = (picture: Attachment): void =>
  offeredPictures.setState(({ pictures }) => ({ pictures: [...pictures, picture] }))
