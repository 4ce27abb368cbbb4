import { newChat, setDraft, useChat } from './stores/chat.ts'

/** Where the draft of a chat that has no conversation yet survives a reload. */
export const newDraftKey = 'chat.draft.new'

/** Puts a text into the composer of a new chat, below what was being typed there. */
export function offerNewChat(text: string): void {
  const typed = useChat.getState().drafts[newChat] ?? ''
  const draft = typed.trim() === '' || typed === text ? text : `${typed}\n\n${text}`
  useChat.setState((state) => setDraft(state, newChat, draft))
  localStorage.setItem(newDraftKey, draft)
}
