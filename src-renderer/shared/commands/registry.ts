import { createStore } from 'zustand/vanilla'
import { i18n } from '../../i18n/index.ts'
import { type PageName, routeStore } from '../../stores/route.ts'

/** Groups of commands, in the order of the palette and the settings. */
export const groups = [
  'chat',
  'conversation',
  'message',
  'speech',
  'transcribe',
  'images',
  'usage',
  'keys',
  'go',
  'connection',
  'view',
  'settings',
] as const

/** An action that a person can run from the palette, by a shortcut or from a menu. */
export interface Command {
  /** For example `chat.new`. Also the key under which the person's own shortcut is stored. */
  id: string
  /** In the current language of the window. */
  title: string
  /** The heading in the palette. */
  group: (typeof groups)[number]
  /** The only page where the command is available, so that pages can share a combination. Absent: everywhere. */
  page?: PageName
  /** Default shortcut, for example `Mod+Shift+F`. Mod is Cmd on a Mac and Ctrl elsewhere. */
  keys?: string
  /** False while the command is unavailable: neither shortcut nor palette run it. */
  when?: () => boolean
  /** The shortcut works in modal dialogs, too. Default: no. */
  inDialogs?: boolean
  /** The command leaves drawers as they are. Default: drawers close before it runs. */
  keepsDrawers?: boolean
  run: () => void
}

/** Whether the command is available on the current page. */
export const isPossible = ({ page, when }: Command): boolean =>
  (page === undefined || page === routeStore.getState().route.page) && (!when || when())

/** By id, in the order of registration. */
export const commandStore = createStore<{ commands: ReadonlyMap<string, Command> }>(() => ({ commands: new Map() }))

/** Registers commands and returns the function that removes them. A command replaces an earlier one with the same id. */
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

/** Registers commands, and again when the language changes or further texts are loaded. Returns the function that removes them. */
export function offerTranslatedCommands(commands: () => readonly Command[]): () => void {
  let stop = offerCommands(commands())
  const again = (): void => {
    const stopEarlier = stop
    // Before the earlier ones are removed, so that each command keeps its place.
    stop = offerCommands(commands())
    stopEarlier()
  }
  for (const event of ['languageChanged', 'textsLoaded']) i18n.on(event, again)
  return () => {
    for (const event of ['languageChanged', 'textsLoaded']) i18n.off(event, again)
    stop()
  }
}
