import { createStore } from 'zustand/vanilla'

/** A message to be brought into sight, and what was looked for in it. */
export interface Jump {
  conversationId: string
  messageId: string
  /** As typed in the search, in lower case. */
  words: readonly string[]
}

/** Set by whoever wants a message shown; the stage takes it away once it stands in sight. */
export const jumpStore = createStore<{ jump: Jump | null }>(() => ({ jump: null }))
