import { createStore } from 'zustand/vanilla'

/** Something that the palette finds besides commands. */
export interface Thing {
  id: string
  title: string
  /** A word or two at its end. */
  beside?: string
}

/** Where things come from: conversations, models. */
export interface CommandSource {
  id: 'chats' | 'models'
  /** Asked once each time the palette opens, so it may cost a few ms. */
  things: () => readonly Thing[]
  run: (id: string) => void
}

export const sourceStore = createStore<{ sources: readonly CommandSource[] }>(() => ({ sources: [] }))

/** Offers things to the palette until the answer is called. */
export function offerSource(source: CommandSource): () => void {
  sourceStore.setState(({ sources }) => ({ sources: [...sources, source] }))
  return () => sourceStore.setState(({ sources }) => ({ sources: sources.filter((one) => one !== source) }))
}
