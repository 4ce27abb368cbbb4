import { createStore } from 'zustand/vanilla'

/** An item in the palette that is not a command. */
export interface Thing {
  id: string
  title: string
  /** A short text at the end of the line. */
  beside?: string
}

/** A source of palette items: chats, models, settings. */
export interface CommandSource {
  id: 'chats' | 'models' | 'settings'
  /** Called once each time the palette opens, so it may take a few ms. */
  things: () => readonly Thing[]
  run: (id: string) => void
}

export const sourceStore = createStore<{ sources: readonly CommandSource[] }>(() => ({ sources: [] }))

/** Registers a source and returns the function that removes it. */
export function offerSource(source: CommandSource): () => void {
  sourceStore.setState(({ sources }) => ({ sources: [...sources, source] }))
  return () => sourceStore.setState(({ sources }) => ({ sources: sources.filter((one) => one !== source) }))
}
