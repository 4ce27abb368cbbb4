import { createStore } from 'zustand/vanilla'

/** Something that a person can do, from the palette, by keys, or from a menu. */
export interface Command {
  /** Such as `chat.new`; keys that a person chose are kept under it. */
  id: string
  /** In the window's language, as it is shown now. */
  title: string
  /** Under which heading the palette shows it. */
  group: 'chat' | 'conversation' | 'message' | 'speech' | 'transcribe' | 'images' | 'go' | 'view' | 'settings'
  /** Keys to begin with, such as `Mod+Shift+F`; Mod is Cmd on a Mac and Ctrl elsewhere. */
  keys?: string
  /** False while it makes no sense; then neither keys nor palette run it. */
  when?: () => boolean
  run: () => void
}

/** By id, in the order of their coming. */
export const commandStore = createStore<{ commands: ReadonlyMap<string, Command> }>(() => ({ commands: new Map() }))

/** Offers commands until the answer is called; one with an id that is there already takes its place. */
export function offerCommands(commands: readonly Command[]): () => void {
  commandStore.setState(({ commands: before }) => {
    const after = new Map(before)
    for (const command of commands) after.set(command.id, command)
    return { commands: after }
  })
  return () =>
    commandStore.setState(({ commands: before }) => {
      const after = new Map(before)
      for (const command of commands) if (after.get(command.id) === command) after.delete(command.id)
      return { commands: after }
    })
}
