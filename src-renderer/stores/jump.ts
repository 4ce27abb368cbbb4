import { createStore } from 'zustand/vanilla'

/** A message to scroll to, and the search terms to mark in it. */
export interface Jump {
  conversationId: string
  messageId: string
  /** As typed in the search, in lower case. */
  words: readonly string[]
}

/** A pending jump. The stage clears it when the message is visible. */
export const jumpStore = createStore<{ jump: Jump | null }>(() => ({ jump: null }))
