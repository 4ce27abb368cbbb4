import { createStore } from 'zustand/vanilla'

/** A message to scroll to, and the search terms to mark in it. */
export interface Jump {
  conversationId: string
  messageId: string
  /** As typed in the search, in lower case. */
  words: readonly string[]
}

/** Set by whoever wants a message shown. The stage clears it once the message is in sight. */
export const jumpStore = createStore<{ jump: Jump | null }>(() => ({ jump: null }))
